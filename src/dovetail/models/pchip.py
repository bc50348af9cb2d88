"""Derivatives at the rows of a table, such that cubics between them do not overshoot.

F. N. Fritsch, J. Butland: A method for constructing local monotone piecewise cubic interpolants,
SIAM J. Sci. Stat. Comput. 5 (1984).
"""

from __future__ import annotations

import numpy as np

from ..core.signals import Vector


def pchip_derivatives(times: Vector, values: Vector) -> Vector:
    """One derivative for each row and column; rows with equal times are the sides of a jump."""
    found = np.zeros_like(values)
    cuts = np.flatnonzero(np.diff(times) == 0) + 1
    for begin, end in zip([0, *cuts.tolist()], [*cuts.tolist(), len(times)], strict=True):
        if end - begin > 1:
            found[begin:end] = _smooth(times[begin:end], values[begin:end])
    return found


def _smooth(t: Vector, y: Vector) -> Vector:
    """The derivatives where times increase strictly."""
    h = np.diff(t)[:, None]
    slopes = np.diff(y, axis=0) / h
    found = np.empty_like(y)
    if len(t) == 2:
        found[:] = slopes[0]
        return found
    left, right = slopes[:-1], slopes[1:]
    before, after = h[:-1], h[1:]
    turning = left * right <= 0
    one, two = 2 * after + before, after + 2 * before
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = (one + two) / (one / left + two / right)
    found[1:-1] = np.where(turning, 0.0, mean)
    found[0] = _at_end(h[0], h[1], slopes[0], slopes[1])
    found[-1] = _at_end(h[-1], h[-2], slopes[-1], slopes[-2])
    return found


def _at_end(near: Vector, far: Vector, first: Vector, second: Vector) -> Vector:
    """The derivative of a parabola through three points, cut so that it does not overshoot."""
    found = ((2 * near + far) * first - near * second) / (near + far)
    found = np.where(np.sign(found) != np.sign(first), 0.0, found)
    steep = (np.sign(first) != np.sign(second)) & (np.abs(found) > 3 * np.abs(first))
    limited: Vector = np.where(steep, 3 * first, found)
    return limited
