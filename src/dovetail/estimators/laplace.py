"""The same tensors as the article computes them: transfer functions, inverted numerically.

For comparison. Wrong by 1e-2 where a mode turns by two radians in a window, silently wrong for
modes that grow by more than twice, and NaN for some hundred states.
"""

from __future__ import annotations

from functools import cache
from math import factorial, log
from typing import Any

import numpy as np
from scipy.linalg import hessenberg

from ..core.signals import Vector
from ..subsystems.subsystem import Linearization
from .tensors import Tensors

_BACK = 0.2  # of a window, to look back for the derivatives, as in the article


def published_tensors(lin: Linearization, h: float, columns: int, terms: int) -> Tensors:
    """By Patel-Misra, Gaver-Stehfest, and Richardson's second-order difference in time."""
    n = lin.A.shape[0]
    whole = Transfer(lin.A, np.column_stack([lin.B, np.eye(n)]), lin.C)
    straight = np.column_stack([lin.D, np.zeros((lin.C.shape[0], n))])
    m = lin.B.shape[1]

    def values(time: float) -> tuple[Vector, Vector, Vector, Vector]:
        s = log(2) / time * np.arange(1, terms + 1)
        both = whole(s) + straight  # one matrix for each s
        weight = log(2) / time * stehfest(terms)
        G, P = both[:, :, :m], both[:, :, m:]
        powers = [factorial(k) / s ** (k + 1) for k in range(columns)]
        return (
            np.stack([np.tensordot(weight * p, G, 1) for p in powers], axis=2),
            np.tensordot(weight, P, 1),
            np.tensordot(weight / s, P, 1),
            np.tensordot(weight / s**2, P, 1),
        )

    now, middle, early = values(h), values(h - _BACK * h / 2), values(h - _BACK * h)
    derivatives = [
        (e - 4 * m + 3 * n) / (_BACK * h) for n, m, e in zip(now, middle, early, strict=True)
    ]
    return Tensors(*now, *derivatives)


@cache
def stehfest(terms: int) -> Vector:
    """The weights of Gaver and Stehfest, for an even number of terms."""
    half = terms // 2
    weights = []
    for k in range(1, terms + 1):
        total = sum(
            j**half
            * factorial(2 * j)
            / (
                factorial(half - j)
                * factorial(j)
                * factorial(j - 1)
                * factorial(k - j)
                * factorial(2 * j - k)
            )
            for j in range((k + 1) // 2, min(k, half) + 1)
        )
        weights.append((-1) ** (k + half) * total)
    return np.array(weights)


class Transfer:
    """C (s - A)^-1 B as quotients of polynomials in s, by the method of Misra and Patel.

    For one input, A is turned into Hessenberg form with the input in front. Column k of the
    adjoint is then the product of k subdiagonals and the characteristic polynomial of what lies
    behind, so that all outputs of an input come from one sequence of polynomials.
    """

    def __init__(self, A: Vector, B: Vector, C: Vector) -> None:
        self._numerators = np.zeros((C.shape[0], B.shape[1], A.shape[0] + 1))
        self._denominators = np.ones((B.shape[1], A.shape[0] + 1))
        for j in range(B.shape[1]):
            norm = float(np.linalg.norm(B[:, j]))
            if norm == 0.0 or A.shape[0] == 0:
                continue
            H, Q = _in_front(A, B[:, j] / norm)
            behind = _trailing(H)
            self._denominators[j] = behind[0]
            gain = norm
            with np.errstate(all="ignore"):
                for k in range(A.shape[0]):
                    self._numerators[:, j] += gain * np.outer(C @ Q[:, k], behind[k + 1])
                    gain *= H[k + 1, k] if k + 1 < A.shape[0] else 0.0

    def __call__(self, s: Any) -> Vector:
        """The matrix for each s; NaN where a polynomial leaves the range of floats."""
        with np.errstate(all="ignore"):
            powers = s[:, None] ** np.arange(self._numerators.shape[2])
            below = powers @ self._denominators.T
            quotients: Vector = np.einsum("ijk,sk->sij", self._numerators, powers)
            found: Vector = quotients / below[:, None, :]
        return found


def _in_front(A: Vector, b: Vector) -> tuple[Vector, Vector]:
    """H = Q' A Q of Hessenberg form with Q' b the first unit vector, up to its sign."""
    e = np.zeros(b.size)
    e[0] = 1.0
    v = b + (1.0 if b[0] >= 0 else -1.0) * e
    reflect = np.eye(b.size) - 2 * np.outer(v, v) / (v @ v)
    if reflect[0] @ b < 0:
        reflect[0] *= -1
    H, turn = hessenberg(reflect @ A @ reflect.T, calc_q=True)
    return H, reflect.T @ turn


def _trailing(H: Vector) -> Vector:
    """Characteristic polynomials of H[k:, k:] for all k, lowest power first.

    det(s - H[k:, k:]) = (s - h_kk) p_{k+1} - sum_j h_kj (h_{j,j-1} ... h_{k+1,k}) p_{j+1}.
    """
    n = H.shape[0]
    p = np.zeros((n + 1, n + 1))
    p[n, 0] = 1.0
    with np.errstate(all="ignore"):
        for k in range(n - 1, -1, -1):
            p[k, 1:] = p[k + 1, :-1]
            p[k] -= H[k, k] * p[k + 1]
            product = 1.0
            for j in range(k + 1, n):
                product *= H[j, j - 1]
                p[k] -= H[k, j] * product * p[j + 1]
    return p
