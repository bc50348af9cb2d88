"""Newton's method on the fast states, with factors that serve as long as they can."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..signals import Vector
from ..statistics import Effort
from .base import IntegrationFailed, Problem, not_finite
from .colouring import Coloured

Linear = Literal["auto", "dense", "sparse"]
Index = NDArray[np.intp]
_MOST = 10  # iterations before something else is tried
_SLOW = 0.3  # errors that shrink less per iteration call for a new Jacobian
_FEW, _DENSE = 40, 0.25  # a sparse matrix pays above so many states, below such a share
_SAME = 1e-9  # sizes that differ less share their factors
_MOVE = 1.5e-8  # by which a state is moved, of its size, for one-sided differences


class FastPart:
    """Solves x_F = known + size f_F(x) for the fast states of one part, step after step."""

    def __init__(self, fast: Index, count: int, linear: Linear, tolerance: float) -> None:
        self.fast = fast
        self.slow = np.setdiff1d(np.arange(count), fast)
        self.fast_places, self.slow_places = as_slice(self.fast), as_slice(self.slow)
        self.linear, self.tolerance = linear, tolerance
        self._matrix: Any = None
        self._solve: Callable[[Vector], Vector] | None = None
        self._size = 0.0
        self.since = 0.0  # the start of the step at hand
        self._rate = 1.0  # how much an iteration leaves of an error, as seen last
        self._coloured: Coloured | None = None

    def forget(self) -> None:
        """The equations changed: the next step needs a new Jacobian."""
        self._matrix = self._solve = None

    def solve(
        self, problem: Problem, time: float, x: Vector, known: Vector, size: float, effort: Effort
    ) -> None:
        """Fill in the fast states of the stage `x`, from what is there as a guess."""
        fresh = False
        guess = x[self.fast]
        if self._matrix is None:
            self._renew(problem, time, x, effort)
            fresh = True
        while True:
            self._factor(size, effort)
            if self._iterate(problem, time, x, known, size, effort):
                return
            x[self.fast] = guess
            if fresh:
                raise IntegrationFailed(
                    self.since,
                    "Newton's method does not converge on the fast states",
                    "take smaller steps, or look for a jump that no zero crossing tells of",
                )
            self._renew(problem, time, x, effort)
            fresh = True

    def matrix(self, problem: Problem, time: float, x: Vector, effort: Effort) -> Any:
        """df_F/dx_F there."""
        self._renew(problem, time, x, effort)
        return self._matrix

    def _iterate(
        self, problem: Problem, time: float, x: Vector, known: Vector, size: float, effort: Effort
    ) -> bool:
        assert self._solve is not None
        fast, count = self.fast_places, self.fast.size
        weight = 1 / (self.tolerance * (np.abs(x[fast]) + _nominal(problem, fast)))
        before = 0.0
        for k in range(_MOST):
            residual = size * problem.rates(time, x)[fast]
            residual += known
            residual -= x[fast]
            effort.evaluations += 1
            effort.newton_iterations += 1
            if not isfinite(residual.dot(residual)):
                if k == 0:
                    raise not_finite(self.since)
                return False
            change = self._solve(residual)
            x[fast] += change
            change *= weight
            now = (float(change.dot(change)) / count) ** 0.5
            if k:
                self._rate = max(now / before if before else 0.0, 1e-12)
                if self._rate >= 1 or not isfinite(now):
                    return False
            if now * self._rate / max(1 - self._rate, 1e-3) <= 1 or now == 0:
                if self._rate > _SLOW and k > 1:
                    self._matrix = None  # good enough now, too slow for next time
                return True
            before = now
        return False

    def _renew(self, problem: Problem, time: float, x: Vector, effort: Effort) -> None:
        """df_F/dx_F here, given or by differences."""
        fast = self.fast
        effort.jacobians += 1
        if problem.jacobian is not None:
            whole: Any = problem.jacobian(time, x)
            if hasattr(whole, "tocsc"):
                self._matrix = whole.tocsr()[fast].tocsc()[:, fast]
            else:
                self._matrix = np.asarray(whole)[np.ix_(fast, fast)]
        else:
            self._matrix = self._differences(problem, time, x, effort)
        data = self._matrix.data if hasattr(self._matrix, "tocsc") else self._matrix
        if not np.isfinite(data).all():
            raise not_finite(self.since)
        self._solve, self._rate = None, 1.0

    def _differences(self, problem: Problem, time: float, x: Vector, effort: Effort) -> Any:
        fast = self.fast
        if problem.pattern is not None:
            if self._coloured is None:
                part = problem.pattern.tocsr()[fast].tocsc()[:, fast]
                self._coloured = Coloured(part)

            def f(values: Vector) -> Vector:
                moved = x.copy()
                moved[fast] = values
                effort.jacobian_evaluations += 1
                return np.array(problem.rates(time, moved)[fast])

            return self._coloured.at(f, x[fast])
        base = np.array(problem.rates(time, x)[fast])
        effort.jacobian_evaluations += 1 + fast.size
        moves = _MOVE * np.maximum(np.abs(x[fast]), _nominal(problem, fast))
        matrix = np.empty((fast.size, fast.size))
        for column, (k, move) in enumerate(zip(fast.tolist(), moves.tolist(), strict=True)):
            moved = x.copy()
            moved[k] += move
            matrix[:, column] = (problem.rates(time, moved)[fast] - base) / (moved[k] - x[k])
        return matrix

    def _factor(self, size: float, effort: Effort) -> None:
        """Factors of I - size df_F/dx_F, unless those at hand will do."""
        if self._solve is not None and abs(size - self._size) <= _SAME * abs(size):
            return
        effort.factorizations += 1
        self._solve, self._size = solver_of(self._matrix, size, self.linear), size


def solver_of(matrix: Any, size: float, linear: Linear = "auto") -> Callable[[Any], Any]:
    """What solves (I - size matrix) x = b, for one b or several."""
    n = matrix.shape[0]
    is_sparse = hasattr(matrix, "tocsc")
    if linear == "auto":
        filled = (matrix.nnz if is_sparse else np.count_nonzero(matrix)) / max(n * n, 1)
        linear = "sparse" if n > _FEW and filled < _DENSE else "dense"
    try:
        if linear == "sparse":
            from scipy.sparse import csc_array, eye_array
            from scipy.sparse.linalg import splu

            shifted = eye_array(n, format="csc") - size * csc_array(matrix)
            solve: Callable[[Any], Any] = splu(shifted.tocsc()).solve
            return solve
        dense = matrix.toarray() if is_sparse else matrix
        shifted = np.eye(n) - size * dense
        if n == 1 and shifted[0, 0]:
            return lambda b: b / shifted[0, 0]
        from scipy.linalg import get_lapack_funcs

        getrf, getrs = get_lapack_funcs(("getrf", "getrs"), (shifted,))
        lu, pivots, info = getrf(shifted)
        if info:
            raise RuntimeError("singular")
        return lambda b: getrs(lu, pivots, b)[0]
    except RuntimeError:
        raise IntegrationFailed(
            float("nan"), "the equations of the fast states are singular", "take other steps"
        ) from None


def as_slice(places: Index) -> Any:
    """The same places as a slice where they follow each other: views are quick."""
    if places.size and places[-1] - places[0] + 1 == places.size:
        return slice(int(places[0]), int(places[-1]) + 1)
    return places


def _nominal(problem: Problem, fast: Any) -> Any:
    return 1.0 if problem.nominal is None else problem.nominal[fast]
