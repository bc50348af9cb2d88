"""Text: comma- or tab-separated, units in the header, every number exact.

    time [s],prey.preys,valve.open,tank.level [m]
    0.0,1.0,true,0.25

Reals of the first row always look like reals (`1.0`, not `1`), so that a reader sees it. Text
holds no facts about the run.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ...core.description import Kind
from ..arrays import ArrayTable
from ..held import typed
from ..recorders.base import TIME, Array, Column, RecordedTable, batch_rows
from .foreign import foreign_table
from .numerals import cells
from .plain_text import plain_columns, quoted_columns

_HEADER = 2**26  # bytes of the first line
_CELLS = 2**15  # that are texts at a time
_LOOKS = {  # what a column may be that looks like this, the first by itself
    "f": (Kind.REAL,),
    "i": (Kind.INTEGER, Kind.ENUMERATION, Kind.REAL),
    "b": (Kind.BOOLEAN, Kind.CLOCK),
    "O": (Kind.STRING, Kind.BINARY),
}


def write(table: RecordedTable, path: Path, suffix: str) -> None:
    """Write batch by batch, some rows of it at a time."""
    delimiter = "\t" if suffix.lower() == ".tsv" else ","
    kinds = {TIME: Kind.REAL} | {c.name: c.kind for c in table.columns}
    room = max(1, _CELLS // len(kinds))
    first = True
    with path.open("wb") as file:
        file.write(_header(table.columns, delimiter))
        for arrays in table.batches(batch_rows(table.columns)):
            for begin in range(0, len(arrays[TIME]), room):
                shown = [cells(arrays[n][begin : begin + room], kinds[n]) for n in kinds]
                if first:
                    for n, column in zip(kinds, shown, strict=True):
                        if kinds[n] is Kind.REAL:
                            column[0] = repr(float(arrays[n][0]))
                first = False
                lines = map(delimiter.join, zip(*shown, strict=True))
                file.write(("\n".join(lines) + "\n").encode("utf-8", "replace"))


def read(path: Path, columns: Sequence[Column] | None) -> ArrayTable:
    """Read it all. Kinds are guessed where `columns` do not say.

    What `write` has written is read quickly, all else as people have it.
    """
    opening = _opening(path)
    table = None if opening is None else _ours(path, columns, *opening)
    return foreign_table(path, columns) if table is None else table


def _ours(
    path: Path,
    columns: Sequence[Column] | None,
    header: list[str],
    delimiter: str,
    offset: int,
    quoted: bool,
) -> ArrayTable | None:
    """The table of a file as `write` writes it; None if it is another one after all."""
    known = {c.name: c for c in columns or ()}
    fields = [_parsed(cell) for cell in header]
    if path.stat().st_size <= offset:
        found = [known.get(name, Column(name, unit=unit)) for name, unit in fields[1:]]
        return ArrayTable(found, {TIME: np.zeros(0)} | {c.name: typed([], c.kind) for c in found})
    texts = {
        k for k, (name, _) in enumerate(fields) if name in known and known[name].kind in _LOOKS["O"]
    }
    arrays = None
    if not quoted and not texts:
        arrays = plain_columns(path, offset, delimiter, len(fields))
    if arrays is None:
        arrays = quoted_columns(path, offset, delimiter, len(fields), texts)
    if arrays is None or arrays[0].dtype.kind not in "fi":
        return None
    found = []
    for array, (name, unit) in zip(arrays[1:], fields[1:], strict=True):
        looks = _LOOKS[array.dtype.kind]
        found.append(known.get(name) or Column(name, looks[0], unit))
        if found[-1].kind not in looks:
            return None
    kinds = [Kind.REAL, *(c.kind for c in found)]
    names = [TIME, *(c.name for c in found)]
    made = map(_of_kind, arrays, kinds)
    return ArrayTable(found, dict(zip(names, made, strict=True)))


def _of_kind(array: Array, kind: Kind) -> Array:
    if kind is Kind.REAL:
        return array.astype(np.float64, copy=False)
    return typed(map(bytes.fromhex, array), kind) if kind is Kind.BINARY else array


def _opening(path: Path) -> tuple[list[str], str, int, bool] | None:
    """Header, delimiter, where the data begin, whether there are quotes; None if not ours."""
    delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
    with path.open("rb") as file:
        raw = file.readline(_HEADER)
        while raw.count(b'"') % 2 and len(raw) < _HEADER and (line := file.readline(_HEADER)):
            raw += line
        offset = file.tell()
        quoted = b'"' in file.readline(_HEADER)
    try:
        text = raw.decode("utf-8").rstrip("\r\n")
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        header = next(rows, [])
    except (UnicodeDecodeError, csv.Error):
        return None
    names = [_parsed(cell)[0] for cell in header]
    ours = header[:1] == ["time [s]"] and len(set(names)) == len(names) and not next(rows, None)
    return (header, delimiter, offset, quoted) if ours else None


def _header(columns: Sequence[Column], delimiter: str) -> bytes:
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    writer.writerow([_labelled(c) for c in (Column(TIME, unit="s"), *columns)])
    return out.getvalue().encode()


def _labelled(column: Column) -> str:
    """The name and its unit in brackets; empty ones where the name itself ends like that."""
    if column.unit is None and _parsed(column.name)[1] is None:
        return column.name
    return f"{column.name} [{column.unit or ''}]"


def _parsed(cell: str) -> tuple[str, str | None]:
    found = re.fullmatch(r"(.*) \[(.*)\]", cell, re.DOTALL)
    return (found[1], found[2] or None) if found else (cell, None)
