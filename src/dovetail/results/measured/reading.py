"""A file of measured data as columns of numbers over time."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...core.errors import FileError
from ...core.signals import Vector
from ..recorders.base import Array
from .cells import is_missing, shown
from .clocks import TimeColumn, is_split, seconds_of_moments, seconds_of_numbers, time_column
from .columns import ColumnBuilder, NotOfSort, Sort
from .excel_rows import ExcelRows
from .filling import in_order, refuse_missing, without_gaps
from .layout import TableLayout, find_layout, uneven
from .moments import BadCell
from .options import ReadingOptions
from .text_rows import TextRows

EXCEL = (".xlsx", ".xlsm")


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredData:
    """Columns over time in seconds; `gaps` counts empty cells by column.

    `notes` are sentences without their subject, the data.
    """

    time: Vector
    columns: Mapping[str, Array]
    units: Mapping[str, str]
    time_name: str
    notes: tuple[str, ...] = ()
    gaps: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Strictness:
    """What a reader lets pass: `headless` files, text among numbers, NaN as a number, gaps."""

    headless: bool = True
    mixed: bool = False
    nan: bool = False
    gaps: bool = False  # empty cells stay NaN


def read_measured(
    path: Path,
    options: ReadingOptions = ReadingOptions(),
    *,
    sorts: Mapping[str, Sort] | None = None,
    passes: Strictness = Strictness(),
) -> MeasuredData:
    """The table in a text or Excel file. `sorts` says of some columns what they hold."""
    suffix = path.suffix.lower()
    rows: Any
    if suffix in EXCEL:
        rows = ExcelRows(path, options.sheet)
    else:
        delimiter = options.delimiter or ("\t" if suffix == ".tsv" else None)
        rows = TextRows(path, delimiter, options.decimal)
    layout = find_layout(rows, options, headless=passes.headless)
    place = time_column(path, layout.names, options.time)
    builders, lines = _built(rows, layout, place, sorts or {}, passes)
    notes = [note for note in (rows.about, layout.note) if note]
    refuses = options.missing == "error" and not passes.gaps
    return _assembled(path, layout, place, builders, lines, options, notes, refuses)


def _built(
    rows: Any, layout: TableLayout, place: int, sorts: Mapping[str, Sort], passes: Strictness
) -> tuple[list[ColumnBuilder], list[int]]:
    """Every column, read again where one turns out to be text further down."""
    texts: set[int] = set()
    while True:
        builders = [
            ColumnBuilder(
                rows.decimal,
                "text" if k in texts else sorts.get(name),
                strict=not passes.mixed and k != place,
                nan_counts=not passes.nan,
            )
            for k, name in enumerate(layout.names)
        ]
        found = _filled_builders(rows, layout, builders, texts)
        if found is not None:
            return builders, found


def _filled_builders(
    rows: Any, layout: TableLayout, builders: list[ColumnBuilder], texts: set[int]
) -> list[int] | None:
    """The numbers of all lines; None if a column has to be read as text."""
    lines: list[int] = []
    if layout.first is None:
        return lines
    width = len(layout.names)
    for given, found in rows.blocks(layout.first):
        numbers, block = _even(rows.path, layout, width, given, found)
        for k, cells in enumerate(zip(*block, strict=True)):
            try:
                builders[k].add(cells)
            except NotOfSort:
                texts.add(k)
                return None
            except BadCell as bad:
                line = numbers[bad.row - builders[k].rows]
                raise _not_a_number(rows.path, line, layout.names[k], str(bad)) from None
        lines += numbers
    return lines


def _even(
    path: Path, layout: TableLayout, width: int, numbers: Sequence[int], block: list[list[str]]
) -> tuple[Sequence[int], list[list[str]]]:
    """Rows of one width: without empty cells behind the last column, or a header once more."""
    if set(map(len, block)) == {width}:
        first = layout.header[0] if layout.header else None
        if first is None or not any(first in row[0] for row in block):
            return numbers, block
    kept: list[int] = []
    for k, row in enumerate(block):
        if len(row) > width and not any(cell.strip() for cell in row[width:]):
            del row[width:]
        if len(row) != width:
            raise uneven(path, numbers[k], len(row), width)
        if [cell.strip() for cell in row] != layout.header:
            kept.append(k)
    return [numbers[k] for k in kept], [block[k] for k in kept]


def _not_a_number(path: Path, line: int, name: str, text: str) -> FileError:
    what = f"column '{name}' holds {shown(text)} among numbers"
    remedy = (
        f"correct it, empty it and say missing='interpolate', or say types={{'{name}': 'string'}}"
    )
    return FileError(f"{path}:{line}", what, remedy)


def _assembled(
    path: Path,
    layout: TableLayout,
    place: int,
    builders: list[ColumnBuilder],
    lines: list[int],
    options: ReadingOptions,
    notes: list[str],
    refuses: bool,
) -> MeasuredData:
    """Times in seconds and in order, gaps as the user wants them."""
    names = list(layout.names)
    clock = builders[place]
    used = {place}
    if clock.missing and options.missing != "drop":
        what = f"the time column, '{names[place]}', has no time in this line"
        raise FileError(f"{path}:{lines[clock.missing[0]]}", what, "missing='drop' leaves it out")
    if clock.sort == "text":
        seconds, used = _moments(path, names, place, builders, lines, options)
    else:
        where = place, names[place]
        seconds = seconds_of_numbers(path, clock.array(), layout.units[place], where, options)
    notes += seconds.notes
    time = seconds.values
    data = {k: b.array() for k, b in enumerate(builders) if k not in used}
    gaps = {names[k]: builders[k].missing for k in data}
    data = _without_empty(layout, data, gaps, len(lines))
    gaps = {names[k]: gaps[names[k]] for k in data}
    if refuses:
        refuse_missing(path, lines, gaps)
    known = {names[k]: array for k, array in data.items()}
    rows, said = in_order(path, time, lines, {**gaps, names[place]: clock.missing}, options)
    columns, more = without_gaps(time, known, gaps, rows, options)
    notes += [*said, *more]
    units = {names[k]: unit for k in data if (unit := layout.units[k])}
    units |= {name: unit for name, unit in options.units.items() if name in columns}
    counts = {name: len(cells) for name, cells in gaps.items() if cells}
    return MeasuredData(time[rows], columns, units, names[place], tuple(notes), counts)


def _moments(
    path: Path,
    names: Sequence[str],
    place: int,
    builders: list[ColumnBuilder],
    lines: list[int],
    options: ReadingOptions,
) -> tuple[TimeColumn, set[int]]:
    """Date-times, also where date and time of day stand in two columns."""
    cells = builders[place].array().tolist()
    if options.missing == "drop":  # left out later; until then any time will do
        builders[place].missing += [k for k, cell in enumerate(cells) if is_missing(cell)]
        some = next((cell for cell in cells if not is_missing(cell)), "")
        cells = [some if is_missing(cell) else cell for cell in cells]
    used, where = {place}, (place, names[place])
    note = ""
    beside = builders[place + 1] if place + 1 < len(builders) else None
    if beside is not None and beside.sort == "text":
        after = beside.array().tolist()
        if is_split(cells, after):
            cells = [f"{day} {time}" for day, time in zip(cells, after, strict=True)]
            used.add(place + 1)
            note = f"has its time in two columns, '{names[place]}' and '{names[place + 1]}'"
    found = seconds_of_moments(path, cells, lines, where, options)
    return (TimeColumn(found.values, (note, *found.notes)) if note else found), used


def _without_empty(
    layout: TableLayout, data: dict[int, Array], gaps: Mapping[str, Collection[int]], rows: int
) -> dict[int, Array]:
    """Without columns that have neither a name nor a value, as behind a last delimiter."""
    header = layout.header or []

    def bare(k: int) -> bool:
        return k < len(header) and not header[k] and len(gaps[layout.names[k]]) == rows

    return {k: array for k, array in data.items() if not bare(k)}
