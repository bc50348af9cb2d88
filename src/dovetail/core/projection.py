"""The best polynomials of a lower order over a window."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import numpy as np

from .signals import Vector


@lru_cache(maxsize=32)
def projection(order: int, columns: int) -> Vector:
    """From powers of a time between 0 and 1 to the best ones up to `order`, in the mean square.

    Worked out in fractions: the same bits on every machine.
    """
    low, high = range(order + 1), range(columns)
    rows = [[Fraction(1, i + j + 1) for j in (*low, *high)] for i in low]
    for i in low:
        rows[i] = [value / rows[i][i] for value in rows[i]]
        for k in low:
            if k != i:
                rows[k] = [a - rows[k][i] * b for a, b in zip(rows[k], rows[i], strict=True)]
    return np.array([[float(value) for value in row[order + 1 :]] for row in rows])
