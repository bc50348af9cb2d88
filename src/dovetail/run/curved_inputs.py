"""Extrapolated inputs of parts that step side by side, as they see them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.signals import Vector, Waveform
from ..machines.lock_step_frames import Past
from ..subsystems.extrapolating import History, flattened, passing


class CurvedInputs:
    """Polynomials of so many columns through the past of all inputs.

    `orders`: the highest power of time that each part follows, -1 for any; `found`: inputs whose
    sources have stepped before their part does.
    """

    def __init__(
        self, columns: int, spans: Sequence[slice], orders: Sequence[int], found: Any
    ) -> None:
        self._columns, self._spans, self._orders = columns, spans, orders
        self._found = found

    def past(self, state: Any, span: slice) -> Past | None:
        """What the inputs of one part were before; None where they are not extrapolated."""
        if self._columns == 1:
            return None
        past = _history(state)
        points = [values[span] for values in past.values]
        return np.array(past.times), np.array(points).reshape(len(points), span.stop - span.start)

    def ends(
        self, state: Any, start: float, made: Vector, stops: Vector, size: float
    ) -> tuple[Vector, History]:
        """What inputs were at the end of each window, and what is remembered behind the last.

        `made`: what the outputs make of them at the start, and at the end of each window.
        """
        past, ends = _history(state), np.empty_like(made[1:])
        for k, stop in enumerate(stops.tolist()):
            past = past.joined(start, made[k], size, self._columns)
            points, end = np.array(past.values), made[k + 1]
            a = passing(past.since, points, self._columns, size, end, self._found)
            for span, order in zip(self._spans, self._orders, strict=True):
                if 0 <= order < self._columns - 1:
                    a[span] = flattened(a[span], order, size)
            ends[k], start = Waveform(a).reals(size), stop
        return ends, past


def _history(state: Any) -> History:
    return state if isinstance(state, History) else History()
