"""Tables of other tools as results: text and Excel as people have them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...core.description import Kind
from ..arrays import ArrayTable
from ..held import typed
from ..measured import ReadingOptions, read_measured
from ..measured.columns import Sort
from ..measured.reading import Strictness
from ..recorders.base import TIME, Array, Column

_SORTS: dict[Kind, Sort] = {
    Kind.REAL: "real",
    Kind.INTEGER: "integer",
    Kind.ENUMERATION: "integer",
    Kind.BOOLEAN: "boolean",
    Kind.CLOCK: "boolean",
    Kind.STRING: "text",
    Kind.BINARY: "text",
}
SUFFIXES = (".csv", ".tsv", ".txt", ".xlsx")
_KINDS = {"f": Kind.REAL, "i": Kind.INTEGER, "u": Kind.INTEGER, "b": Kind.BOOLEAN}


def foreign_table(
    path: Path, columns: Sequence[Column] | None = None, missing: str = ""
) -> ArrayTable:
    """The table in a file; `columns` say of what kinds some are.

    Empty cells are NaN, unless `missing` says what becomes of them.
    """
    known = {c.name: c for c in columns or ()}
    sorts = {name: _SORTS[column.kind] for name, column in known.items()}
    passes = Strictness(headless=False, mixed=True, nan=True, gaps=not missing)
    options = ReadingOptions(missing=missing or "error")
    data = read_measured(path, options, sorts=sorts, passes=passes)
    found: list[Column] = []
    arrays: dict[str, Array] = {TIME: data.time}
    for name, array in data.columns.items():
        kind = known[name].kind if name in known else _KINDS.get(array.dtype.kind, Kind.STRING)
        found.append(Column(name, kind, data.units.get(name)))
        arrays[name] = _of_kind(array, kind)
    facts: dict[str, Any] = {"notes": list(data.notes)} if data.notes else {}
    if data.gaps:
        facts["empty cells"] = dict(data.gaps)
    return ArrayTable(found, arrays, facts)


def _of_kind(array: Array, kind: Kind) -> Array:
    if kind is Kind.BINARY:
        return typed([bytes.fromhex(text) for text in array.tolist()], kind)
    if kind is Kind.REAL:
        return np.asarray(array, dtype=float)
    return typed(array.tolist(), kind)
