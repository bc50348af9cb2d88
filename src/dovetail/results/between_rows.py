"""Values between the rows of a result."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..core.errors import OptionError
from ..core.signals import Vector
from .recorders.base import Array

CURVE = "curve"  # the fact of a run whose windows followed an error
_NEXT = 0.25, 4.0  # of the time between two rows: so far from these are rows that bend the line
_MOST = 0.02  # of a range: a line that would bend farther lies at a jump, and stays straight


def between_rows(
    time: Vector, values: Array, times: ArrayLike, name: str, *, real: bool, curved: bool = False
) -> Any:
    """Values at other times: on a straight line, or held; at an event the right one.

    `curved`: on the cubic through the next rows as well, where these are not behind an event.
    """
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
    found = np.asarray(begin + part * (end - begin))
    if curved:
        inside = (part > 0) & (part < 1)
        found[inside] += _bend(time, values, wanted[inside], np.asarray(left)[inside])
    return np.where(part > 0, found, begin)[()]


def _bend(time: Vector, values: Vector, wanted: Vector, left: Any) -> Vector:
    """What the cubic through one more row on either side adds to the line from `left` on."""
    t0, t1, here = time[left], time[left + 1], values[left]
    near, far = (share * (t1 - t0) for share in _NEXT)
    span = np.concatenate([[0], np.cumsum(np.diff(time) <= 0)])  # between events
    before = np.maximum(np.searchsorted(time, t0 - near, side="right") - 1, 0)
    after = np.minimum(np.searchsorted(time, t1 + near), time.size - 1)
    ta, tb = time[before], time[after]
    has_a = (ta <= t0 - near) & (ta >= t0 - far) & (span[before] == span[left])
    has_b = (tb >= t1 + near) & (tb <= t1 + far) & (span[after] == span[left])
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        rise = (values[left + 1] - here) / (t1 - t0)
        a = (rise - (here - values[before]) / (t0 - ta)) / (t1 - ta)
        b = ((values[after] - values[left + 1]) / (tb - t1) - rise) / (tb - t0)
        both = a + (wanted - ta) * (b - a) / (tb - ta)
        second = np.where(has_a, np.where(has_b, both, a), np.where(has_b, b, 0.0))
        found = (wanted - t0) * (wanted - t1) * second
        bent = np.fmax(np.where(has_a, np.abs(a), 0.0), np.where(has_b, np.abs(b), 0.0))
        fits = (t1 - t0) ** 2 / 4 * bent <= _MOST * np.ptp(values)
    return np.where(fits, found, 0.0)
