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

from ...core.description import Kind
from ...core.errors import FileError
from ..arrays import ArrayTable
from ..held import typed
from ..recorders.base import TIME, Array, Column, RecordedTable, batch_rows
from .schema import arrow_batch, arrow_schema, arrow_type, as_array, columns_of


def write(table: RecordedTable, path: Path, suffix: str) -> None:
    """Write batch by batch."""
    from pyarrow.csv import CSVWriter, WriteOptions

    delimiter = "\t" if suffix.lower() == ".tsv" else ","
    columns = [Column(c.name, _text_kind(c.kind), c.unit) for c in table.columns]
    schema = arrow_schema(columns, {})
    options = WriteOptions(include_header=False, delimiter=delimiter)
    with path.open("wb") as file:
        file.write(_header(table.columns, delimiter))
        with CSVWriter(file, schema, write_options=options) as writer:
            for k, arrays in enumerate(table.batches(batch_rows(table.columns))):
                shown = {TIME: arrays[TIME]} | {
                    c.name: _text_array(arrays[c.name], c.kind) for c in table.columns
                }
                if k == 0:
                    file.write(delimiter.join(_cell(a[0]) for a in shown.values()).encode() + b"\n")
                    shown = {name: array[1:] for name, array in shown.items()}
                writer.write_batch(arrow_batch(schema, shown, path))


def read(path: Path, columns: Sequence[Column] | None) -> ArrayTable:
    """Read it all. Kinds are guessed where `columns` do not say."""
    import pyarrow as pa

    header, delimiter, offset, quoted = _opening(path)
    known = {c.name: c for c in columns or ()}
    fields = [_parsed(cell) for cell in header]
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


def _text_array(array: Array, kind: Kind) -> Array:
    return typed([b.hex() for b in array], Kind.STRING) if kind is Kind.BINARY else array


def _from_text(values: Any, kind: Kind) -> Array:
    if kind is Kind.BINARY:
        return typed([bytes.fromhex(s) for s in values.to_pylist()], kind)
    return as_array(values, kind)


def _cell(value: Any) -> str:
    match value.item() if hasattr(value, "item") else value:
        case bool(truth):
            return "true" if truth else "false"
        case str(text):
            return '"' + text.replace('"', '""') + '"'
        case number:
            return repr(number)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
