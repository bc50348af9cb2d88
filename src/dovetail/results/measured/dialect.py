"""What separates the cells of a text, and its decimals: found from a sample of its lines."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from .cells import is_missing, is_number
from .moments import is_moment

_DELIMITERS = (";", "\t", ",", "|", " ")


@dataclass(frozen=True, slots=True)
class Dialect:
    """How cells are written. A blank as delimiter stands for any number of blanks."""

    delimiter: str = ","
    decimal: str = "."

    def split(self, lines: Iterable[str]) -> list[list[str]]:
        """The cells of lines without quotes."""
        delimiter = None if self.delimiter == " " else self.delimiter
        return [line.split(delimiter) for line in lines]

    def quoted(self, lines: Iterable[str]) -> Iterator[list[str]]:
        """The cells of lines that may hold quotes; a cell may go over several lines."""
        reader = csv.reader(lines, delimiter=self.delimiter, skipinitialspace=True)
        if self.delimiter == " ":
            return ([cell for cell in row if cell] for row in reader)
        return iter(reader)

    def cells(self, line: str) -> list[str]:
        """The cells of one line."""
        try:
            return next(self.quoted([line]), []) if '"' in line else self.split([line])[0]
        except csv.Error:  # reported with its line when it is read
            return [line]


def find_dialect(
    lines: Sequence[str], delimiter: str | None = None, decimal: str | None = None
) -> Dialect:
    """The dialect that makes most cells of these lines numbers or dates."""
    best, most = Dialect(delimiter or ",", decimal or "."), 0.0
    for one in _possible(lines) if delimiter is None else (delimiter,):
        for point in (".", ",") if decimal is None else (decimal,):
            if one == point == "," and not any('"' in line for line in lines):
                continue
            found = Dialect(one, point)
            score = _score(lines, found)
            if score > most:
                best, most = found, score
    return best


def _possible(lines: Sequence[str]) -> tuple[str, ...]:
    """Delimiters; no blanks where another one serves all lines, the header among them.

    Blanks may be inside of cells, as in arrays (`1 2 3`) or between date and time.
    """
    for one in _DELIMITERS[:-1]:
        rows = [Dialect(one).cells(line) for line in lines]
        width = len(rows[0]) if rows else 0
        uniform = width > 1 and all(len(row) == width for row in rows)
        if uniform and not any(is_number(cell) or is_moment(cell) for cell in rows[0]):
            return _DELIMITERS[:-1]
    return _DELIMITERS


def modal_width(rows: Iterable[Sequence[str]]) -> int:
    """How many cells most rows have; of several numbers the largest."""
    counts = Counter(map(len, rows))
    return max(counts, key=lambda width: (counts[width], width), default=0)


def _score(lines: Sequence[str], dialect: Dialect) -> float:
    """The share of cells that are understood, where lines have the usual number of cells."""
    rows = [dialect.cells(line) for line in lines]
    width = modal_width(rows)
    if width < 2:
        return 0.0
    usual = [row for row in rows if len(row) == width]
    good = sum(_understood(cell, dialect.decimal) for row in usual for cell in row)
    return good / (width * len(rows))


def _understood(cell: str, decimal: str) -> bool:
    text = cell.strip()
    return is_number(text, decimal) or is_missing(text) or is_moment(text)
