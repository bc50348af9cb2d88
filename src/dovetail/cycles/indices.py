"""How far apart time scales are, and how well they fall into groups."""

from __future__ import annotations

from math import inf

import numpy as np

from ..core.signals import Vector


def stiffness(bounds: Vector) -> float:
    """The largest bound over the smallest, of those that are finite; 1 where there is none.

    Infinite where no step at all was found for some state.
    """
    finite = bounds[np.isfinite(bounds)]
    if not finite.size:
        return 1.0
    smallest = float(finite.min())
    return float(finite.max()) / smallest if smallest > 0 else inf


def gaps(bounds: Vector) -> Vector:
    """Differences between neighbours in the order of size, of those that are finite."""
    gaps: Vector = np.diff(np.sort(bounds[np.isfinite(bounds)]))
    return gaps


def separability(bounds: Vector) -> float:
    """1 - mean gap / largest gap: near 1 where one cut divides two groups, 0 where none does."""
    between = gaps(bounds)
    if not between.size or between.max() <= 0:
        return 0.0
    return float(1 - between.mean() / between.max())


def separability_term(bounds: Vector, i: int, j: int) -> float:
    """The distance of two bounds over the largest gap between neighbours."""
    between = gaps(bounds)
    if bounds[i] == bounds[j]:
        return 0.0
    if not between.size or between.max() <= 0:
        return inf
    return float(abs(bounds[i] - bounds[j]) / between.max())
