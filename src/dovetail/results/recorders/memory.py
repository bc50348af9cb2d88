"""Rows kept in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core.description import Kind
from ...core.errors import OptionError
from ...core.signals import Discrete, Vector
from ..held import HeldValues, from_json, to_json
from .base import TIME, Array, Column, RecordedTable, checked, regrouped

FIRST_ROWS = 256
CHUNK_BYTES = 2**23


@dataclass(frozen=True, slots=True)
class Memory:
    """Keeps every row in memory."""

    def open(self, columns: Sequence[Column]) -> MemoryRecording:
        """Begin a recording."""
        return MemoryRecording(checked(columns))

    def reopen(self, columns: Sequence[Column], position: Mapping[str, Any]) -> MemoryRecording:
        """Go on from a checkpoint, which holds the rows themselves."""
        if "reals" not in position:
            remedy = "resume with the recorder that the run had"
            raise OptionError(f"the checkpoint holds no rows; {remedy}")
        recording = self.open(columns)
        recording.block(position["time"], position["reals"])
        values = [from_json(line) for line in position["discrete"]]
        recording.held = HeldValues(map(int, position["changes"]), values)
        return recording


class MemoryRecording:
    """Rows in preallocated chunks: time in the first place of a line, then the reals."""

    def __init__(self, columns: tuple[Column, ...]) -> None:
        self.columns = columns
        self.held = HeldValues()
        self._width = 1 + sum(c.is_real for c in columns)
        self._full: list[Vector] = []
        self._full_rows = 0
        self._fill = 0
        self._take(FIRST_ROWS)

    @property
    def rows(self) -> int:
        """How many rows there are so far."""
        return self._full_rows + self._fill

    def row(self, time: float, reals: Vector, discrete: tuple[Discrete, ...]) -> None:
        """Keep one row."""
        fill = self._fill
        if fill == self._room:
            self._next_chunk()
            fill = 0
        self._times[fill] = time
        self._reals[fill] = reals
        if discrete != self.held.last:
            self.held.change(self._full_rows + fill, discrete)
        self._fill = fill + 1

    def block(self, times: Vector, reals: Vector, discrete: tuple[Discrete, ...] = ()) -> None:
        """Keep many rows at once."""
        if discrete != self.held.last and len(times):
            self.held.change(self.rows, discrete)
        done = 0
        while done < len(times):
            if self._fill == self._room:
                self._next_chunk()
            count = min(len(times) - done, self._room - self._fill)
            place = slice(self._fill, self._fill + count)
            self._times[place] = times[done : done + count]
            self._reals[place] = reals[done : done + count]
            self._fill += count
            done += count

    def lend(self, rows: int) -> Vector:
        """Lines to write time and reals into: as many as there is room for, at the most `rows`."""
        if self._fill == self._room:
            self._next_chunk()
        return self._chunk[self._fill : self._fill + rows]

    def keep(self, rows: int) -> None:
        """So many of the lines that were lent are filled; no discrete values."""
        if rows and self.held.last != ():
            self.held.change(self.rows, ())
        self._fill += rows

    def position(self) -> dict[str, Any]:
        """All rows so far."""
        lines = np.concatenate(self._lines())
        return {
            "rows": len(lines),
            "time": lines[:, 0].copy(),
            "reals": lines[:, 1:].copy(),
            "changes": list(self.held.changes),
            "discrete": [to_json(v).decode() for v in self.held.values],
        }

    def show(self, inside: Mapping[str, RecordedTable]) -> None:
        """The result has them; there is nothing to do."""

    def close(self, facts: Mapping[str, Any]) -> MemoryTable:
        """The rows as a table."""
        return MemoryTable(self.columns, dict(facts), tuple(self._lines()), self.held)

    def _lines(self) -> list[Vector]:
        return [*self._full, self._chunk[: self._fill]]

    def _next_chunk(self) -> None:
        self._full.append(self._chunk)
        self._full_rows += self._room
        self._take(max(1, min(2 * self._room, CHUNK_BYTES // (8 * self._width))))
        self._fill = 0

    def _take(self, rows: int) -> None:
        self._room = rows
        self._chunk = np.empty((rows, self._width))
        self._times, self._reals = self._chunk[:, 0], self._chunk[:, 1:]


class MemoryTable:
    """Columns assembled from chunks of rows, each once, when it is asked for."""

    def __init__(
        self,
        columns: tuple[Column, ...],
        facts: Mapping[str, Any],
        chunks: tuple[Vector, ...],
        held: HeldValues,
    ) -> None:
        self.columns, self.facts = columns, facts
        self.rows = sum(len(chunk) for chunk in chunks)
        self._chunks, self._held = chunks, held
        self._places = places(columns)
        self._assembled: dict[str, Array] = {}

    @property
    def time(self) -> Vector:
        """The time of each row."""
        return self[TIME]

    def __getitem__(self, name: str) -> Array:
        if name not in self._assembled:
            kind, place = self._places[name]
            if kind is Kind.REAL:
                array = np.concatenate([chunk[:, place] for chunk in self._chunks])
            else:
                array = self._held.column(place, kind, 0, self.rows)
            array.flags.writeable = False
            self._assembled[name] = array
        return self._assembled[name]

    def last(self) -> dict[str, Any]:
        """The last row."""
        if not self.rows:
            return {}
        line = next(chunk[-1] for chunk in reversed(self._chunks) if len(chunk)).tolist()
        values = self._held.last
        return {
            name: line[place] if kind is Kind.REAL else values[place]
            for name, (kind, place) in self._places.items()
        }

    def batches(self, size: int) -> Iterator[dict[str, Array]]:
        """All columns in chunks, without assembling any of them."""
        return regrouped(self._groups(size), size)

    def _groups(self, size: int) -> Iterator[dict[str, Array]]:
        begin = 0
        for chunk in self._chunks:
            for first in range(0, len(chunk), size):
                lines = chunk[first : first + size]
                end = begin + len(lines)
                yield {
                    name: lines[:, place].copy()
                    if kind is Kind.REAL
                    else self._held.column(place, kind, begin, end)
                    for name, (kind, place) in self._places.items()
                }
                begin = end


def places(columns: Sequence[Column]) -> dict[str, tuple[Kind, int]]:
    """Where each column lies: in a line that begins with time, or among the discrete values."""
    found: dict[str, tuple[Kind, int]] = {TIME: (Kind.REAL, 0)}
    reals, discrete = 1, 0
    for column in columns:
        if column.is_real:
            found[column.name] = (column.kind, reals)
            reals += 1
        else:
            found[column.name] = (column.kind, discrete)
            discrete += 1
    return found
