"""Discrete values, kept only where they change."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..core.description import Kind
from ..core.errors import FileError
from ..core.signals import Discrete
from .recorders.base import Array

Values = tuple[Discrete, ...]


class HeldValues:
    """Discrete values by row. Most rows repeat the one before, so only changes are kept."""

    __slots__ = ("changes", "last", "values")

    def __init__(self, changes: Iterable[int] = (), values: Iterable[Values] = ()) -> None:
        self.changes: list[int] = list(changes)
        self.values: list[Values] = list(values)
        self.last: Values = self.values[-1] if self.values else ()

    def change(self, row: int, values: Values) -> None:
        """From this row on these values hold."""
        if self.changes and self.changes[-1] == row:
            self.values[-1] = values
        else:
            self.changes.append(row)
            self.values.append(values)
        self.last = values

    def column(self, place: int, kind: Kind, begin: int, end: int) -> Array:
        """One column, spread out over the rows from `begin` to `end`."""
        lines = np.clip(np.array([*self.changes, end], dtype=np.int64), begin, end)
        return np.repeat(typed([v[place] for v in self.values], kind), np.diff(lines))


def held_in(columns: Sequence[Array]) -> HeldValues:
    """The values in columns of one length, kept only where one of them changes."""
    if not columns or not len(columns[0]):
        return HeldValues()
    new = np.zeros(len(columns[0]), dtype=np.bool_)
    new[0] = True
    for column in columns:
        new[1:] |= column[1:] != column[:-1]
    rows = np.flatnonzero(new)
    return HeldValues(rows.tolist(), zip(*(c[rows].tolist() for c in columns), strict=True))


def typed(values: Iterable[Any], kind: Kind) -> Array:
    """Values of one kind as an array: int64, bool, float64, or objects."""
    values = list(values)
    match kind:
        case Kind.REAL:
            return np.array(values, dtype=np.float64)
        case Kind.BOOLEAN | Kind.CLOCK:
            return np.array(values, dtype=np.bool_)
        case Kind.INTEGER | Kind.ENUMERATION if all(-(2**63) <= v < 2**63 for v in values):
            return np.array(values, dtype=np.int64)
        case _:
            array = np.empty(len(values), dtype=object)
            array[:] = values
            return array


def check_integers(path: Path, places: Mapping[str, tuple[Kind, int]], held: HeldValues) -> None:
    """Refuse what no file could hold."""
    for name, (kind, place) in places.items():
        if kind in (Kind.INTEGER, Kind.ENUMERATION):
            values = typed([v[place] for v in held.values], kind)
            if values.dtype != np.int64:
                what = f"a value of '{name}' does not fit into a column of type int64"
                raise FileError(path, what, "leave it out with `record=`")


def to_json(values: Values) -> bytes:
    """Discrete values as text that is safe to cut a file at."""
    return json.dumps(values, default=_binary_to_json, separators=(",", ":")).encode()


def from_json(text: bytes | str) -> Values:
    """Discrete values from their text."""
    return tuple(_binary_from_json(v) for v in json.loads(text))


def _binary_to_json(value: Any) -> list[str]:
    return [b64encode(bytes(value)).decode()]


def _binary_from_json(value: Any) -> Discrete:
    if isinstance(value, list):
        return b64decode(value[0])
    plain: Discrete = value
    return plain
