"""What one mixed step does to small deviations: the check that a split is stable."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.signals import Vector
from .factors import solver_of
from .pairs import PAIRS

Index = NDArray[np.intp]
_FEW = 300  # states up to which all eigenvalues are computed


def step_of(J: Any, fast: Index, size: float, method: str) -> Any:
    """A function that moves deviations, one or several columns, by one mixed step of x' = J x."""
    pair = PAIRS[method]
    n = J.shape[0]
    slow = np.setdiff1d(np.arange(n), fast)
    sparse = hasattr(J, "tocsr")
    rows: Any = J.tocsr() if sparse else np.asarray(J)
    J_fast, J_slow = rows[fast], rows[slow]
    J_ff = J_fast.tocsc()[:, fast] if sparse else J_fast[:, fast]
    J_fs = J_fast.tocsc()[:, slow] if sparse else J_fast[:, slow]
    shares = {size * row[-1] for row in pair.implicit[1:]}
    solvers = {share: solver_of(J_ff, share) for share in shares} if fast.size else {}

    def step(x: Vector) -> Vector:
        stages = [np.zeros_like(x)]
        stages[0][fast], stages[0][slow] = J_fast @ x, J_slow @ x
        for i in range(1, len(pair.nodes)):
            y, known = x.copy(), x[fast].copy()
            for a, k in zip(pair.explicit[i], stages, strict=False):
                y[slow] += size * a * k[slow]
            for a, k in zip(pair.implicit[i][:i], stages, strict=True):
                known += size * a * k[fast]
            share = size * pair.implicit[i][i]
            derivative = np.zeros_like(x)
            if fast.size:
                y[fast] = solvers[share](known + share * (J_fs @ y[slow]))
                derivative[fast] = (y[fast] - known) / share
            derivative[slow] = J_slow @ y
            stages.append(derivative)
        new = x.copy()
        for a, b, k in zip(pair.explicit_weights, pair.implicit_weights, stages, strict=True):
            new[slow] += size * a * k[slow]
            new[fast] += size * b * k[fast]
        return new

    return step


def amplification(J: Any, fast: Index, size: float, method: str) -> Vector:
    """The matrix of one mixed step."""
    matrix: Vector = step_of(J, fast, size, method)(np.eye(J.shape[0]))
    return matrix


def radius(J: Any, fast: Index, size: float, method: str) -> float:
    """The spectral radius of one mixed step: above 1, something grows from step to step.

    All eigenvalues for small systems; the largest by Arnoldi's method for large ones.
    """
    n = J.shape[0]
    if n <= _FEW:
        matrix = amplification(J, fast, size, method)
        if not np.isfinite(matrix).all():
            return float("inf")
        return float(np.max(np.abs(np.linalg.eigvals(matrix)), initial=0.0))
    from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigs

    step = step_of(J, fast, size, method)
    operator = LinearOperator((n, n), matvec=step, dtype=float)
    start = np.random.default_rng(0).standard_normal(n)
    try:
        found = eigs(
            operator, 4, which="LM", v0=start, tol=1e-4, maxiter=20, return_eigenvectors=False
        )
    except ArpackNoConvergence as error:
        found = error.eigenvalues
        if not len(found):
            return _power(step, start)
    return float(np.max(np.abs(found)))


def _power(step: Any, x: Vector) -> float:
    """How fast something grows that was moved many times."""
    for _ in range(200):
        x = step(x / np.linalg.norm(x))
    before = float(np.linalg.norm(x))
    after = float(np.linalg.norm(step(x)))
    return after / before
