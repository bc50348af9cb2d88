"""Curves of any length in little memory: what was lowest and highest in each stretch of rows."""

from __future__ import annotations

import numpy as np

from ...core.signals import Vector


class Envelope:
    """Rows in buckets, each with its first time, lowest and highest values.

    A bucket holds one row at first. Whenever there are more than `most`, two become one.
    """

    def __init__(self, count: int, most: int = 2048) -> None:
        self._most, self._size, self._in_last = most, 1, 0
        self.times = np.empty(0)
        self.low = self.high = np.empty((0, count))

    def add(self, times: Vector, values: Vector) -> None:
        """Take in rows, one line of values each; what is not finite counts as a gap."""
        values = np.where(np.isfinite(values), values, np.nan)
        if self._in_last % self._size and len(times):
            room = self._size - self._in_last
            self._widen(values[:room])
            times, values = times[room:], values[room:]
        if not len(times):
            return
        begins = np.arange(0, len(times), self._size)
        self.times = np.concatenate([self.times, times[begins]])
        self.low = np.concatenate([self.low, np.fmin.reduceat(values, begins)])
        self.high = np.concatenate([self.high, np.fmax.reduceat(values, begins)])
        self._in_last = len(times) - int(begins[-1])
        while len(self.times) > self._most:
            self._halve()

    def _widen(self, values: Vector) -> None:
        """Rows that belong to the last bucket."""
        self.low[-1] = np.fmin(self.low[-1], np.fmin.reduce(values))
        self.high[-1] = np.fmax(self.high[-1], np.fmax.reduce(values))
        self._in_last += len(values)

    def _halve(self) -> None:
        """Two buckets become one."""
        alone = len(self.times) % 2 == 1
        begins = np.arange(0, len(self.times), 2)
        self.times = self.times[begins]
        self.low = np.fmin.reduceat(self.low, begins)
        self.high = np.fmax.reduceat(self.high, begins)
        self._in_last += 0 if alone else self._size
        self._size *= 2
