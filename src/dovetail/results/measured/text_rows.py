"""The rows of a text file, without its comments and blank lines."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from ...core.errors import FileError
from .decoding import text_in
from .dialect import Dialect, find_dialect

MARKS = ("#", "%", "//")
BLOCK = 2_000  # rows that are converted at once; few, so that lists do not pile up
_EMPTY = " \t,;|"
_SAMPLE_LINES, _SAMPLE_SIZE, _FEWEST = 200, 2**20, 8
_LONGEST = 2**26  # characters of a line
_DIGITS = frozenset("0123456789")

Row = tuple[int, list[str]]  # the number of a line, its cells


class TextRows:
    """The rows of a text file; `dialect` is how its cells are written."""

    def __init__(self, path: Path, delimiter: str | None, decimal: str | None) -> None:
        self.path = path
        self.lines = text_in(path).split("\n")
        if max(map(len, self.lines)) > _LONGEST:
            raise FileError(path, "has a line of more than 64 million characters", "is it a table?")
        sample = list(self._sample())
        self.dialect: Dialect = find_dialect([line for _, line in sample], delimiter, decimal)
        self.decimal = self.dialect.decimal
        self.sample: list[Row] = [(n, self.dialect.cells(line)) for n, line in sample]
        self.about = ""

    def comment_before(self, number: int) -> list[str]:
        """The cells of the comment right above a line, if there is one."""
        for line in reversed(self.lines[: number - 1]):
            text = line.strip()
            if text.startswith(MARKS):
                bare = text.lstrip("#%/ \t")
                cells = self.dialect.cells(bare)
                return cells if len(cells) > 1 else bare.split()
            if text:
                return []
        return []

    def blocks(self, first: int) -> Iterator[tuple[Sequence[int], list[list[str]]]]:
        """All rows from a line on, some at a time, with the numbers of their lines."""
        rest = self.lines[first - 1 :]
        if any('"' in line for line in rest):
            yield from self._quoted(rest, first)
            return
        for begin in range(0, len(rest), BLOCK):
            lines = rest[begin : begin + BLOCK]
            kept = [k for k, line in enumerate(lines) if line[:1] in _DIGITS or _is_row(line)]
            if len(kept) < len(lines):
                lines = [lines[k] for k in kept]
            yield [k + begin + first for k in kept], self.dialect.split(lines)

    def _quoted(
        self, rest: list[str], first: int
    ) -> Iterator[tuple[Sequence[int], list[list[str]]]]:
        place = 0

        def fed() -> Iterator[str]:
            nonlocal place
            for line in rest:
                place += 1
                yield line + "\n"

        reader = self.dialect.quoted(fed())

        def rows() -> Iterator[Row]:
            begin = 0
            try:
                for row in reader:
                    if _is_row(self.dialect.delimiter.join(row)):
                        yield begin + first, row
                    begin = place
            except csv.Error as error:
                where = f"{self.path}:{begin + first}"
                raise FileError(where, f"it cannot be read as a table: {error}") from None

        found = rows()
        while block := list(islice(found, BLOCK)):
            yield [number for number, _ in block], [row for _, row in block]

    def _sample(self) -> Iterator[tuple[int, str]]:
        size = 0
        rows = ((n, line) for n, line in enumerate(self.lines, 1) if _is_row(line))
        for k, (number, line) in enumerate(rows):
            size += len(line)
            if k >= _SAMPLE_LINES or (size > _SAMPLE_SIZE and k >= _FEWEST):
                return
            yield number, line


def _is_row(line: str) -> bool:
    text = line.strip(_EMPTY)
    return bool(text) and not text.startswith(MARKS)
