"""The phi-functions of a matrix, seen through an output matrix."""

from __future__ import annotations

from math import ceil, factorial, log2

import numpy as np

from ..core.signals import Vector

_DEGREE = 11  # of the power series; enough for a scaled matrix of size 1/2
_SCALED = 0.5


def phi_rows(C: Vector, z: Vector, count: int) -> list[Vector]:
    """C phi_k(z) for k = 0 ... count, where phi_0 is the exponential.

    phi_k(z) = sum_j z^j / (j + k)!. By its series for z / 2^s, then s times by

        phi_k(2z) = (phi_k(z) phi_0(z) + sum_{j=1..k} phi_j(z) / (k - j)!) / 2^k

    so that only phi_0 is ever a full matrix product; all others are as thin as C. Nothing is
    inverted: a singular or nilpotent matrix is like any other. Kept is phi_0 - 1, since near to
    one the slow modes of a stiff matrix would be lost in its last digits.
    """
    n = z.shape[0]
    if n == 0:
        return [C] * (count + 1)
    eye = np.eye(n)
    z2 = z @ z
    z3 = z2 @ z
    doublings = _doublings(z, z2, z3)
    s = 2.0**-doublings
    z, z2, z3 = s * z, s * s * z2, s**3 * z3
    top = _series(count, z, z2, z3, eye)
    full = [top]  # phi_count, then down to phi_1: phi_{k-1} = z phi_k + 1 / (k - 1)!
    for k in range(count, 1, -1):
        full.insert(0, z @ full[0] + eye / factorial(k - 1))
    less, rows = z @ full[0], [C @ f for f in full]  # phi_0 - 1, and the others
    for _ in range(doublings):
        before = rows
        rows = [
            (row @ less + row + sum(before[j - 1] / factorial(k - j) for j in range(1, k + 1)))
            / 2.0**k
            for k, row in enumerate(before, 1)
        ]
        less = less @ less + 2 * less
    return [C @ less + C, *rows]


def _series(k: int, z: Vector, z2: Vector, z3: Vector, eye: Vector) -> Vector:
    """phi_k by its power series, four powers at a time."""
    c = [1 / factorial(j + k) for j in range(_DEGREE + 1)]
    z4 = z2 @ z2
    total = c[8] * eye + c[9] * z + c[10] * z2 + c[11] * z3
    for j in (4, 0):
        total = total @ z4 + (c[j] * eye + c[j + 1] * z + c[j + 2] * z2 + c[j + 3] * z3)
    return total


def _doublings(z: Vector, z2: Vector, z3: Vector) -> int:
    """How often z must be halved: by the size of its powers, which may be far below its own."""
    one = _norm(z)
    size = min(one, max(_norm(z2) ** (1 / 2), _norm(z3) ** (1 / 3)))
    if not np.isfinite(size) or size <= _SCALED:
        return 0
    return ceil(log2(size / _SCALED))


def _norm(m: Vector) -> float:
    return float(np.max(np.sum(np.abs(m), axis=0)))
