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
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...core.description import Kind
from ...core.errors import FileError
from ..arrays import ArrayTable
from ..held import typed
from ..recorders.base import TIME, Array, Column, RecordedTable, batch_rows
from .numerals import cells
from .plain_text import plain_columns
from .schema import arrow_type, as_array, columns_of

_CELLS = 2**15  # that are texts at a time
_LOOKS = {  # what a column may be that looks like this, the first by itself
    "f": (Kind.REAL,),
    "i": (Kind.INTEGER, Kind.ENUMERATION, Kind.REAL),
    "b": (Kind.BOOLEAN, Kind.CLOCK),
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
    """Read it all. Kinds are guessed where `columns` do not say."""
    header, delimiter, offset, quoted = _opening(path)
    known = {c.name: c for c in columns or ()}
    fields = [_parsed(cell) for cell in header]
    plain = None if quoted else plain_columns(path, offset, delimiter, len(fields))
    table = _plain_table(fields, plain, known) if plain else None
    if table is not None:
        return table
    import pyarrow as pa

    types = {
        str(k): arrow_type(_text_kind(known[name].kind))
        for k, (name, _) in enumerate(fields)
        if name in known
    }
    try:
        data = _data(path, offset, delimiter, quoted, len(fields), types)
    except pa.ArrowInvalid as error:
        raise FileError(path, f"is no table: {error}") from error
    found = pa.schema(
        [
            pa.field(name, data.column(k).type, metadata=None if unit is None else {"unit": unit})
            for k, (name, unit) in enumerate(fields)
        ]
    )
    time, guessed = columns_of(found, path)
    result = [known.get(c.name, c) for c in guessed]
    kinds: dict[str, Kind] = {time: Kind.REAL} | {c.name: c.kind for c in result}
    arrays = {
        TIME if name == time else name: _from_text(data.column(k), kinds[name])
        for k, (name, _) in enumerate(fields)
    }
    return ArrayTable(result, arrays)


def _plain_table(
    fields: Sequence[tuple[str, str | None]], arrays: Sequence[Array], known: Mapping[str, Column]
) -> ArrayTable | None:
    """The table; None where a column must be of another kind than its cells look like."""
    names = [name for name, _ in fields]
    place = next((k for k, name in enumerate(names) if name.lower() == TIME), 0)
    if arrays[place].dtype.kind == "b":
        return None
    found, columns = {TIME: arrays[place].astype(np.float64, copy=False)}, list[Column]()
    for k, (name, unit) in enumerate(fields):
        if k == place:
            continue
        looks = _LOOKS[arrays[k].dtype.kind]
        column = known.get(name) or Column(name, looks[0], unit)
        if column.kind not in looks:
            return None
        real = column.kind is Kind.REAL
        found[name] = arrays[k].astype(np.float64, copy=False) if real else arrays[k]
        columns.append(column)
    return ArrayTable(columns, found)


def _opening(path: Path) -> tuple[list[str], str, int, bool]:
    """Header, delimiter, where the data begin, and whether there are quotes in them."""
    with path.open("rb") as file:
        raw = file.readline()
        while raw.count(b'"') % 2 and (line := file.readline()):
            raw += line
        offset = file.tell()
        quoted = b'"' in file.readline()
    try:
        text = raw.decode("utf-8-sig").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise FileError(path, "is not a text in UTF-8") from error
    bare = re.sub('"[^"]*"', "", text)
    delimiter = "\t" if path.suffix.lower() == ".tsv" else max(",;\t", key=bare.count)
    header = [cell.strip() for cell in next(csv.reader([text], delimiter=delimiter), [])]
    if "\n" in text:
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        header = [cell.strip() for cell in next(rows)]
    if not any(header):
        raise FileError(path, "is empty", "a table begins with the names of its columns")
    if all(_is_number(cell) for cell in header):
        raise FileError(path, "has no header", "put the names of its columns into the first line")
    doubled = {cell for cell in header if header.count(cell) > 1}
    if doubled:
        raise FileError(path, f"has two columns '{doubled.pop()}'", "give them different names")
    return header, delimiter, offset, quoted


def _data(
    path: Path, offset: int, delimiter: str, quoted: bool, width: int, types: Mapping[str, Any]
) -> Any:
    import pyarrow as pa
    from pyarrow.csv import ConvertOptions, ParseOptions, ReadOptions, read_csv

    names = [str(k) for k in range(width)]
    if path.stat().st_size <= offset:
        return pa.table({name: pa.array([], type=types.get(name, pa.float64())) for name in names})
    with pa.OSFile(str(path)) as file:
        file.seek(offset)
        return read_csv(
            file,
            read_options=ReadOptions(column_names=names),
            parse_options=ParseOptions(delimiter=delimiter, newlines_in_values=quoted),
            convert_options=ConvertOptions(column_types=types),
        )


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


def _text_kind(kind: Kind) -> Kind:
    return Kind.STRING if kind is Kind.BINARY else kind


def _from_text(values: Any, kind: Kind) -> Array:
    if kind is Kind.BINARY:
        return typed([bytes.fromhex(s) for s in values.to_pylist()], kind)
    return as_array(values, kind)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
