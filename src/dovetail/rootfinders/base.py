"""Solving r(z) = 0 when an evaluation of r is dear."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Protocol

import numpy as np

from ..core.signals import Tolerance, Vector
from .elimination import Sparse

Residual = Callable[[Vector], Vector]
Jacobian = Callable[[Vector], Vector | Sparse]


@dataclass(frozen=True, slots=True, eq=False)
class Root:
    """Where a root finder stopped. `value` is the last point evaluated.

    `error` is the residual there, measured with the tolerance: 1 is just within it.
    """

    value: Vector
    error: float
    evaluations: int
    converged: bool


class Gauge:
    """Measures residuals along a search, and knows a point that ran away.

    Residuals are weighted with |z|: far out, any bounded residual looks small. A point far from
    where the search began, with a residual not much smaller than there, is no root.
    """

    __slots__ = ("_first", "_tolerance", "least")

    def __init__(self, tolerance: Tolerance) -> None:
        self._tolerance = tolerance
        self._first: tuple[float, float] | None = None
        self.least = inf  # the smallest residual so far, as it is

    def measure(self, r: Vector, z: Vector) -> float:
        """The size of a residual: 1 is just within tolerance; infinite where it is hopeless."""
        size, place = _largest(r), _largest(z)
        if self._first is None:
            self._first = size, place
        self.least = min(self.least, size)
        error = self._tolerance.measure(r, z)
        first, begin = self._first
        far = place > 1e3 * (begin + first)
        return inf if error <= 1 and far and size > 0.1 * first else error

    def grew(self, r: Vector, times: float) -> bool:
        """Whether a residual is so many times the smallest one."""
        return not _largest(r) <= times * self.least


class RootFinder(Protocol):
    """Finds z with r(z) within tolerance, where a plain iteration would be z <- z + r(z).

    `jacobian`, of r, is there to be used by those who can; the others leave it alone.
    """

    def solve(
        self,
        residual: Residual,
        start: Vector,
        tolerance: Tolerance,
        jacobian: Jacobian | None = None,
    ) -> Root:
        """Look for a root near `start`."""


def differences(residual: Residual, z: Vector, r: Vector, tolerance: Tolerance) -> Vector:
    """The Jacobian of r by forward differences; increments as in MasterSim's notes."""
    deltas = np.maximum(np.abs(z) * tolerance.rtol + 0.01 * tolerance.atol, 1e-9)
    deltas = np.maximum(deltas, 1e-8 * np.abs(z))
    columns = []
    for k, delta in enumerate(deltas):
        moved = z.copy()
        moved[k] += delta
        columns.append((residual(moved) - r) / (moved[k] - z[k]))
    return np.column_stack(columns) if columns else np.zeros((0, 0))


def _largest(v: Vector) -> float:
    return float(np.max(np.abs(v), initial=0.0))
