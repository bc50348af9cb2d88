"""Some of the states of a model as a part of its own; the others come in as inputs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..core.description import Description, Variable
from ..core.model_page import ModelPage
from ..core.signals import Signals, Vector
from ..core.values import Values, signals
from ..drawing.fingerprint import digest
from ..integrators import Integrator
from ..subsystems.subsystem import Equations, Model
from .dynamic import Dynamic
from .dynamic_part import DynamicPart


@dataclass(frozen=True, eq=False)
class Share(ModelPage):
    """The states `own` of a model, solved by an integrator of their own.

    Its inputs are those of the model and the states `read` of other shares; its outputs are its
    states. Every evaluation is one of the whole model. It watches the zero crossings `events`
    of the model, whose jumps concern no states but its own.
    """

    model: Model = field(repr=False)
    own: tuple[str, ...]
    read: tuple[str, ...]
    states: tuple[Variable, ...] = field(repr=False)  # all of the model, where they start
    values: Values = field(default_factory=dict)
    solver: str | Integrator = "rk45"
    rtol: float = 1e-6
    atol: float = 1e-9
    step: float | None = None
    events: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        _ = self.description

    @cached_property
    def places(self) -> dict[str, int]:
        """Where each state stands in the model."""
        return {v.name: k for k, v in enumerate(self.states)}

    @cached_property
    def description(self) -> Description:
        """The share seen from outside."""
        found = self.dynamic(_nothing, "differences", None, _nothing, _nowhere).description
        return replace(found, kind=f"share of a {self.model.description.kind}")

    def dynamic(
        self, derivatives: Any, jacobian: Any, pattern: Any, crossings: Any, on_event: Any
    ) -> Dynamic:
        """The share as equations of its own, with these functions."""
        by_name = {v.name: v for v in self.states}
        inputs = {v.name: v for v in self.model.description.inputs}
        return Dynamic(
            states={name: by_name[name] for name in self.own},
            inputs={**inputs, **{name: by_name[name] for name in self.read}},
            outputs=list(self.own),
            derivatives=derivatives,
            jacobian=jacobian,
            pattern=pattern,
            solver=self.solver,
            rtol=self.rtol,
            atol=self.atol,
            step=self.step,
            zero_crossings=crossings if self.events else None,
            on_event=on_event if self.events else None,
            vector=True,
        )

    def instantiate(self, name: str) -> SharePart:
        """A live part."""
        return SharePart(name, self)

    def fingerprint(self) -> str:
        """A hash of the model and of what is taken of it."""
        solver = f"{self.solver} {self.rtol} {self.atol} {self.step}"
        starts = [(v.name, v.start) for v in self.states]
        taken = f"{self.own} {self.read} {self.events} {starts}"
        return f"{digest(self.model)} {taken} {digest(self.values)} {solver}"


class SharePart(DynamicPart):
    """A share in motion, with an instance of the whole model for its evaluations."""

    def __init__(self, name: str, share: Share) -> None:
        self.share = share
        source: Any = share.model.instantiate(name)
        self.source: Any = source
        places = share.places
        self._own = np.array([places[n] for n in share.own], dtype=np.intp)
        self._read = np.array([places[n] for n in share.read], dtype=np.intp)
        self._inputs = sum(v.size for v in share.model.description.inputs if v.is_real)
        self._whole = signals(share.states, {}).reals
        pattern = source.pattern if isinstance(source, Equations) else None
        own = None if pattern is None else pattern.tocsr()[self._own].tocsc()[:, self._own]
        cheap = pattern is not None or callable(getattr(share.model, "jacobian", None))
        jacobian = self._block if cheap else "differences"
        self._watched = np.array(share.events, dtype=np.intp)
        functions = self._shared, jacobian, own, self._sides, self._jumps
        super().__init__(name, share.dynamic(*functions))
        self.description = share.description

    def initialize(self, start: float, values: Values, *, derivatives: bool = False) -> None:
        """Take the values; the model itself starts as it would alone."""
        given = dict(self.share.values)
        source: Any = self.source
        source.initialize(start, given)
        source.outputs(signals(self.share.model.description.inputs, given))
        source.begin()
        super().initialize(start, values, derivatives=derivatives)

    def close(self) -> None:
        """Close the instance inside."""
        self.source.close()

    def _shared(self, t: float, x: Vector, u: Any, p: Any) -> Vector:
        """The rates of these states alone."""
        state, inputs = self._placed(x, u)
        rates: Vector = self.source.rates(t, state, inputs)
        return rates[self._own]

    def _block(self, t: float, x: Vector, u: Any, p: Any) -> Any:
        """Their derivatives by themselves."""
        state, inputs = self._placed(x, u)
        whole = self.source.jacobian(t, state, inputs)
        return whole.tocsr()[self._own].tocsc()[:, self._own]

    def _sides(self, t: float, x: Vector, u: Any, p: Any) -> Vector:
        """The zero crossings that this share watches."""
        state, inputs = self._placed(x, u)
        crossings: Vector = self.source.crossings(t, state, inputs)
        return crossings[self._watched]

    def _jumps(self, which: int, t: float, x: Vector, u: Any, p: Any) -> Vector:
        """Its states after one of their events; those of others must stay."""
        state, inputs = self._placed(x, u)
        after: Vector = self.source.jumped(int(self._watched[which]), t, state, inputs)[0]
        moved = np.flatnonzero(after != state)
        foreign = moved[~np.isin(moved, self._own)]
        if foreign.size:
            name = self.share.states[int(foreign[0])].name
            raise ValueError(
                f"event {int(self._watched[which])} of the model moves '{name}', which is a state "
                "of another part; split it with the states that jump together in one group"
            )
        return after[self._own]

    def _placed(self, x: Vector, u: Any) -> tuple[Vector, Signals]:
        reals, held = u if isinstance(u, tuple) else (u, ())
        state = self._whole.copy()
        state[self._own] = x
        state[self._read] = reals[self._inputs :]
        return state, Signals(reals[: self._inputs], None, held)


def _nothing(t: float, x: Vector, u: Any, p: Any) -> Vector:
    """Stands for the rates where only the surface is of interest."""
    return np.zeros_like(x)


def _nowhere(which: int, t: float, x: Vector, u: Any, p: Any) -> Vector:
    """Stands for the jumps, likewise."""
    return x
