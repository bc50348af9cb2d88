"""Errors measured against tolerances."""

from __future__ import annotations

from math import inf, isnan, sqrt

import numpy as np

from ..core.signals import Vector
from .sums import BY_BLAS, Sums

_FEW = 12  # up to here a loop over floats is faster than NumPy


def weighted(
    error: Vector,
    before: Vector,
    after: Vector,
    rtol: float,
    atol: float | Vector,
    sums: Sums = BY_BLAS,
) -> float:
    """The root mean square of error / (atol + rtol max(|before|, |after|)).

    Infinite where it is not a number; 0 where there is nothing to measure.
    """
    n = error.size
    if n > _FEW or not isinstance(atol, float):
        scaled = error / (atol + rtol * np.maximum(np.abs(before), np.abs(after)))
        square = sums.square(scaled)
    else:
        square = 0.0
        for e, a, b in zip(error.tolist(), before.tolist(), after.tolist(), strict=True):
            larger = max(abs(a), abs(b))
            scaled_e = e / (atol + rtol * larger)
            square += scaled_e * scaled_e
    if isnan(square):
        return inf
    return sqrt(square / n) if n else 0.0
