"""Derivatives of user functions by differences or the complex step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.signals import Vector

Values = Callable[[float, Vector, Vector], Vector]
_STEPS = {1: 6e-6, 2: 7e-4, 3: 4e-3}  # rounding and truncation in balance, by order
_CLOSER = 1e-3  # where the function does not answer that far away


def along(g: Values, f: Values, t: float, x: Vector, u: Vector, du: Vector, order: int) -> Vector:
    """d^k/dt^k g(t, x, u) along x' = f, u' = du, by central differences.

    The total derivative of a function h is its directional derivative along (1, f, du), so
    higher orders come by doing it again.
    """
    if order == 0:
        return g(t, x, u)

    def lower(t: float, x: Vector, u: Vector) -> Vector:
        return along(g, f, t, x, u, du, order - 1)

    dx = f(t, x, u)
    speed = max(_largest(dx) / (1 + _largest(x)), _largest(du) / (1 + _largest(u)), 1e-3)
    e = _STEPS.get(order, 1e-2) / speed
    for size in (e, _CLOSER * e):
        try:
            up = lower(t + size, x + size * dx, u + size * du)
            down = lower(t - size, x - size * dx, u - size * du)
        except Exception:
            if size == e:
                continue  # a part that stands still is looked at from afar: perhaps too far
            raise
        derivative: Vector = (up - down) / (2 * size)
        if np.all(np.isfinite(derivative)):
            break
    return derivative


def slope(g: Callable[[float], Vector], h: float, *, ahead: bool = False) -> Vector:
    """dg/ds at zero by differences over `h`: of fourth order, or looking ahead only, of second.

    A function that does not depend on s has a slope of exactly zero when looked at ahead.
    """
    if ahead:
        here, near, far = g(0.0), g(h), g(2 * h)
        one_sided: Vector = (4 * (near - here) - (far - here)) / (2 * h)
        return one_sided
    central: Vector = (8 * (g(h) - g(-h)) - (g(2 * h) - g(-2 * h))) / (12 * h)
    return central


def jacobian_of(
    function: Callable[[Any], Any], at: Vector, rows: int, *, complex_step: bool = False
) -> Vector:
    """df/dv, one column per element of v; central differences, or the complex step."""
    J = np.zeros((rows, at.size))
    for k in range(at.size):
        if complex_step:
            moved: Any = at.astype(complex)
            moved[k] += 1e-30j
            J[:, k] = np.imag(np.asarray(function(moved), dtype=complex)) / 1e-30
            continue
        e = 6e-6 * max(abs(at[k]), 1e-3)
        up, down = at.copy(), at.copy()
        up[k] += e
        down[k] -= e
        J[:, k] = (function(up) - function(down)) / (up[k] - down[k])
    return J


def _largest(v: Vector) -> float:
    return float(np.max(np.abs(v), initial=0.0))
