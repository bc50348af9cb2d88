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


def matrix_of(given: Any) -> Any:
    """The matrix again."""
    if not isinstance(given, tuple):
        return given
    from scipy.sparse import csc_array, csr_array

    kind, data, indices, indptr, shape = given
    make = csc_array if kind == "csc" else csr_array
    return make((data, indices, indptr), shape=shape)


def same(given: Any, matrix: Any) -> bool:
    """Whether this is the matrix that was given; not whether another one is equal to it."""
    own = plain(matrix)
    if isinstance(given, tuple) and isinstance(own, tuple):
        return given[1] is own[1]
    return given is own


def rows_first(matrix: Any) -> Any:
    """A full matrix in one order of storage, on which sums and their roundings depend."""
    return np.ascontiguousarray(matrix, dtype=float)
