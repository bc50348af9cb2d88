"""Where a model is looked at: its start, points that are given, or points along a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..core.description import Variable
from ..core.errors import InputError, ModelError, OptionError, did_you_mean
from ..core.options import check_number, check_whole
from ..core.signals import Signals, Vector, Waveform
from ..core.values import fitted, signals
from ..core.window import Window
from ..subsystems.subsystem import Equations, Model


@dataclass(frozen=True, eq=False)
class Point:
    """A Jacobian, and where it was taken."""

    time: float
    state: Vector
    jacobian: Any


@dataclass(frozen=True, eq=False)
class Points:
    """The states of a model, and its Jacobian at one or more operating points."""

    states: tuple[Variable, ...]
    points: tuple[Point, ...]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the states, scalar by scalar."""
        return tuple(v.name for v in self.states)

    @cached_property
    def places(self) -> dict[str, int]:
        """Where each state stands."""
        return {name: k for k, name in enumerate(self.names)}


def points_of(
    model: Model,
    *,
    values: Mapping[str, Any] | None = None,
    at: Sequence[Mapping[str, Any]] = (),
    start: float = 0.0,
    stop: float | None = None,
    samples: int = 10,
) -> Points:
    """The Jacobians of a model whose equations can be evaluated."""
    part = model.instantiate("model")
    try:
        given = checked_values(model, values or {})
        part.initialize(start, given)
        inputs = signals(model.description.inputs, given)
        part.outputs(inputs)
        part.begin()
        if not isinstance(part, Equations) or not part.states:
            raise stateless(part, model.description.kind, "analyzed")
        here = [(start, part.state())]
        here += [(start, _moved(part, point)) for point in at]
        if stop is not None:
            here += _along(part, inputs, start, stop, samples)
        points = tuple(Point(t, x, _jacobian(part, t, x, inputs)) for t, x in here)
        return Points(part.states, points if not at else points[1:])
    finally:
        part.close()


def of_matrix(jacobian: Any, names: Sequence[str] = ()) -> Points:
    """A Jacobian that is at hand, as a model with one operating point."""
    from scipy.sparse import csc_array

    try:
        matrix = csc_array(jacobian, dtype=float)
    except (TypeError, ValueError) as error:
        what = type(jacobian).__name__
        merged = "; dv.merge(system) makes one model of it" if what == "System" else ""
        raise OptionError(f"a model or a Jacobian is needed, not {what}{merged}.") from error
    n = matrix.shape[0]
    if matrix.shape != (n, n):
        raise OptionError(f"a Jacobian is a square matrix, not one of {matrix.shape}.")
    if not np.isfinite(matrix.data).all():
        raise OptionError("the Jacobian has elements that are not finite.")
    if names and len(names) != n:
        raise OptionError(f"there are {n} states, but {len(names)} names.")
    states = tuple(Variable(name) for name in names or (f"x{k + 1}" for k in range(n)))
    return Points(states, (Point(0.0, np.zeros(n), matrix),))


def checked_values(model: Model, values: Mapping[str, Any]) -> dict[str, Any]:
    """What may be given to a model before it starts, as its variables hold it."""
    d = model.description
    settable = {v.name: v for v in (*d.inputs, *d.parameters)}
    given = {}
    for name, value in values.items():
        if name not in settable:
            hint = did_you_mean(name, settable)
            raise OptionError(f"'{name}' is no parameter, start value or input.{hint}")
        try:
            given[name] = fitted(settable[name], value)
        except ValueError as error:
            raise OptionError(f"'{name}' {error}.") from error
    return given


def _moved(part: Equations, point: Mapping[str, Any]) -> Vector:
    """The state at which the part stands, with some of it changed."""
    names = [v.name for v in part.states]
    x = np.array(part.state(), dtype=float)
    for name, value in point.items():
        if name not in names:
            raise OptionError(f"'{name}' is no state.{did_you_mean(name, names)}")
        check_number(f"'{name}'", value)
        x[names.index(name)] = value
    return x


def _along(
    part: Any, inputs: Signals, start: float, stop: float, samples: int
) -> list[tuple[float, Vector]]:
    """Where the part comes by on its way, with its inputs held."""
    check_number("stop", stop)
    check_whole("samples", samples)
    if not stop > start:
        raise OptionError(f"stop must be after the start at {start:g} s, not {stop!r}.")
    found, wave = [], Waveform.hold(inputs)
    for k in range(samples):
        end = start + (stop - start) * (k + 1) / samples
        time = start + (stop - start) * k / samples
        while time < end:
            reached = part.advance(Window(time, end - time, end), wave)
            if reached.event and hasattr(part, "event"):
                part.event(inputs)
                if hasattr(part, "update"):
                    part.update()
            if reached.time <= time and not reached.event:
                raise InputError(f"the model does not move on from t = {time:g} s.")
            time = reached.time
        found.append((time, np.array(part.state(), dtype=float)))
    return found


def _jacobian(part: Equations, time: float, state: Vector, inputs: Signals) -> Any:
    from scipy.sparse import csc_array

    jacobian = csc_array(part.jacobian(time, state, inputs), dtype=float)
    if not np.isfinite(jacobian.data).all():
        where = int(np.flatnonzero(~np.isfinite(jacobian.data))[0])
        row = part.states[int(jacobian.indices[where])].name
        raise ModelError(
            f"the Jacobian at t = {time:g} s is not finite in the row of '{row}'; look there for "
            "a division by zero, or analyze at another point."
        )
    return jacobian


def stateless(part: Any, kind: str, verb: str) -> ModelError:
    """What to say of a model without states, or without ones that can be seen."""
    if isinstance(part, Equations):
        return ModelError(f"this {kind} cannot be {verb}: it has no continuous states.")
    return ModelError(
        f"this {kind} cannot be {verb}: it shows no states of its own; that needs a dv.Dynamic or "
        "a model-exchange FMU."
    )
