"""What comes of a run that is made many times."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.errors import RunError
from ..core.signals import Vector
from ..results.recorders.base import Column


class Unusual(RunError):
    """Something happened that a run from the drawing has to tell about."""


@dataclass(frozen=True, slots=True, eq=False)
class RepeatedRows:
    """What came of one run; `rows` are those of the next one as soon as that is made."""

    columns: tuple[Column, ...]
    rows: Vector  # time, then what was recorded
    doubtful: bool
    windows: int
    evaluations: int


class RepeatedLines:
    """The rows of one run: room for all of them, lent to native code."""

    def __init__(self, most: int, width: int) -> None:
        self._room, self._fill = np.empty((most, width)), 0

    @property
    def filled(self) -> Vector:
        """The rows so far."""
        return self._room[: self._fill]

    def begin(self) -> None:
        """Another run."""
        self._fill = 0

    @property
    def room(self) -> Vector:
        """Room for all rows of a run, for whoever makes it whole."""
        return self._room

    def hold(self, rows: int) -> None:
        """A whole run has so many rows."""
        self._fill = rows

    def row(self, time: float, reals: Vector, discrete: tuple[object, ...]) -> None:
        """Keep one row."""
        line = self._room[self._fill]
        line[0], line[1:] = time, reals
        self._fill += 1

    def lend(self, rows: int) -> Vector:
        """Lines to write into: all that are left."""
        if self._fill == len(self._room):
            raise Unusual
        return self._room[self._fill : self._fill + rows]

    def keep(self, rows: int) -> None:
        """So many of them are filled."""
        self._fill += rows

    def block(self, times: Vector, reals: Vector, discrete: tuple[object, ...] = ()) -> None:
        """Keep many rows."""
        raise Unusual  # only where there are discrete values, and then no such run is made
