"""Newton's method without a Jacobian."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..core.errors import OptionError
from ..core.options import check_number, check_whole
from ..core.signals import Tolerance, Vector
from .base import Jacobian, Residual, Root
from .convergence import ConvergenceTest
from .newton import solved

_MOVE = 1e-7  # of the unknowns, to find the derivative in a direction


@dataclass(frozen=True, slots=True)
class NewtonKrylov:
    """Newton's steps found by GMRES, which asks for the Jacobian in one direction at a time.

    An evaluation per direction, as few as the spectrum of the loop allows and not one per unknown;
    each step is solved to `forcing` of its residual. A Jacobian that is given preconditions:
    where it is exact, one direction is enough.

    Knoll and Keyes, Jacobian-free Newton-Krylov methods: a survey of approaches and
    applications, Journal of Computational Physics 193, 2004; GMRES: Saad and Schultz, SIAM
    Journal on Scientific and Statistical Computing 7, 1986.
    """

    max_evaluations: int = 100
    max_directions: int = 20
    forcing: float = 0.01

    def __post_init__(self) -> None:
        check_whole("max_evaluations", self.max_evaluations)
        check_whole("max_directions", self.max_directions)
        check_number("forcing", self.forcing, above=0)
        if not self.forcing < 1:
            raise OptionError(f"forcing must be below 1, not {self.forcing}")

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
        precondition = _preconditioner(jacobian, z) if error > 1 and jacobian else None
        while error > 1 and np.isfinite(error) and evaluations < self.max_evaluations:
            count = 0

            def derivative(w: Vector, z: Vector = z, r: Vector = r) -> Vector:
                nonlocal count
                count += 1
                d = w if precondition is None else precondition(w)
                length = float(np.max(np.abs(d) / (1 + np.abs(z)), initial=0.0))
                e = _MOVE / length if length else 1.0
                directional: Vector = (residual(z + e * d) - r) / e
                return directional

            room = min(self.max_directions, z.size, max(self.max_evaluations - evaluations - 1, 1))
            step = gmres(derivative, -r, self.forcing, room)
            z = z + (step if precondition is None else precondition(step))
            r = residual(z)
            evaluations += count + 1
            error = gauge.measure(r, z)
        return Root(z, error, evaluations, error <= 1)


def gmres(apply: Callable[[Vector], Vector], b: Vector, reduction: float, limit: int) -> Vector:
    """s with |b - J s| <= reduction |b|, or the best of so many directions, from s = 0."""
    size = float(np.linalg.norm(b))
    if size == 0.0 or not np.isfinite(size):
        return np.zeros(b.size)
    basis, h = [b / size], np.zeros((limit + 1, limit))
    for k in range(limit):
        w = apply(basis[k])
        if not np.all(np.isfinite(w)):
            return np.zeros(b.size)
        for j, q in enumerate(basis):  # Arnoldi, by modified Gram-Schmidt
            h[j, k] = q @ w
            w = w - h[j, k] * q
        h[k + 1, k] = np.linalg.norm(w)
        right = np.zeros(k + 2)
        right[0] = size
        y = np.linalg.lstsq(h[: k + 2, : k + 1], right, rcond=None)[0]
        left = float(np.linalg.norm(right - h[: k + 2, : k + 1] @ y))
        if left <= reduction * size or h[k + 1, k] <= 1e-14 * size:
            break
        basis.append(w / h[k + 1, k])
    step: Vector = np.column_stack(basis[: k + 1]) @ y
    return step


def _preconditioner(jacobian: Jacobian, z: Vector) -> Callable[[Vector], Vector]:
    """The inverse of a Jacobian, as far as it has one."""
    J = jacobian(z)

    def apply(w: Vector) -> Vector:
        step = solved(J, w)
        return w if step is None else step

    return apply
