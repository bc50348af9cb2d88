"""Signals of a study that are larger than memory: arrays of Dask, read run by run when asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ..core.signals import Vector
from .store import Store

CHUNK = 1000  # runs that are read at a time
LARGE = 500_000_000  # bytes of signals that are left on disk


def lazy_signal(folder: Path, name: str, shape: tuple[int, ...], times: int) -> Any:
    """A signal of all runs along what was varied and time, as an array of Dask."""
    import dask.array
    from dask.delayed import delayed

    total = int(np.prod(shape))
    da: Any = dask.array
    read: Any = delayed(_chunk, pure=True)
    blocks = []
    for first in range(0, total, CHUNK):
        last = min(first + CHUNK, total)
        block = read(str(folder), name, first, last, times)
        blocks.append(da.from_delayed(block, (last - first, times), dtype=float))
    return da.concatenate(blocks).reshape((*shape, times))


def _chunk(folder: str, name: str, first: int, last: int, times: int) -> Vector:
    """In whatever thread or process: some runs, through a connection of its own."""
    found = np.full((last - first, times), np.nan)
    store = Store(Path(folder), create=False)
    try:
        for number, block in store.signals([name], times, (first, last)):
            found[number - first] = block[0]
    finally:
        store.close()
    return found
