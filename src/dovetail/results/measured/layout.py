"""Where the header of a table is, where its rows begin, and what its columns are called."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ...core.errors import FileError
from .cells import is_missing, is_number, shown
from .dialect import modal_width
from .headers import is_unit, name_and_unit, unit_in
from .moments import is_moment
from .options import ReadingOptions
from .text_rows import Row

_LONGEST_NAME = 1000


class SampledRows(Protocol):
    """Rows of which the first are known."""

    path: Path
    sample: list[Row]
    decimal: str

    def comment_before(self, number: int) -> list[str]:
        """The cells of the comment right above a line, if there is one."""


@dataclass(frozen=True, slots=True)
class TableLayout:
    """Names and units of all columns; rows begin in line `first`, None where there are none."""

    names: tuple[str, ...]
    units: tuple[str | None, ...]
    first: int | None
    header: list[str] | None
    note: str = ""


def find_layout(rows: SampledRows, options: ReadingOptions, *, headless: bool) -> TableLayout:
    """The layout of a table; `headless` allows that there is no header."""
    path, sample = rows.path, rows.sample
    if not sample:
        raise FileError(path, "is empty", "a table begins with the names of its columns")
    begin = _first_data(sample, rows.decimal)
    data = sample[begin:]
    width = modal_width(cells for _, cells in data) if data else len(sample[0][1])
    header, units = _above(sample, begin, width)
    if header is None and options.columns is None and begin and len(sample[begin - 1][1]) > 1:
        raise uneven(path, data[0][0], width, len(sample[begin - 1][1]))
    first = data[0][0] if data else None
    note = ""
    if header is None and first is not None:
        commented = rows.comment_before(first)
        header = commented if len(commented) == width else None
    if header is None and options.columns is None:
        if not headless:
            remedy = "put the names of its columns into the first line"
            raise FileError(path, "has no header", remedy)
        names = ", ".join(f"c{k}" for k in range(1, min(width, 3) + 1))
        note = f"has no header: its columns are {names}{', ...' if width > 3 else ''}"
    cells = header or [f"c{k}" for k in range(1, width + 1)]
    named = [name_and_unit(cell) for cell in cells]
    own = units or [None] * len(cells)
    found = [unit or under for (_, unit), under in zip(named, own, strict=True)]
    names_found = [name or f"c{k}" for k, (name, _) in enumerate(named, 1)]
    if options.columns is not None:
        names_found = _given(path, options.columns, len(cells))
    check_column_names(path, names_found)
    return TableLayout(tuple(names_found), tuple(found), first, header, note)


def uneven(path: Path, line: int, found: int, wanted: int) -> FileError:
    """The error for a row with more or fewer cells than the header."""
    cells = f"{found} cell{'s' * (found != 1)}"
    what = f"it cannot be read as a table: this line has {cells}, the header {wanted}"
    return FileError(f"{path}:{line}", what, "every line needs the same number of them")


def _first_data(sample: Sequence[Row], decimal: str) -> int:
    """The first row of numbers; behind the sample if there is none."""

    def counts(cell: str) -> bool:
        return is_number(cell, decimal) or is_moment(cell)

    width = modal_width(cells for _, cells in sample)
    usual = [cells for _, cells in sample if len(cells) == width]
    tail = usual[len(usual) // 2 :]  # without text that may stand above the table
    expected = [k for k in range(width) if 2 * sum(counts(r[k]) for r in tail) >= len(tail)]
    for place, (_, cells) in enumerate(sample):
        hits = misses = 0
        for k in expected:
            if k < len(cells) and counts(cells[k]):
                hits += 1
            elif k < len(cells) and not is_missing(cells[k]):
                misses += 1
        if len(cells) >= min(width, 2) and hits > misses:
            return place
        if hits and counts(cells[expected[0]]) and _is_header(sample[:place], expected, counts):
            return place  # there is text among its numbers, which is told where they are read
    return len(sample)


def _is_header(
    above: Sequence[Row], expected: Sequence[int], counts: Callable[[str], bool]
) -> bool:
    """Whether the row right above has text wherever there are numbers below."""
    cells = above[-1][1] if above else ()
    here = [cells[k] for k in expected if k < len(cells)]
    return len(here) == len(expected) and not any(counts(c) or is_missing(c) for c in here)


def _above(
    sample: Sequence[Row], begin: int, width: int
) -> tuple[list[str] | None, list[str | None] | None]:
    """The header above the first row of numbers, and the row of units between the two."""
    above = [cells for _, cells in sample[:begin]]
    if begin == len(sample) and sample:
        return above[0], None
    if not above or not _as_wide(above[-1], width):
        return None, None
    if len(above) > 1 and _as_wide(above[-2], width) and _are_units(above[-1]):
        units = [unit_in(cell) for cell in _cut(above[-1], width)]
        return _cut(above[-2], width), units
    return _cut(above[-1], width), None


def _as_wide(cells: Sequence[str], width: int) -> bool:
    return len(cells) >= width and not any(cell.strip() for cell in cells[width:])


def _cut(cells: Sequence[str], width: int) -> list[str]:
    return [cell.strip() for cell in cells[:width]]


def _are_units(cells: Sequence[str]) -> bool:
    """Whether most cells that are not empty name units."""
    filled = [cell.strip() for cell in cells if not is_missing(cell)]
    units = [cell for cell in filled if is_unit(cell.strip("[]() "))]
    return bool(units) and 2 * len(units) >= len(filled)


def _given(path: Path, names: Sequence[str], width: int) -> list[str]:
    if len(names) != width:
        what = f"has {width} columns, but columns=[...] names {len(names)}"
        raise FileError(path, what, "name all of them, that of time too")
    return list(names)


def check_column_names(path: Path, names: Sequence[str]) -> None:
    """Refuse names that cannot be shown, or stand twice."""
    for k, name in enumerate(names, 1):
        if not name.isprintable() or len(name) > _LONGEST_NAME:
            what = f"the name of its column {k} is {shown(name)}"
            remedy = "give it a printable, shorter name, or name all columns with columns=[...]"
            raise FileError(path, what, remedy)
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        remedy = "give them different names, or name all columns with columns=[...]"
        raise FileError(path, f"the column '{twice}' is there twice", remedy)
