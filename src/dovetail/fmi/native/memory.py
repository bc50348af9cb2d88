"""The memory of a run, as the kernel's structure."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from ...subsystems.run_memory import RunMemory
from ..kernel import NativeMemory
from .learned import LearnedExchange

_VECTORS = (
    *("inputs", "outputs", "worst", "when", "low", "high", "bend", "bend_time"),
    *("off", "way", "turn", "moved", "turned", "trial", "known"),
)
_ENDS = 2  # of windows, of which derivatives of outputs are made


class BoundMemory:
    """Pointers to the arrays of a run, bound once for many calls, and its past."""

    def __init__(self, memory: RunMemory, learned: LearnedExchange) -> None:
        self.memory, self.native, self._learned = memory, NativeMemory(), learned
        for name in _VECTORS:
            setattr(self.native, name, getattr(memory, name).ctypes.data)
        points = 0 if memory.past is None else memory.past.order + 1
        self._past = np.zeros((points, memory.inputs.size))
        if memory.ends is not None:
            self._past = np.zeros((_ENDS, memory.outputs.size))
            self.native.slopes = memory.ends.slopes.ctypes.data
        self.native.past = self._past.ctypes.data
        self.native.bonds = None if memory.bonds is None else memory.bonds.ctypes.data

    def renew(self, learned: LearnedExchange) -> None:
        """The same arrays for another run, whose batch learns anew."""
        self._learned = learned

    @contextmanager
    def followed(self) -> Iterator[None]:
        """While windows are made, the past is with the kernel, and what was learned."""
        self._load()
        self._learned.give(self.memory.learned)
        yield
        self._keep()
        self._learned.take(self.memory.learned)

    def _load(self) -> None:
        """Take over the past."""
        past, native = self.memory.past or self.memory.ends, self.native
        if past is None:
            return
        native.points = len(past.times)
        for k, (time, values) in enumerate(zip(past.times, past.values, strict=True)):
            native.times[k], native.rows[k] = time, k
            self._past[k] = values

    def _keep(self) -> None:
        """Hand the past back, longer by the windows that went by."""
        past, native = self.memory.past or self.memory.ends, self.native
        if past is None:
            return
        past.times = tuple(native.times[: native.points])
        past.values = tuple(self._past[row].copy() for row in native.rows[: native.points])
