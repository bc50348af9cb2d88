"""The variables of a Python model as an FMU shows them: the same list on both sides of the pipe."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import count
from typing import Any

import numpy as np

from ...core.description import Description, Kind, Variable
from ...core.values import fitted, neutral
from ...models import Dynamic

TYPES = {
    Kind.REAL: "Float64",
    Kind.INTEGER: "Int32",
    Kind.BOOLEAN: "Boolean",
    Kind.STRING: "String",
    Kind.ENUMERATION: "Enumeration",
}


class Role(StrEnum):
    """What a variable is to the process that runs the model."""

    TIME = "time"
    INPUT = "input"
    OUTPUT = "output"
    PARAMETER = "parameter"
    STATE = "state"
    RATE = "rate"


@dataclass(frozen=True, slots=True)
class BesideVariable:
    """One scalar. `element` is its place in the variable; `place` that among states.

    `starts`: an output whose start value can be set, as it is a state.
    """

    name: str
    reference: int
    role: Role
    variable: Variable
    element: int = 0
    place: int = 0
    starts: bool = False

    @property
    def type(self) -> str:
        """As FMI 3 calls it."""
        return TYPES[self.variable.kind]

    @property
    def start(self) -> Any:
        """Its start value."""
        return elements(self.variable)[self.element]


def variables_of(model: Any) -> tuple[BesideVariable, ...]:
    """All of them, by value reference."""
    return tuple(_listed(model, model.description))


def is_linearized(d: Description) -> bool:
    """Whether directional derivatives can be asked for at any time."""
    return d.capabilities.can_linearize and not d.capabilities.has_events


def states_of(model: Any) -> tuple[Variable, ...]:
    """The continuous states of a model that shows all of them."""
    if not isinstance(model, Dynamic):
        return ()
    shown = {v.name for v in model.description.parameters}
    states = model.layout[0]
    return states if all(v.name in shown for v in states) else ()


def elements(v: Variable) -> list[Any]:
    """Its start values, one by one."""
    value = fitted(v, neutral(v) if v.start is None else v.start)
    if isinstance(value, np.ndarray):
        return [float(x) for x in value.ravel()]
    return list(value) if isinstance(value, tuple) else [value]


def _listed(model: Any, d: Description) -> Iterator[BesideVariable]:
    numbers = count()
    yield BesideVariable("time", next(numbers), Role.TIME, Variable("time", unit="s"))
    for v in d.inputs:
        for k, name in enumerate(v.scalars()):
            yield BesideVariable(name, next(numbers), Role.INPUT, v, k)
    states = states_of(model)
    places = _places(states)
    known = {v.name: v for v in d.parameters}
    is_state = isinstance(model, Dynamic) and model.output is None
    shown = {v.name for v in d.outputs}
    for v in d.outputs:
        starts = v.name in places and is_state
        one = known[v.name] if starts else v
        for k, name in enumerate(v.scalars()):
            at = places.get(v.name, 0) + k
            yield BesideVariable(name, next(numbers), Role.OUTPUT, one, k, at, starts)
    for v in d.parameters:
        if v.name in shown:
            continue
        role = Role.STATE if v.name in places else Role.PARAMETER
        for k, name in enumerate(v.scalars()):
            at = places.get(v.name, 0) + k
            yield BesideVariable(name, next(numbers), role, v, k, at)
    if is_linearized(d) and is_state | shown.isdisjoint(places):
        for v in states:
            for k, name in enumerate(v.scalars()):
                at = places[v.name] + k
                yield BesideVariable(f"der({name})", next(numbers), Role.RATE, v, k, at)


def _places(states: tuple[Variable, ...]) -> dict[str, int]:
    found, at = dict[str, int](), 0
    for v in states:
        found[v.name] = at
        at += v.size
    return found
