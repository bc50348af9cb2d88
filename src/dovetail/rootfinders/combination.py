"""The combination of columns that cancels a residual best, in the order in which they come."""

from __future__ import annotations

from math import sqrt

import numpy as np

from ..core.signals import Vector, dot


def combination(V: Vector, r: Vector, limits: Vector) -> tuple[list[int], Vector]:
    """Columns of V that are worth something, and c with V c = -r over them as well as can be.

    Orthogonal one by one, in their order; one of which no more than its limit is left says nothing
    that those before do not. Sums go one after another: the same on every processor.

    Native twin: `native/rootfinders.c`.
    """
    basis, kept, rows = list[Vector](), list[int](), list[Vector]()
    for j in range(V.shape[1]):
        if len(basis) == V.shape[0]:
            break
        v, shares = V[:, j], np.zeros(V.shape[0] + 1)
        size = sqrt(dot(v, v))
        for i, q in enumerate(basis):
            shares[i] = dot(q, v)
            v = v - shares[i] * q
        left = sqrt(dot(v, v))
        if not left > limits[j] * size:
            continue
        shares[len(basis)] = left
        basis.append(v / left)
        kept.append(j)
        rows.append(shares)
    c = np.zeros(len(basis))
    for i, q in enumerate(basis):  # Q^T r, taking each share out of what is left
        c[i] = dot(q, r)
        r = r - c[i] * q
    for i in range(len(basis) - 1, -1, -1):
        c[i] /= -rows[i][i]
        c[:i] += rows[i][:i] * c[i]
    return kept, c
