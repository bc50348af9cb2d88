"""Aitken's dynamic relaxation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.options import check_number, check_whole
from ..core.signals import Tolerance, Vector, dot
from .base import Jacobian, Residual, Root
from .convergence import ConvergenceTest


@dataclass(frozen=True, slots=True)
class Aitken:
    """z <- z + w r(z) with the factor w found anew from the last two residuals.

    Converges where the plain fixed point swings too far; exact after three evaluations for one
    unknown and a linear loop.

    Native twin: `native/rootfinders.c`.

    Irons and Tuck, A version of the Aitken accelerator for computer iteration, International
    Journal for Numerical Methods in Engineering 1, 1969; for many unknowns as in Küttler and
    Wall, Fixed-point fluid-structure interaction solvers with dynamic relaxation, Computational
    Mechanics 43, 2008.
    """

    max_evaluations: int = 60
    first_relaxation: float = 0.5
    largest: float = 10.0

    def __post_init__(self) -> None:
        check_whole("max_evaluations", self.max_evaluations)
        check_number("first_relaxation", self.first_relaxation, above=0)
        check_number("largest", self.largest, above=0)

    def solve(
        self,
        residual: Residual,
        start: Vector,
        tolerance: Tolerance,
        jacobian: Jacobian | None = None,
    ) -> Root:
        """Look for a root near `start`."""
        z, factor, gauge = start, self.first_relaxation, ConvergenceTest(tolerance).gauge()
        old: Vector | None = None
        for k in range(1, self.max_evaluations + 1):
            r = residual(z)
            error = gauge.measure(r, z)
            if error <= 1 or not np.isfinite(error) or k == self.max_evaluations:
                break
            if old is not None:
                change = r - old
                square = dot(change, change)
                if square > 0:
                    factor *= -dot(old, change) / square
                    factor = float(np.clip(factor, -self.largest, self.largest))
                if factor == 0:
                    factor = self.first_relaxation
            z, old = z + factor * r, r
        return Root(z, error, k, error <= 1)
