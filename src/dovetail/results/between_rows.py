"""Values between the rows of a result."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..core.errors import OptionError
from ..core.signals import Vector
from .recorders.base import Array


def between_rows(time: Vector, values: Array, times: ArrayLike, name: str, *, real: bool) -> Any:
    """Values at other times: on a straight line, or held; at an event the right one."""
    wanted = np.asarray(times, dtype=float)
    if not time.size:
        raise OptionError("there are no rows to read between: the run kept nothing")
    first, last = float(time[0]), float(time[-1])
    slack = 1e-9 * (last - first)
    if wanted.size and not (wanted.min() >= first - slack and wanted.max() <= last + slack):
        raise OptionError(
            f"'{name}' was recorded from {first:g} to {last:g} s, not at every time asked for"
        )
    left = np.searchsorted(time, wanted, side="right") - 1
    left = np.clip(left, 0, time.size - 1)
    if not real:
        return values[left]
    right = np.minimum(left + 1, time.size - 1)
    size = time[right] - time[left]
    part = np.clip((wanted - time[left]) / np.where(size > 0, size, 1.0), 0.0, 1.0)
    begin, end = values[left], values[right]
    return np.where(part > 0, begin + part * (end - begin), begin)[()]
