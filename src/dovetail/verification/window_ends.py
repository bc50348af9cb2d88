"""Ends of windows that a run tells while it goes on, to a companion that follows it."""

from __future__ import annotations

import os
import tempfile
import time
from bisect import bisect_right
from collections.abc import Iterable
from math import inf

import numpy as np

from ..core.signals import Discrete, Vector

_BYTES = 8  # of a time
_SHORTEST, _LONGEST = 5e-4, 2e-2  # s: between two looks for more
_SLACK = 1e-9  # of a window: an end as near as that is reached


class WindowEnds:
    """Times that one process appends and another reads, in a file without a name.

    An onlooker of the recording of the run: every row is the end of a window, and those inside
    windows of two steps are as well.
    """

    def __init__(self, times: Iterable[float] = ()) -> None:
        self._file = tempfile.TemporaryFile("a+b", buffering=0)  # noqa: SIM115
        self._told, self._parent = -inf, os.getpid()
        self._known: list[float] = []
        self._all = np.zeros(0)  # the same
        self._bytes_read, self._closed = 0, False
        for t in times:
            self._tell(t)

    def row(self, time: float, reals: Vector, discrete: tuple[Discrete, ...]) -> None:
        """One row."""
        self._tell(time)

    def block(self, times: Vector, reals: Vector, discrete: tuple[Discrete, ...]) -> None:
        """Many rows at once."""
        new = np.asarray(times, dtype=float)
        new = new[np.diff(new, prepend=self._told) > 0]
        if len(new):
            self._told = float(new[-1])
            self._file.write(new.tobytes())

    def end(self) -> None:
        """There will be no more."""
        self._file.write(np.array([inf]).tobytes())

    def close(self) -> None:
        """Nobody will read them any more."""
        self._file.close()

    def around(self, now: float) -> tuple[float, ...]:
        """The ends of the two windows that a time lies in: windows are counted in twos.

        Waits until they are known. One window at the end of a run, and nothing behind it.
        """
        while True:
            k = bisect_right(self._known, now)
            while 0 < k < len(self._known) and self._near(k, now):
                k += 1
            first = max(k - 1, 0) // 2 * 2
            found = tuple(self._known[first : first + 3])
            if len(found) == 3 or self._closed or not self._wait():
                return found if k < len(self._known) else ()

    def told(self) -> tuple[Vector, bool]:
        """All that is known by now, and whether that is all there will be."""
        if not self._closed:
            self._read()
        if len(self._known) != self._all.size:
            self._all = np.array(self._known)
        return self._all, self._closed

    def _near(self, k: int, now: float) -> bool:
        return self._known[k] - now <= _SLACK * (self._known[k] - self._known[k - 1])

    def _wait(self) -> bool:
        """Until there are more; False where there never will be."""
        pause = _SHORTEST
        while not self._read():
            if self._closed or self._left_alone():
                return False
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST)
        return True

    def _left_alone(self) -> bool:
        """Whether nobody is there to tell more."""
        return os.getpid() == self._parent or os.getppid() != self._parent

    def _read(self) -> bool:
        """Whatever is new; whether there was anything."""
        found = self._bytes()
        whole = len(found) - len(found) % _BYTES
        self._bytes_read += whole
        new = np.frombuffer(found[:whole]).tolist()
        if new and new[-1] == inf:
            self._closed = True
            new.pop()
        self._known += new
        return bool(new)

    def _bytes(self) -> bytes:
        if hasattr(os, "pread"):  # leaves alone where the other process writes
            return os.pread(self._file.fileno(), 1 << 20, self._bytes_read)
        self._file.seek(self._bytes_read)
        return self._file.read()

    def _tell(self, time: float) -> None:
        if time > self._told:
            self._told = time
            self._file.write(np.float64(time).tobytes())
