"""Newton's method."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.options import check_truth, check_whole
from ..core.signals import Tolerance, Vector
from .base import Jacobian, Residual, Root, differences
from .convergence import ConvergenceTest
from .elimination import Sparse


@dataclass(frozen=True, slots=True)
class Newton:
    """Modified Newton: the Jacobian is formed once and again only when the error stops falling.

    By forward differences if none is given: one evaluation per unknown. With `damping` a step
    that makes the residual grow is halved, up to eight times.

    Ortega and Rheinboldt, Iterative Solution of Nonlinear Equations in Several Variables,
    Academic Press, 1970; Kelley, Iterative Methods for Linear and Nonlinear Equations, SIAM,
    1995.
    """

    max_iterations: int = 20
    damping: bool = False

    def __post_init__(self) -> None:
        check_whole("max_iterations", self.max_iterations)
        check_truth("damping", self.damping)

    def solve(
        self,
        residual: Residual,
        start: Vector,
        tolerance: Tolerance,
        jacobian: Jacobian | None = None,
    ) -> Root:
        """Look for a root near `start`."""
        z, r, evaluations, gauge = start, residual(start), 1, ConvergenceTest(tolerance).gauge()
        error = gauge.measure(r, z)
        J: Vector | Sparse | None = None
        for _ in range(self.max_iterations - 1):
            if error <= 1 or not np.isfinite(error):
                break
            if J is None:
                J = jacobian(z) if jacobian else differences(residual, z, r, tolerance)
                evaluations += 0 if jacobian else z.size
            step = solved(J, r)
            if step is None:
                residual(z)  # the last point evaluated is the one given back
                evaluations += 1
                break
            before, at = tolerance.measure(r, z), z
            for halving in range(8 if self.damping else 1):
                z = at - step / 2**halving
                r = residual(z)
                evaluations += 1
                if tolerance.measure(r, at) < before:  # in the same weights
                    break
            slow = tolerance.measure(r, at) > 0.5 * before
            error = gauge.measure(r, z)
            if slow:
                J = None
        return Root(z, error, evaluations, error <= 1)


def solved(J: Vector | Sparse, r: Vector) -> Vector | None:
    """J^-1 r; None if there is no such thing."""
    try:
        if isinstance(J, Sparse):
            step = J.solve(r)
        else:
            step = np.asarray(np.linalg.solve(J, r), dtype=np.float64)
    except np.linalg.LinAlgError:
        return None
    return step if np.all(np.isfinite(step)) else None
