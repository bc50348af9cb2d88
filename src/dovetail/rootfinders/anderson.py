"""Anderson's mixing of past residuals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.options import check_whole
from ..core.signals import Tolerance, Vector
from .base import Jacobian, Residual, Root
from .combination import combination
from .convergence import ConvergenceTest

NEW = 1e-12  # of a difference must be new, or it says nothing that newer ones do not


@dataclass(frozen=True, slots=True)
class Anderson:
    """z <- the combination of past points whose residuals cancel best, plus what is left of r.

    Depth 0 is the plain fixed point. For a linear loop of n unknowns it is done after n + 1
    evaluations, whatever the loop gain. Differences to past points are combined, the newest first;
    one that repeats newer ones to rounding is left out.

    Native twin: `native/rootfinders.c`.

    Anderson, Iterative procedures for nonlinear integral equations, Journal of the ACM 12,
    1965; Walker and Ni, Anderson acceleration for fixed-point iterations, SIAM Journal on
    Numerical Analysis 49, 2011.
    """

    depth: int = 30
    max_evaluations: int = 60

    def __post_init__(self) -> None:
        check_whole("depth", self.depth, 0)
        check_whole("max_evaluations", self.max_evaluations)

    def solve(
        self,
        residual: Residual,
        start: Vector,
        tolerance: Tolerance,
        jacobian: Jacobian | None = None,
    ) -> Root:
        """Look for a root near `start`."""
        z, past, gauge = start, list[tuple[Vector, Vector]](), ConvergenceTest(tolerance).gauge()
        for k in range(1, self.max_evaluations + 1):
            r = residual(z)
            error = gauge.measure(r, z)
            if error <= 1 or k == self.max_evaluations or not np.isfinite(error):
                break
            step = r
            if past:
                d_z, d_r = (
                    np.column_stack([now - p[i] for p in reversed(past)])
                    for i, now in enumerate((z, r))
                )
                weight = 1 / (np.abs(z) * tolerance.rtol + tolerance.atol)
                limits = np.full(len(past), NEW)
                kept, c = combination(d_r * weight[:, None], r * weight, limits)
                for share, j in zip(c, kept, strict=True):
                    step = step + share * (d_z[:, j] + d_r[:, j])
            past = [*past, (z, r)][-self.depth :] if self.depth else []
            z = z + step
        return Root(z, error, k, error <= 1)
