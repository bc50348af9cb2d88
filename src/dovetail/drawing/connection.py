"""A wire of the drawing: what it does on the way, and what forbids it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..core.description import Kind, Variable
from ..core.errors import Problem
from ..core.signals import Discrete
from ..core.values import fitted
from ..units import Conversion, UnitError, conversion
from .junction import Junction

_WIDENS = {  # which kinds of source an input takes besides its own
    Kind.REAL: {Kind.INTEGER, Kind.BOOLEAN, Kind.ENUMERATION},
    Kind.INTEGER: {Kind.ENUMERATION, Kind.BOOLEAN},
    Kind.ENUMERATION: {Kind.INTEGER},
}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A variable of a part."""

    part: str
    variable: Variable

    def __str__(self) -> str:
        return f"{self.part}.{self.variable.name}"


@dataclass(frozen=True, slots=True)
class Connection:
    """target = gain * source + offset, after the source was converted to the target's unit.

    A discrete source is first looked up in `table`; what is not in there passes unchanged.
    `junction` names the one that made it; several such wires to one target add up.
    """

    source: Endpoint
    target: Endpoint
    gain: float = 1.0
    offset: float = 0.0
    units: Conversion = Conversion(1.0, 0.0)
    convert: bool = True  # units; if not, numbers pass as they are
    junction: str = ""
    table: tuple[tuple[Discrete, Discrete], ...] = ()  # value of the source, value instead

    @property
    def total(self) -> tuple[float, float]:
        """Factor and offset with the conversion of units in them."""
        return self.gain * self.units.factor, self.gain * self.units.offset + self.offset

    def __str__(self) -> str:
        return f"{self.source} -> {self.target}"


def wires_of(junction: Junction) -> list[Connection]:
    """The plain wires of a junction: the common variable to the ports that take it, and the sum."""
    givers = junction.dictators
    if not givers:
        return []
    first, name, k = givers[0], junction.name, junction.conjugate
    wires = [(first, junction.common, e, 1.0) for e in junction.followers]
    if len(givers) == 1:
        wires += [(e, k, first, -1.0) for e in junction.followers]
    made = []
    for source, role, target, gain in wires:
        a = Endpoint(source.part, source.variable(role))
        b = Endpoint(target.part, target.variable(role))
        usual = first.domain.effort if role == "effort" else first.domain.flow
        units = conversion(a.variable.unit or usual, b.variable.unit or usual)
        made.append(Connection(a, b, gain, 0.0, units, junction=name))
    return made


def compatible(
    source: Endpoint, target: Endpoint, *, plain: bool, convert: bool
) -> tuple[Conversion, list[Problem]]:
    """How units convert on the way, and what forbids the connection."""
    a, b, where = source.variable, target.variable, str(target)
    problems: list[Problem] = []
    if a.kind != b.kind and a.kind not in _WIDENS.get(b.kind, ()):
        what = f"'{source}' is of type {a.kind} but '{target}' takes {b.kind}."
        problems.append(Problem(where, what))
    if a.shape != b.shape:
        what = f"'{source}' has {_shape(a)} but '{target}' takes {_shape(b)}."
        problems.append(Problem(where, what))
    if not plain and not b.is_real:
        what = f"gain and offset need a real input, and '{target}' takes {b.kind}."
        problems.append(Problem(where, what))
    units = Conversion(1.0, 0.0)
    if convert and a.is_real and b.is_real:
        try:
            units = conversion(a.unit, b.unit)
        except UnitError as error:
            what = f"'{source}' cannot feed '{target}': {error}."
            problems.append(Problem(where, what.replace("..", ".")))
    return units, problems


def looked_up(
    source: Endpoint, target: Endpoint, table: Mapping[Any, Any]
) -> tuple[tuple[tuple[Discrete, Discrete], ...], list[Problem]]:
    """A table with values that both ends can have, and what is wrong with it."""
    if not table:
        return (), []
    a, b, where = source.variable, target.variable, str(target)
    if not isinstance(table, Mapping):
        what = f"the table of {source} -> {target} must be a mapping such as {{1: 3}}."
        return (), [Problem(where, what)]
    if a.is_real or a.kind == Kind.CLOCK:
        what = f"a table needs a discrete output, and '{source}' gives {a.kind} values."
        return (), [Problem(where, what)]
    made: dict[Discrete, Discrete] = {}
    result = b if not b.is_real else a  # what is looked up widens to a real afterwards
    for given, instead in table.items():
        try:
            key = fitted(replace(a, shape=()), given)
            made[key] = fitted(replace(result, shape=()), instead)  # type: ignore[index, assignment]
        except ValueError as error:
            what = f"the table of {source} -> {target} {error}."
            return (), [Problem(where, what)]
    return tuple(sorted(made.items(), key=repr)), []


def _shape(variable: Variable) -> str:
    return "one value" if not variable.shape else "x".join(map(str, variable.shape)) + " values"
