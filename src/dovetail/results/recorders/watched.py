"""A recording that something else looks at: rows are handed on, and shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from ...core.signals import Discrete, Vector
from .base import RecordedTable, Recording, SupportsIntermediate, SupportsLending


class Onlooker(Protocol):
    """Sees rows as they are recorded."""

    def row(self, time: float, reals: Vector, discrete: tuple[Discrete, ...]) -> None:
        """One row."""

    def block(self, times: Vector, reals: Vector, discrete: tuple[Discrete, ...]) -> None:
        """Many rows at once."""


class WatchedRecording:
    """Hands every row on to `inner`, and lets an onlooker see it.

    It lends memory for native code: that of `inner` where it has some, else its own.
    """

    def __init__(self, inner: Recording, width: int, onlooker: Onlooker) -> None:
        self.inner, self._onlooker = inner, onlooker
        self._width = width  # of a line: time and the real columns
        self._lines = np.empty((0, width))

    @property
    def rows(self) -> int:
        """How many rows it has so far."""
        return self.inner.rows

    def row(self, time: float, reals: Vector, discrete: tuple[Discrete, ...]) -> None:
        """Keep one row."""
        self.inner.row(time, reals, discrete)
        self._onlooker.row(time, reals, discrete)

    def block(self, times: Vector, reals: Vector, discrete: tuple[Discrete, ...] = ()) -> None:
        """Keep many rows at once."""
        self.inner.block(times, reals, discrete)
        self._onlooker.block(times, reals, discrete)

    def lend(self, rows: int) -> Vector:
        """Lines to write time and reals into."""
        if isinstance(self.inner, SupportsLending):
            self._lines = self.inner.lend(rows)
        elif len(self._lines) < rows:
            self._lines = np.empty((rows, self._width))
        return self._lines

    def keep(self, rows: int) -> None:
        """So many of them are filled."""
        times, reals = self._lines[:rows, 0], self._lines[:rows, 1:]
        if isinstance(self.inner, SupportsLending):
            self.inner.keep(rows)
        else:
            self.inner.block(times, reals)
        self._onlooker.block(times, reals, ())

    def position(self) -> dict[str, Any]:
        """Where the recording stands."""
        return self.inner.position()

    def show(self, inside: Mapping[str, RecordedTable]) -> None:
        """What parts showed inside their windows, handed on as it is."""
        if isinstance(self.inner, SupportsIntermediate):
            self.inner.show(inside)

    def close(self, facts: Mapping[str, Any]) -> RecordedTable:
        """End the recording."""
        return self.inner.close(facts)
