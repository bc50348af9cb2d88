"""A Python model in motion as an FMU wants it: events stay inside its steps."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ...algorithms import Jacobi
from ...core.description import Variable
from ...core.signals import Signals
from ...core.values import Values, fitted, neutral
from ...drawing.system import System
from ...models import Dynamic, Nested

INSIDE = "model"  # the part of a model with events in a system of its own
_USUAL = Dynamic.__dataclass_fields__["rtol"].default


class BesideLive:
    """The part, or a system of it that takes its events. `values` are those of its parameters."""

    def __init__(self, model: Any, name: str, start: float, values: Values) -> None:
        self._is_inside = model.description.capabilities.has_events
        self.part: Any = (_alone(model) if self._is_inside else model).instantiate(name)
        if self._is_inside:
            values = {f"{INSIDE}.{n}": v for n, v in values.items()}
        self.part.initialize(start, values, derivatives=False)

    @property
    def equations(self) -> Any:
        """The part that holds the states."""
        if not self._is_inside:
            return self.part
        return self.part.assembly.subsystems[1].subsystem

    def tune(self, values: Values) -> None:
        """Go on with these parameters."""
        if self._is_inside:
            values = {f"{INSIDE}.{n}": v for n, v in values.items()}
        self.part.tune(values)


def _alone(model: Any) -> Nested:
    """A system of one, with the names of the model; its inner windows are the steps."""
    system, d = System(INSIDE), model.description
    system.add(INSIDE, model)
    names = {v.name: f"{INSIDE}.{v.name}" for v in (*d.inputs, *d.outputs)}
    return Nested(system, algorithm=Jacobi(), names=names)


def with_tolerance(model: Any, tolerance: float) -> Any:
    """A model that says nothing of its own solver's tolerance is told the importer's."""
    if not isinstance(model, Dynamic) or not isinstance(model.solver, str):
        return model
    if not tolerance > 0 or model.rtol != _USUAL:
        return model
    return replace(model, rtol=tolerance, atol=model.atol * tolerance / model.rtol)


def gathered(variables: tuple[Variable, ...], values: dict[str, list[Any]]) -> Signals:
    """Values of variables, element by element, as signals."""
    reals = [x for v in variables if v.is_real for x in values[v.name]]
    discrete = [x for v in variables if not v.is_real for x in values[v.name]]
    return Signals(np.array(reals, dtype=float), None, tuple(discrete))


def spread(variables: tuple[Variable, ...], found: Signals) -> dict[str, list[Any]]:
    """The same back."""
    reals, discrete = iter(found.reals.tolist()), iter(found.discrete)
    return {
        v.name: [next(reals if v.is_real else discrete) for _ in range(v.size)] for v in variables
    }


def whole(v: Variable, elements: list[Any]) -> Any:
    """A value of a variable from its elements; ValueError if it is none."""
    try:
        return fitted(v, elements if v.shape else elements[0])
    except ValueError as error:
        raise ValueError(f"'{v.name}' {error}") from None


def blank(variables: tuple[Variable, ...]) -> Signals:
    """Zero, false or empty."""
    return gathered(variables, {v.name: [neutral(v)] * v.size for v in variables})
