"""What plots can show of rows that keep coming: least and largest values in a bounded number of
buckets.

When the buckets are full, neighbours become one. So memory does not grow with a run, and no peak is
lost.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
BUCKETS = 2048  # of a signal; a multiple of two


class Curves:
    """Signals over time, as buckets of rows that follow each other."""

    def __init__(self, names: Sequence[str], buckets: int = BUCKETS) -> None:
        self.names = list(names)
        self.rows = 0
        self._room, self._size, self._fill = buckets, 1, 0  # buckets, rows in each, how many
        width = len(self.names)
        self._first, self._last = np.zeros(buckets), np.zeros(buckets)
        self._least, self._most = np.zeros((buckets, width)), np.zeros((buckets, width))
        self._rises = np.zeros((buckets, width), bool)  # the least value comes first
        self._times, self._open = np.zeros(0), np.zeros((0, width))  # rows of the last bucket

    def add(self, times: Numbers, values: Numbers) -> None:
        """More rows: `values` has one line for each time."""
        self.rows += len(times)
        times = np.concatenate([self._times, times])
        values = np.concatenate([self._open, values])
        done = 0
        while True:
            whole = min((len(times) - done) // self._size, self._room - self._fill)
            end = done + whole * self._size
            self._close(times[done:end], values[done:end], whole)
            done = end
            if self._fill < self._room:
                break
            self._halve()
        self._times, self._open = times[done:].copy(), values[done:].copy()

    def shown(self, names: Sequence[str]) -> tuple[Numbers, Numbers]:
        """Times, and a line for each of the names: at most two points a bucket."""
        places = [self.names.index(name) for name in names]
        fill = self._fill
        if self._size == 1:
            times = np.concatenate([self._first[:fill], self._times])
            return times, np.concatenate([self._least[:fill], self._open])[:, places].T.copy()
        least, most = self._least[:fill, places], self._most[:fill, places]
        rises = self._rises[:fill, places]
        pairs = np.stack([np.where(rises, least, most), np.where(rises, most, least)], axis=1)
        ends = np.stack([self._first[:fill], self._last[:fill]], axis=1)
        times = np.concatenate([ends.ravel(), self._times[-1:]])
        lines = np.concatenate([pairs.reshape(2 * fill, -1), self._open[-1:][:, places]])
        return times, lines.T.copy()

    def _close(self, times: Numbers, values: Numbers, count: int) -> None:
        if not count:
            return
        new = slice(self._fill, self._fill + count)
        grouped = values.reshape(count, self._size, -1)
        moments = times.reshape(count, self._size)
        self._first[new], self._last[new] = moments[:, 0], moments[:, -1]
        with np.errstate(invalid="ignore"):
            self._least[new], self._most[new] = grouped.min(axis=1), grouped.max(axis=1)
            self._rises[new] = grouped.argmin(axis=1) <= grouped.argmax(axis=1)
        self._fill += count

    def _halve(self) -> None:
        """Make one bucket of every two."""
        half = self._room // 2
        least, most = (a.reshape(half, 2, -1) for a in (self._least, self._most))
        rises = self._rises.reshape(half, 2, -1)
        low, high = least.argmin(axis=1), most.argmax(axis=1)
        inside = np.take_along_axis(rises, low[:, None], 1)[:, 0]
        self._rises[:half] = np.where(low == high, inside, low < high)
        self._first[:half] = self._first.reshape(half, 2)[:, 0]
        self._last[:half] = self._last.reshape(half, 2)[:, 1]
        self._least[:half], self._most[:half] = least.min(axis=1), most.max(axis=1)
        self._size, self._fill = 2 * self._size, half


def thinned(times: Numbers, lines: Numbers, buckets: int) -> tuple[Numbers, Numbers]:
    """The same curves by at most two points a bucket: least and largest, in their order."""
    count = len(times)
    if count <= 2 * buckets:
        return times, lines
    curves = Curves([str(k) for k in range(len(lines))], 2 * ((buckets + 1) // 2))
    curves.add(times, lines.T)
    return curves.shown(curves.names)
