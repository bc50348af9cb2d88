"""Up to which value a zero crossing counts as zero: that of the rounding in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import ulp

import numpy as np

from ..core.signals import Vector
from .base import IntegrationFailed

Crossings = Callable[[float, Vector], list[float]]

_ROUNDING = 2.0**-49  # a few times that of a sum


def noise_of(
    which: list[int],
    points: Sequence[tuple[float, list[float]]],
    state: Vector,
    crossings: Crossings,
) -> list[float]:
    """Up to which value each of these crossings may be a zero; 0 for the others.

    Its rounding comes from its own size on the way, and from that of the time and the states.
    `points` are times with the values there; the first is where the state is.
    """
    (start, values), *_ = points
    noise = [0.0] * len(values)
    if not any(row[k] for _, row in points for k in which):
        return noise
    for k in which:
        largest = max(abs(row[k]) for _, row in points[1:])
        steepest = max(abs(b[k] - a[k]) / (u - t) for (t, a), (u, b) in pairwise(points) if u > t)
        noise[k] = _ROUNDING * largest + 8 * ulp(start) * steepest
    for i in np.flatnonzero(state).tolist():
        for k, change in enumerate(_change(i, start, state, values, crossings)):
            noise[k] += change * _ROUNDING
    return noise


def _change(
    i: int, time: float, state: Vector, values: list[float], crossings: Crossings
) -> list[float]:
    """How much each crossing changes with a state, relative to the size of that state."""
    for share in (2.0**-26, -(2.0**-26)):  # the other way, if this one is forbidden ground
        moved = state.copy()
        moved[i] *= 1 + share
        try:
            with np.errstate(all="ignore"):
                there = crossings(time, moved)
            return [abs(b - a) / abs(share) for a, b in zip(values, there, strict=True)]
        except (ArithmeticError, ValueError, IntegrationFailed):
            continue
    return [0.0] * len(values)
