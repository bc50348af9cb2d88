"""Finding where a function along a curve turns negative."""

from __future__ import annotations

from collections.abc import Callable
from math import ulp


def far_side(function: Callable[[float], float], near: float, far: float) -> float:
    """The first time, but for rounding, at which a function is below zero.

    It is not below zero at `near` and it is at `far`. Chandrupatla's method: inverse quadratic
    interpolation where the last three points allow it, else bisection. (A new hybrid
    quadratic/bisection algorithm for finding the zero of a nonlinear function without using
    derivatives, Advances in Engineering Software 28, 1997.)
    """
    a, f_a = far, function(far)
    b, f_b = near, function(near)
    part = 0.5
    while True:
        x = a + part * (b - a)
        f_x = function(x)
        c, f_c = a, f_a
        if (f_x < 0) != (f_a < 0):
            c, f_c, b, f_b = b, f_b, a, f_a
        a, f_a = x, f_x
        width = abs(b - a)
        tolerance = 2 * ulp(max(abs(a), abs(b)))
        if width <= tolerance:
            return a if f_a < 0 else b
        part = _interpolated(a, b, c, f_a, f_b, f_c)
        margin = 0.5 * tolerance / width
        part = min(max(part, margin), 1 - margin)


def _interpolated(a: float, b: float, c: float, f_a: float, f_b: float, f_c: float) -> float:
    """Where between a (0) and b (1) the zero is likely; the middle where that is unsafe."""
    if f_c in (f_a, f_b):
        return 0.5
    xi, phi = (a - b) / (c - b), (f_a - f_b) / (f_c - f_b)
    if not (phi**2 < xi and (1 - phi) ** 2 < 1 - xi):
        return 0.5
    return f_a / (f_b - f_a) * f_c / (f_b - f_c) + (c - a) / (b - a) * f_a / (f_c - f_a) * f_b / (
        f_c - f_b
    )
