"""Solving r(z) = 0 when an evaluation of r is dear."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..signals import Tolerance, Vector

Residual = Callable[[Vector], Vector]
Jacobian = Callable[[Vector], Vector]


@dataclass(frozen=True, slots=True, eq=False)
class Root:
    """Where a root finder stopped. `value` is the last point evaluated.

    `error` is the residual there, measured with the tolerance: 1 is just within it.
    """

    value: Vector
    error: float
    evaluations: int
    converged: bool


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
