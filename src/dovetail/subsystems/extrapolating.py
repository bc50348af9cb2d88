"""Polynomials through what inputs were at the ends of past windows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.projection import projection
from ..core.signals import Vector

_NEAR = 0.01  # of the window ahead: points nearer to each other say nothing about derivatives


@dataclass(frozen=True, slots=True, eq=False)
class History:
    """Inputs as the outputs made them at the ends of past windows, the oldest first.

    It starts anew at an event: what was before says nothing about what comes.
    """

    times: tuple[float, ...] = ()
    values: tuple[Vector, ...] = ()

    def joined(self, time: float, values: Vector, size: float, count: int) -> History:
        """With one more point, and no more than `count` that suit a window of this size."""
        times, points = [time], [values]
        for t, v in zip(reversed(self.times), reversed(self.values), strict=True):
            if len(times) < count and times[-1] - t >= _NEAR * size:
                times.append(t)
                points.append(v)
        return History(tuple(reversed(times)), tuple(reversed(points)))

    @property
    def since(self) -> Vector:
        """The times, counted from the last one."""
        return np.array(self.times) - self.times[-1]


def polynomials(times: Vector, points: Vector, columns: int) -> Vector:
    """Coefficients of powers of the local time, one row per input (Newton's form, expanded)."""
    differences = points.copy()
    for level in range(1, times.size):
        rise = differences[level:] - differences[level - 1 : -1]
        differences[level:] = rise / (times[level:] - times[:-level])[:, None]
    a = np.zeros((points.shape[1], columns))
    for k in range(times.size - 1, -1, -1):
        a[:, 1:] = a[:, :-1] - times[k] * a[:, 1:]
        a[:, 0] *= -times[k]
        a[:, 0] += differences[k]
    return a


def passing(
    times: Vector, points: Vector, columns: int, size: float, end: Vector, found: Any
) -> Vector:
    """The same; those that were found pass through their values at the end."""
    a = polynomials(times, points, columns)
    if found.any():
        last = columns - 1  # points of the past beside the one at the end
        beside = points[-last:] if last else points[:0]
        ends = np.append(times[-last:] if last else [], size)
        a[found] = polynomials(ends, np.vstack([beside, end]), columns)[found]
    return a


def flattened(coefficients: Vector, order: int, size: float) -> Vector:
    """The nearest polynomials of a lower order over a window, in the mean square.

    For held inputs that is the mean over the window: for a line, its value in the middle. A part
    that integrates its input then gets the same integral as from the curve itself; the value at
    the start would be late by half a window, which is what makes held inputs first order.
    """
    columns = coefficients.shape[1]
    powers = np.multiply.accumulate([1.0, *[size] * (columns - 1)])
    scaled = coefficients * powers
    flat = np.zeros_like(coefficients)
    weights = projection(order, columns)
    total = scaled[:, :1] * weights[:, 0]
    for k in range(1, columns):  # in this order, so that others can do it to the last bit
        total += scaled[:, k : k + 1] * weights[:, k]
    flat[:, : order + 1] = total / powers[: order + 1]
    return flat
