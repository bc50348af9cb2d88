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
from ..arrays import ArrayTable
from ..held import typed
from ..recorders.base import TIME, Array, Column, RecordedTable, batch_rows
from .foreign import foreign_table
from .schema import arrow_batch, arrow_schema, arrow_type, as_array, columns_of

_HEADER = 2**26  # bytes of the first line


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
    import pyarrow as pa

    known = {c.name: c for c in columns or ()}
    fields = [_parsed(cell) for cell in header]
    types = {
        str(k): arrow_type(_text_kind(known[name].kind))
        for k, (name, _) in enumerate(fields)
        if name in known
    }
    try:
        data = _data(path, offset, delimiter, quoted, len(fields), types)
    except pa.ArrowInvalid:
        return None
    if any(column.null_count for column in data.columns):
        return None
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
            convert_options=ConvertOptions(column_types=types, null_values=[""]),
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
