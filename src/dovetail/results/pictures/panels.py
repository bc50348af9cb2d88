"""Which variables share a panel: those of one unit, else those of one part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.description import Kind
from ...core.signals import Vector
from ..recorders.base import Column
from .decimate import changes, outline

if TYPE_CHECKING:
    from ..result import Result

MOST_PANELS = 6
COLOURS = (
    "#2563a8",
    "#e07b2c",
    "#2f9e77",
    "#b8336a",
    "#7a5cc0",
    "#b09020",
    "#3aa0b8",
    "#d1495b",
    "#667487",
    "#8a6a4f",
)


@dataclass(frozen=True, slots=True)
class Panel:
    """Variables on one pair of axes. Lanes show values that are not numeric, one above another."""

    label: str
    columns: list[Column] = field(default_factory=list)
    lanes: bool = False
    left_out: int = 0
    first: int = 0  # the place of its first colour

    def colour(self, place: int) -> str:
        """The colour of its curve in this place."""
        return COLOURS[(self.first + place) % len(COLOURS)]


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """The points to draw of one variable. `text` is what they mean where that is not numeric."""

    column: Column
    time: Vector
    values: Vector
    stepped: bool
    text: list[str] | None = None


def panels(result: Result, names: Sequence[str], most_curves: int) -> list[Panel]:
    """At most six panels, lanes last, with at most so many curves each."""
    columns = [result.column(name) for name in names]
    groups = _grouped(columns, by_part=True)
    if len(groups) > MOST_PANELS:
        groups = _grouped(columns, by_part=False)
    if len(groups) > MOST_PANELS:
        groups = _merged(groups)
    enough = len(names) <= len(COLOURS)  # for all; else every panel begins anew
    stack, first = [], 0
    for group in sorted(groups, key=lambda p: p.lanes):
        shown = group.columns[:most_curves]
        left_out = len(group.columns) - len(shown)
        stack.append(Panel(group.label, shown, group.lanes, left_out, first if enough else 0))
        first += len(shown)
    return stack


def curve(result: Result, column: Column, most: int) -> Curve:
    """The points of one variable, thinned so that nothing visible is lost."""
    values = result[column.name]
    if column.is_real:
        rows = outline(values, most)
        kept = np.where(np.isfinite(values[rows]), values[rows], np.nan)
        return Curve(column, result.time[rows], kept, stepped=False)
    if column.kind in (Kind.INTEGER, Kind.ENUMERATION):
        rows = outline(values.astype(float), most)
        return Curve(column, result.time[rows], values[rows].astype(float), stepped=True)
    rows = changes(values, most)
    texts = [_told(v) for v in values[rows].tolist()]
    return Curve(column, result.time[rows], _heights(texts), stepped=True, text=texts)


def _grouped(columns: Sequence[Column], *, by_part: bool) -> list[Panel]:
    found: dict[tuple[str, str], Panel] = {}
    for column in columns:
        part = column.name.rpartition(".")[0] if by_part else ""
        if column.kind in (Kind.BOOLEAN, Kind.CLOCK, Kind.STRING, Kind.BINARY):
            key, panel = ("lanes", ""), Panel("", lanes=True)
        elif column.kind is not Kind.REAL:
            key, panel = ("integers", ""), Panel("integer")
        elif column.unit is not None:
            key, panel = ("unit", column.unit), Panel(column.unit)
        else:
            key, panel = ("part", part), Panel(part)
        found.setdefault(key, panel).columns.append(column)
    return list(found.values())


def _merged(groups: list[Panel]) -> list[Panel]:
    """The largest groups as they are, all others in one panel."""
    lines = [p for p in groups if not p.lanes]
    lanes = [p for p in groups if p.lanes]
    room = MOST_PANELS - len(lanes) - 1
    large = sorted(lines, key=lambda p: len(p.columns), reverse=True)[:room]
    rest = [p for p in lines if all(p is not q for q in large)]
    others = Panel("several units", [column for p in rest for column in p.columns])
    return [*(p for p in lines if any(p is q for q in large)), others, *lanes]


def _told(value: Any) -> str:
    match value:
        case bool(truth):
            return "true" if truth else "false"
        case bytes(data):
            return data.hex()
        case _:
            return str(value)


def _heights(texts: list[str]) -> Vector:
    """Values that are not numeric as heights from 0 to 1: false and true, or in order."""
    levels = {"false", "true"} if set(texts) <= {"false", "true"} else set(texts)
    order = {text: k for k, text in enumerate(sorted(levels))}
    return np.array([order[t] for t in texts], dtype=float) / max(1, len(order) - 1)
