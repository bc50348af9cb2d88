"""Linear least squares, one observation at a time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.signals import Vector

_RIDGE = 1e-9  # of a column, at least


@dataclass(frozen=True, slots=True, eq=False)
class LeastSquares:
    """M with y = M x for pairs of x and y seen so far, the older the less they count.

    Kept is the triangle R of the observations (x, y), not their squares: half the digits would be
    gone with those. Columns are scaled when it is solved, so that units
    do not matter.
    """

    triangle: Vector
    width: int  # of x

    @staticmethod
    def empty(width: int, height: int) -> LeastSquares:
        """Nothing seen."""
        return LeastSquares(np.zeros((width + height, width + height)), width)

    def learned(self, x: Vector, y: Vector, forgetting: float) -> LeastSquares:
        """With one more pair."""
        row = np.concatenate([x, y])
        stacked = np.vstack([np.sqrt(forgetting) * self.triangle, row])
        triangle: Vector = np.linalg.qr(stacked).R
        return LeastSquares(triangle, self.width)

    def solution(self) -> Vector:
        """M, the smaller the less is known: what was never seen apart is shared evenly.

        A ridge as high as what the observations leave unexplained keeps noise from being taken for
        knowledge.
        """
        n, R = self.width, self.triangle
        scale = np.linalg.norm(R[:, :n], axis=0)
        scale[scale == 0] = 1.0
        left, right, rest = R[:n, :n] / scale, R[:n, n:], R[n:, n:]
        u, s, vt = np.linalg.svd(left)
        size = np.linalg.norm(R[:, n:], axis=0)
        unexplained = np.linalg.norm(rest, axis=0) / np.where(size == 0, 1.0, size)
        ridge = np.maximum(unexplained, _RIDGE)
        inverse = s[:, None] / (s[:, None] ** 2 + ridge**2)
        found: Vector = (vt.T @ (inverse * (u.T @ right))).T / scale
        return found
