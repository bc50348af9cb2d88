"""What becomes of a value on its way: units, factors and offsets, tables, types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isclose
from typing import Any

from ...core.description import Kind, Variable
from ...units import UNCHANGED, Conversion, UnitError, conversion
from .document import Change, Parameter, Sort

Items = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Fact:
    """What is known of a connector or variable."""

    kind: Kind | None = None
    unit: str | None = None
    items: Items | None = None  # of an enumeration
    unit_name: str | None = None

    @staticmethod
    def of(
        sort: Sort | None,
        variable: Variable | None = None,
        unit_name: str | None = None,
        items: Items | None = None,
    ) -> Fact:
        """From what the file says, and the model; the model counts."""
        declared = Fact()
        if sort is not None:
            declared = Fact(sort.kind, sort.unit, sort.enumeration, sort.unit_name)
        if variable is None:
            return declared
        unit = variable.unit or declared.unit
        return Fact(variable.kind, unit, items or declared.items, unit_name or declared.unit_name)

    def to(self, other: Fact) -> Conversion:
        """How units convert on the way to another; not at all where both have one name."""
        if self.unit_name and self.unit_name == other.unit_name:
            return UNCHANGED
        return conversion(self.unit, other.unit)

    def then(self, step: WayStep) -> Fact:
        """What is known after a segment; a connector without a unit takes over what comes."""
        kept = (self.unit, self.unit_name) if step.convert else (None, None)
        unit, name = (step.to.unit, step.to.unit_name) if step.to.unit else kept
        return Fact(step.to.kind or self.kind, unit, step.to.items or self.items, name)


@dataclass(frozen=True, slots=True)
class WayStep:
    """One segment: whether units convert, what else is done, and where it ends."""

    to: Fact
    convert: bool = True
    change: Change | None = None
    table: tuple[tuple[Any, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Way:
    """target = gain * source + offset in plain numbers, after a look into a table."""

    gain: float = 1.0
    offset: float = 0.0
    table: dict[Any, Any] = field(default_factory=dict)
    changed: tuple[float, float] = (1.0, 0.0)  # by transformations alone
    converts: bool = True  # units do, on every segment

    @staticmethod
    def along(start: Fact, steps: Sequence[WayStep]) -> Way:
        """All segments together; ValueError or UnitError says what cannot be."""
        gain, offset, table = 1.0, 0.0, dict[Any, Any]()
        total, converts, here = (1.0, 0.0), True, start
        for step in steps:
            if step.table:
                table = _joined(table, dict(step.table))
            if step.convert:
                c = here.to(step.to)
                gain, offset = c.factor * gain, c.factor * offset + c.offset
            change = step.change
            if change is not None and change.name == "LinearTransformation":
                gain, offset = change.factor * gain, change.factor * offset + change.offset
                total = (
                    change.factor * total[0],
                    change.factor * total[1] + change.offset,
                )
            elif change is not None:
                if (gain, offset) != (1.0, 0.0):
                    raise ValueError("a map after a linear transformation cannot be drawn")
                table = _joined(table, numbers(change, here.items, step.to.items))
            converts = converts and step.convert
            here = here.then(step)
        return Way(gain, offset, table, total, converts)

    def drawn(self, source: Variable, target: Variable) -> dict[str, Any]:
        """How `System.connect` says it: units by themselves where that comes to the same."""
        said: dict[str, Any] = {"table": self.table} if self.table else {}
        if not self.converts:
            return {**said, **_gained(self.gain, self.offset), "convert": False}
        if self.converts and source.is_real and target.is_real:
            try:
                units = conversion(source.unit, target.unit)
            except UnitError:
                return {**said, **_gained(self.gain, self.offset), "convert": False}
            factor, shift = self.changed
            same = isclose(factor * units.factor, self.gain, rel_tol=1e-12)
            expected = factor * units.offset + shift
            if same and isclose(expected, self.offset, rel_tol=1e-12, abs_tol=1e-12):
                return {**said, **_gained(factor, shift)}
        if source.is_real and target.is_real and conversion_matters(source, target):
            said["convert"] = False
        return {**said, **_gained(self.gain, self.offset)}


def conversion_matters(source: Variable, target: Variable) -> bool:
    """Whether units would convert something, or be in the way."""
    try:
        c = conversion(source.unit, target.unit)
    except UnitError:
        return True
    return (c.factor, c.offset) != (1.0, 0.0)


def numbers(change: Change, source: Items | None, target: Items | None) -> dict[Any, Any]:
    """A table by values, where the file has it by names."""
    if change.name != "EnumerationMappingTransformation":
        return dict(change.table)
    if source is None or target is None:
        raise ValueError("maps names of enumerations that are not known")
    for side, items in ((0, source), (1, target)):
        for pair in change.table:
            if pair[side] not in items:
                raise ValueError(f"maps '{pair[side]}', which is not one of {', '.join(items)}")
    return {source[a]: target[b] for a, b in change.table}


def carried(given: Parameter, start: Fact, steps: Sequence[WayStep]) -> tuple[Any, Fact]:
    """A value at the end of its way; ValueError or UnitError says why it does not get there."""
    value, here = given.value, start
    for step in steps:
        value = _each(value, lambda v, here=here, step=step: _one(v, here, step))
        here = replace(here.then(step), kind=here.kind)
    return value, here


def suited(value: Any, fact: Fact, variable: Variable) -> Any:
    """A value as its variable wants it, by the rules of the documentation."""
    if isinstance(value, tuple) and not variable.shape and len(value) == 1:
        value = value[0]
    return _each(value, lambda v: _suited(v, fact, variable))


def _one(value: Any, here: Fact, step: WayStep) -> Any:
    if here.kind == Kind.REAL and step.convert:
        value = here.to(step.to)(float(value))
    change = step.change
    if change is None:
        return value
    if change.name == "LinearTransformation":
        if isinstance(value, bool | str | bytes):
            raise ValueError("a linear transformation needs a number")
        return change.factor * value + change.offset
    if change.name == "EnumerationMappingTransformation" and isinstance(value, str):
        return dict(change.table).get(value, value)
    table = numbers(change, here.items, step.to.items)
    return table.get(value, value)


def _suited(value: Any, fact: Fact, variable: Variable) -> Any:
    kind = variable.kind
    if kind == Kind.ENUMERATION and isinstance(value, str):
        if value not in variable.literals and fact.items and value in fact.items:
            return fact.items[value]
        return value
    if isinstance(value, str) and kind in (Kind.REAL, Kind.INTEGER) and fact.items:
        value = fact.items.get(value, value)
    if kind == Kind.REAL and isinstance(value, bool | int):
        return float(value)
    if kind in (Kind.INTEGER, Kind.ENUMERATION, Kind.BOOLEAN):
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) and kind != Kind.BOOLEAN:
            return int(value)
    return value


def _each(value: Any, do: Any) -> Any:
    return tuple(do(v) for v in value) if isinstance(value, tuple) else do(value)


def _joined(first: dict[Any, Any], second: dict[Any, Any]) -> dict[Any, Any]:
    """One table after another; what is in neither passes unchanged."""
    found = {k: second.get(v, v) for k, v in first.items()}
    return {**{k: v for k, v in second.items() if k not in first}, **found}


def _gained(gain: float, offset: float) -> dict[str, Any]:
    said: dict[str, Any] = {}
    if gain != 1.0:
        said["gain"] = gain
    if offset != 0.0:
        said["offset"] = offset
    return said
