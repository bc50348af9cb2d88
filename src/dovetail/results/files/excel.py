"""Excel: a sheet of signals, one with what is known about the run, one for reading it again.

`signals` has `time [s]` and `name [unit]` in its first row. `facts` lists the run, its verdict
and the variables, for people. `dovetail`, which is hidden, holds the same in JSON. Excel has no
NaN and no infinity: they are texts, as are whole numbers with more than 15 digits.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Any

from ...core.description import Kind
from ...core.errors import FileError
from ..arrays import ArrayTable
from ..held import typed
from ..measured.excel_rows import broken, rows_of, workbook
from ..recorders.base import TIME, Array, Column, RecordedTable, batch_rows
from .facts import facts_json
from .foreign import foreign_table
from .jsonfile import finite, infinite

SIGNALS, FACTS, ABOUT = "signals", "facts", "dovetail"
MOST_ROWS, MOST_COLUMNS = 1_048_576, 16_384
_CELL = 30_000  # characters; a cell holds 32,767
_LARGEST = 10**15
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f]|_x(?=[0-9A-Fa-f]{4}_)")
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")


def write(table: RecordedTable, path: Path, suffix: str) -> None:
    """Write row by row."""
    import openpyxl

    check_limits(table, path)
    book = openpyxl.Workbook(write_only=True)
    try:
        _fill(book, table)
        book.save(path)
    except BaseException:
        for sheet in book.worksheets:  # else openpyxl complains when they are thrown away
            with contextlib.suppress(Exception):
                sheet.close()
        raise


def _fill(book: Any, table: RecordedTable) -> None:
    sheet = book.create_sheet(SIGNALS)
    sheet.freeze_panes = "B2"
    columns = (Column(TIME, unit="s"), *table.columns)
    sheet.append([_text(sheet, _labelled(c)) for c in columns])
    for batch in table.batches(batch_rows(table.columns)):
        cells = [_cells(sheet, batch[c.name], c.kind) for c in columns]
        for row in zip(*cells, strict=True):
            sheet.append(row)
    about = book.create_sheet(FACTS)
    about.column_dimensions["A"].width, about.column_dimensions["B"].width = 28, 60
    for line in _facts(table):
        about.append([_text(about, cell) if isinstance(cell, str) else cell for cell in line])
    hidden = book.create_sheet(ABOUT)
    hidden.sheet_state = "hidden"
    listed = [{"name": c.name, "kind": str(c.kind), "unit": c.unit} for c in table.columns]
    facts = finite(json.loads(facts_json(table.facts)))
    text = json.dumps({"columns": listed, "facts": facts}, allow_nan=False)
    for begin in range(0, len(text), _CELL):
        hidden.append([_text(hidden, text[begin : begin + _CELL])])


def check_limits(table: RecordedTable, path: Path) -> None:
    """Refuse what no sheet can hold."""
    if table.rows >= MOST_ROWS:
        what = (
            f"a sheet holds {MOST_ROWS - 1:,} rows below its header, and there are {table.rows:,}"
        )
        raise FileError(
            path, what, "take .parquet or .csv, or keep fewer rows (--every, dv.Sampling)"
        )
    if len(table.columns) >= MOST_COLUMNS:
        count = len(table.columns)
        what = f"a sheet holds {MOST_COLUMNS - 1:,} variables beside time, and there are {count:,}"
        raise FileError(path, what, "take .parquet or .csv, or record fewer of them")


def read(path: Path, columns: Sequence[Column] | None) -> ArrayTable:
    """Read it all: what `write` has written, or a sheet of another tool."""
    book = workbook(path)
    if not {SIGNALS, ABOUT} <= set(book.sheetnames):
        return foreign_table(path, columns)
    try:
        pieces = rows_of(book[ABOUT], path)
        about = json.loads("".join(_unescaped(str(row[0])) for row in pieces))
        found = [Column(c["name"], Kind(c["kind"]), c["unit"]) for c in about["columns"]]
        rows = list(rows_of(book[SIGNALS], path, 2))
        kinds = [Kind.REAL, *(c.kind for c in found)]
        lists = list(zip(*rows, strict=True)) if rows else [()] * len(kinds)
        names = (TIME, *(c.name for c in found))
        arrays = {
            name: typed([_value(cell, kind) for cell in cells], kind)
            for name, kind, cells in zip(names, kinds, lists, strict=True)
        }
        return ArrayTable(found, arrays, infinite(about["facts"]))
    except FileError:
        raise
    except Exception as error:  # whatever somebody has done to the file since
        raise broken(path, error) from None


def _labelled(column: Column) -> str:
    return column.name if column.unit is None else f"{column.name} [{column.unit}]"


def _text(sheet: Any, text: str) -> Any:
    """A cell of text that Excel takes for nothing else, such as a formula."""
    from openpyxl.cell import WriteOnlyCell

    cell = WriteOnlyCell(sheet, value=_escaped(text))
    cell.data_type = "s"
    return cell


def _escaped(text: str) -> str:
    return _CONTROL.sub(lambda found: f"_x{ord(found[0][0]):04X}_" + found[0][1:], text)


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)


def _cells(sheet: Any, array: Array, kind: Kind) -> list[Any]:
    """Values as cells of Excel."""
    match kind:
        case Kind.REAL:
            return [_real(sheet, v) for v in array.tolist()]
        case Kind.INTEGER | Kind.ENUMERATION:
            return [v if abs(v) < _LARGEST else str(v) for v in array.tolist()]
        case Kind.STRING:
            return [_text(sheet, v) for v in array.tolist()]
        case Kind.BINARY:
            return [_text(sheet, bytes(v).hex()) for v in array.tolist()]
    return [bool(v) for v in array.tolist()]


def _real(sheet: Any, value: float) -> Any:
    """A number with all its digits; openpyxl by itself writes 16 of them."""
    from openpyxl.cell import WriteOnlyCell

    if not isfinite(value):
        return str(finite(value))
    if float(f"{value:.16g}") == value and str(value) != "-0.0":
        return value
    cell = WriteOnlyCell(sheet, value=0.0)
    cell._value = repr(value)
    return cell


def _value(cell: Any, kind: Kind) -> Any:
    match kind:
        case Kind.REAL:
            return float(infinite(cell))
        case Kind.INTEGER | Kind.ENUMERATION:
            return int(cell)
        case Kind.STRING:
            return "" if cell is None else _unescaped(str(cell))
        case Kind.BINARY:
            return bytes.fromhex(cell or "")
    return bool(cell)


def _facts(table: RecordedTable) -> Iterator[list[Any]]:
    """What is known about the run, for people; then the variables."""
    for name, value in finite(json.loads(facts_json(table.facts))).items():
        inner = value.items() if isinstance(value, Mapping) else [("", value)]
        for key, one in inner:
            title = f"{name}.{key}" if key else name
            plain = isinstance(one, str | int | float | bool) or one is None
            yield [title, one if plain and not isinstance(one, str) else str(one)[:_CELL]]
    yield []
    yield ["variable", "kind", "unit"]
    for column in table.columns:
        yield [column.name, str(column.kind), column.unit or ""]
