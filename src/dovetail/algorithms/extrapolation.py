"""Inputs over a window, from what they were at the ends of earlier ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..assembly.attempt import Attempt
from ..core.signals import Signals, Vector, Waveform
from .projection import projection

HIGHEST = 3
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


class Extrapolation:
    """Polynomials through the past of all inputs, as far as each part can follow them.

    Native twin: `native/extrapolated.c`.
    """

    def __init__(self, attempt: Attempt, history: History, columns: int) -> None:
        self._size, self._columns = attempt.window.size, columns
        self._times = np.array(history.times) - history.times[-1]
        self._points = np.array(history.values)
        self._held = attempt.held_inputs
        orders = [attempt.capabilities(i).input_order for i in range(len(attempt.names))]
        self._limited = [
            (span.reals, order)
            for order, span in zip(orders, attempt.input_spans, strict=True)
            if order is not None and order < columns - 1
        ]

    def everyone(self, begin: Signals) -> Waveform:
        """All inputs, from the past alone."""
        a = self._polynomials(self._times, self._points)
        self._hold(a, begin.reals)
        for rows, order in self._limited:
            a[rows] = flattened(a[rows], order, self._size)
        return Waveform(a, begin.discrete)

    def part(self, rows: slice, order: int | None, end: Signals, found: Vector) -> Waveform:
        """The inputs of one part; those that were found pass through their values at the end."""
        points = self._points[:, rows]
        a = self._polynomials(self._times, points)
        if found.any():
            last = self._columns - 1  # points of the past beside the one at the end
            times = np.append(self._times[-last:] if last else [], self._size)
            beside = points[-last:] if last else points[:0]
            a[found] = self._polynomials(times, np.vstack([beside, end.reals]))[found]
        flags = [k - rows.start for k in self._held if rows.start <= k < rows.stop]
        a[flags] = 0.0
        a[flags, 0] = end.reals[flags]
        if order is not None and order < self._columns - 1:
            a = flattened(a, order, self._size)
        return Waveform(a, end.discrete)

    def _polynomials(self, times: Vector, points: Vector) -> Vector:
        """Coefficients of powers of the local time, one row per input (Newton's form, expanded)."""
        differences = points.copy()
        for level in range(1, times.size):
            rise = differences[level:] - differences[level - 1 : -1]
            differences[level:] = rise / (times[level:] - times[:-level])[:, None]
        a = np.zeros((points.shape[1], self._columns))
        for k in range(times.size - 1, -1, -1):
            a[:, 1:] = a[:, :-1] - times[k] * a[:, 1:]
            a[:, 0] *= -times[k]
            a[:, 0] += differences[k]
        return a

    def _hold(self, a: Vector, values: Vector) -> None:
        a[self._held] = 0.0
        a[self._held, 0] = values[self._held]


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
