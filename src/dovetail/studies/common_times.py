"""The values of a run at the common times of a study, for runs that all have the same rows."""

from __future__ import annotations

import numpy as np

from ..core.signals import Vector


class CommonTimes:
    """Straight lines between rows, as `between_rows` draws them; where times lie is kept."""

    def __init__(self, times: Vector) -> None:
        self._times = times
        self._rows = b""  # the times of the rows that places were found for
        self._left = self._right = np.zeros(0, dtype=np.intp)
        self._part = np.zeros(0)

    def of(self, rows: Vector) -> Vector:
        """A row of values for each column behind the first, which is the time of each row."""
        time = np.ascontiguousarray(rows[:, 0])
        if (found := time.tobytes()) != self._rows:
            self._look(time)
            self._rows = found
        values = rows[:, 1:]
        begin, end = values[self._left].T, values[self._right].T
        return np.where(self._part > 0, begin + self._part * (end - begin), begin)

    def _look(self, time: Vector) -> None:
        wanted = self._times
        left = np.searchsorted(time, wanted, side="right") - 1
        self._left = np.clip(left, 0, time.size - 1)
        self._right = np.minimum(self._left + 1, time.size - 1)
        size = time[self._right] - time[self._left]
        gone = wanted - time[self._left]
        self._part = np.clip(gone / np.where(size > 0, size, 1.0), 0.0, 1.0)
