"""Matrices, full and sparse, as plain arrays that can be written down."""

from __future__ import annotations

from typing import Any

import numpy as np


def plain(matrix: Any) -> Any:
    """The arrays that a matrix is made of, not copied; None stays None."""
    if not hasattr(matrix, "indptr"):
        return matrix
    shape = tuple(int(n) for n in matrix.shape)
    return matrix.format, matrix.data, matrix.indices, matrix.indptr, shape


def matrix_of(told: Any) -> Any:
    """The matrix again."""
    if not isinstance(told, tuple):
        return told
    from scipy.sparse import csc_array, csr_array

    kind, data, indices, indptr, shape = told
    make = csc_array if kind == "csc" else csr_array
    return make((data, indices, indptr), shape=shape)


def same(told: Any, matrix: Any) -> bool:
    """Whether this is the matrix that was told; not whether another one is equal to it."""
    own = plain(matrix)
    if isinstance(told, tuple) and isinstance(own, tuple):
        return told[1] is own[1]
    return told is own


def rows_first(matrix: Any) -> Any:
    """A full matrix in one order of storage, on which sums and their roundings depend."""
    return np.ascontiguousarray(matrix, dtype=float)
