"""Lines of rows as the tail of a run has them, in memory of the process or of the file itself."""

from __future__ import annotations

import mmap
import os
from typing import Any

import numpy as np

from .runfiles import write_all
from .tail import HEAD


class Chunk:
    """Room for rows: in each line the row's number, the bytes of JSON behind it, time, reals.

    A mapped one is memory of the tail: a row is on its way to the disk once its time is there, and
    a crash or the death of the process loses none. A line whose time is NaN is no row yet.
    """

    def __init__(self, rows: int, width: int, memory: Any = None) -> None:
        self.rows, self.mapped = rows, memory is not None
        self.line_bytes = 8 * width
        whole = np.empty((rows, width)) if memory is None else _numbers(memory, rows, width)
        self.lines = whole[:, HEAD:]
        self.times, self.reals = whole[:, HEAD], whole[:, HEAD + 1 :]
        self._numbers = whole.view(np.int64)[:, 0]
        self.lengths = whole.view(np.int64)[:, 1]
        self._bytes = whole.data.cast("B")

    def number(self, begin: int, end: int, first: int) -> None:
        """Prepare lines for rows from number `first` on; in this order, for whoever reads along."""
        self.times[begin:end] = np.nan
        self.lengths[begin:end] = 0
        self._numbers[begin:end] = np.arange(first, first + end - begin)

    def bytes_of(self, begin: int, end: int) -> memoryview:
        """Lines as records of the tail."""
        return self._bytes[begin * self.line_bytes : end * self.line_bytes]


def mapped_chunk(descriptor: int, rows: int, width: int) -> Chunk:
    """The tail as a chunk, longer than it is now.

    What it is longer by is written before it is mapped: a full disk is an `OSError` now, and no
    crash later. It holds no rows that are not in the stream.
    """
    there = os.fstat(descriptor).st_size // (8 * width)
    blank = np.zeros((rows - there, width))
    blank[:, HEAD] = np.nan
    write_all(descriptor, blank)
    return Chunk(rows, width, mmap.mmap(descriptor, 8 * width * rows))


def _numbers(memory: Any, rows: int, width: int) -> Any:
    return np.frombuffer(memory, dtype=np.float64, count=rows * width).reshape(rows, width)
