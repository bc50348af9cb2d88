"""Linear equations of implicit steps: factored once, solved often."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

Linear = Literal["auto", "dense", "sparse"]
Solver = Callable[[Any], Any]
_FEW, _FILLED = 40, 0.25  # a sparse matrix pays above so many states, below such a share
_SMALL = 10_000  # entries up to which a full product is quicker than a sparse one


class SingularMatrix(Exception):
    """Equations without a solution, or with many."""


def solver_of(matrix: Any, size: float, linear: Linear = "auto") -> Solver:
    """What solves (I - size matrix) x = b, for one b or several."""
    n = matrix.shape[0]
    is_sparse = hasattr(matrix, "tocsc")
    if linear == "auto":
        filled = (matrix.nnz if is_sparse else np.count_nonzero(matrix)) / max(n * n, 1)
        linear = "sparse" if n > _FEW and filled < _FILLED else "dense"
    if linear == "sparse":
        return _sparse(matrix, size)
    dense = matrix.toarray() if is_sparse else matrix
    shifted = -size * dense
    shifted.flat[:: n + 1] += 1.0
    if n == 1 and shifted[0, 0]:
        return lambda b: b / shifted[0, 0]
    from scipy.linalg.lapack import dgetrf, dgetrs

    lu, pivots, info = dgetrf(shifted)
    if info:
        raise SingularMatrix
    return lambda b: dgetrs(lu, pivots, b)[0]


def _sparse(matrix: Any, size: float) -> Solver:
    from scipy.sparse import csc_array, eye_array
    from scipy.sparse.linalg import splu

    shifted = eye_array(matrix.shape[0], format="csc") - size * csc_array(matrix)
    try:
        solve: Solver = splu(shifted.tocsc()).solve
    except RuntimeError:  # how it says that a pivot is zero
        raise SingularMatrix from None
    return solve


def product_of(matrix: Any, size: float) -> Solver | None:
    """What multiplies with `size * matrix`; None if that is zero."""
    is_sparse = hasattr(matrix, "tocsr")
    entries = matrix.nnz if is_sparse else np.count_nonzero(matrix)
    if not entries:
        return None
    rows, columns = matrix.shape
    if rows * columns <= _SMALL or entries > _FILLED * rows * columns:
        dense = size * (matrix.toarray() if is_sparse else np.asarray(matrix, dtype=float))
        product: Solver = dense.dot
        return product
    from scipy.sparse import csr_array

    sparse = csr_array(matrix) * size
    return lambda x: sparse @ x
