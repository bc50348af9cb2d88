"""The plain fixed point."""

from __future__ import annotations

from dataclasses import dataclass

from ..core.options import check_number, check_whole
from ..core.signals import Tolerance, Vector
from .base import Jacobian, Residual, Root
from .convergence import ConvergenceTest


@dataclass(frozen=True, slots=True)
class FixedPoint:
    """z <- z + relaxation r(z).

    Linear convergence, if the loop gain is below one. Gives up as soon as a residual is not
    finite or has grown a thousandfold.

    Ortega and Rheinboldt, Iterative Solution of Nonlinear Equations in Several Variables,
    Academic Press, 1970.
    """

    max_evaluations: int = 50
    relaxation: float = 1.0

    def __post_init__(self) -> None:
        check_whole("max_evaluations", self.max_evaluations)
        check_number("relaxation", self.relaxation, above=0)

    def solve(
        self,
        residual: Residual,
        start: Vector,
        tolerance: Tolerance,
        jacobian: Jacobian | None = None,
    ) -> Root:
        """Look for a root near `start`."""
        z, gauge = start, ConvergenceTest(tolerance).gauge()
        for k in range(1, self.max_evaluations + 1):
            r = residual(z)
            error = gauge.measure(r, z)
            if error <= 1 or gauge.diverges or k == self.max_evaluations:
                break
            z = z + self.relaxation * r
        return Root(z, error, k, error <= 1)
