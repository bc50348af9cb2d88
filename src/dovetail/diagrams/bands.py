"""Where a long row of columns is broken into several bands below each other, like lines of text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from .layering import Edge

_WIDE = 1500.0  # up to here nothing is broken
_SHAPE = 2.4  # width over height of a picture that suits a page
_BUSY = 12  # links that pass a place where no break is made


@dataclass(frozen=True, slots=True)
class Bands:
    """The first column of each band, and behind them the number of all columns."""

    starts: tuple[int, ...]

    def band(self, column: int) -> int:
        """The band that a column is in."""
        return sum(start <= column for start in self.starts[1:-1])

    def first(self, band: int) -> int:
        """The first column of a band."""
        return self.starts[band]

    def last(self, band: int) -> int:
        """The last column of a band."""
        return self.starts[band + 1] - 1

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.starts) - 1


def bands_of(
    widths: Sequence[float], height: float, columns: Sequence[int], edges: Sequence[Edge]
) -> Bands:
    """Breaks that give the picture a good shape, where few links pass."""
    total, count = sum(widths), len(widths)
    wanted = min(round(sqrt(total / (_SHAPE * max(height, 1.0)))), count)
    if total <= _WIDE or wanted < 2:
        return Bands((0, count))
    passing = [0] * (count + 1)
    for a, b in edges:
        low, high = sorted((columns[a], columns[b]))
        for k in range(low + 1, high + 1):
            passing[k] += 1
    starts, done = [0], 0.0
    for k in range(1, count):
        done += widths[k - 1]
        left = wanted - len(starts)
        if left and done >= total / wanted * len(starts) and passing[k] <= _BUSY:
            starts.append(k)
    return Bands((*starts, count))
