"""How an explicit method adds up: as NumPy likes it best, or in the order of native code."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..core.signals import Vector


class Sums(NamedTuple):
    """Weighted sums of rows, and sums of squares."""

    combined: Callable[[Vector, Vector], Vector]
    square: Callable[[Vector], float]


def _combined_in_order(weights: Vector, rows: Vector) -> Vector:
    total: Vector = np.add.accumulate(weights[:, None] * rows)[-1]
    return total


def _square_in_order(values: Vector) -> float:
    return float(np.add.accumulate(values * values)[-1]) if values.size else 0.0


BY_BLAS = Sums(lambda weights, rows: weights.dot(rows), lambda values: float(values.dot(values)))
"""The quickest; the last bit depends on the processor."""

IN_ORDER = Sums(_combined_in_order, _square_in_order)
"""One after another. Native twins: `dt_combine` and `by_rk45` in native/explicit.c."""
