"""Inputs over a window, from what they were at the ends of earlier ones."""

from __future__ import annotations

import numpy as np

from ..assembly.attempt import Attempt
from ..core.signals import Signals, Vector, Waveform
from ..subsystems.extrapolating import History, flattened, passing, polynomials

HIGHEST = 3


class Extrapolation:
    """Polynomials through the past of all inputs, as far as each part can follow them.

    Native twin: `native/extrapolated.c`.
    """

    def __init__(self, attempt: Attempt, history: History, columns: int) -> None:
        self._size, self._columns = attempt.window.size, columns
        self._times = history.since
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
        a = polynomials(self._times, self._points, self._columns)
        self._hold(a, begin.reals)
        for rows, order in self._limited:
            a[rows] = flattened(a[rows], order, self._size)
        return Waveform(a, begin.discrete)

    def part(self, rows: slice, order: int | None, end: Signals, found: Vector) -> Waveform:
        """The inputs of one part; those that were found pass through their values at the end."""
        given = self._times, self._points[:, rows], self._columns
        a = passing(*given, self._size, end.reals, found)
        flags = [k - rows.start for k in self._held if rows.start <= k < rows.stop]
        a[flags] = 0.0
        a[flags, 0] = end.reals[flags]
        if order is not None and order < self._columns - 1:
            a = flattened(a, order, self._size)
        return Waveform(a, end.discrete)

    def _hold(self, a: Vector, values: Vector) -> None:
        a[self._held] = 0.0
        a[self._held, 0] = values[self._held]
