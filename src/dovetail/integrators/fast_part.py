"""Newton's method on the fast states, with factors that serve as long as they can."""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.signals import Vector
from ..core.statistics import Effort
from .base import IntegrationFailed, Problem, not_finite
from .blocks import Blocks, as_slice
from .factors import Linear, SingularMatrix, Solver, product_of, solver_of
from .matrices import matrix_of, plain, same

Index = NDArray[np.intp]
_MOST = 10  # iterations before something else is tried
_SLOW = 0.3  # errors that shrink less per iteration call for a new Jacobian
_SAME = 1e-9  # sizes that differ less share their factors
_ENOUGH = 0.1  # of the tolerance: an error that is left as it is


class FastPart:
    """Solves y_F = known + share * size * f_F(y) for the fast states of one part, step after step.

    What was solved is always confirmed by the rates there; factors may be old. A stage starts
    from what the Jacobian predicts, slow states included where their columns are known. If the
    equations are as linear as that, the rates that confirm it are all that a stage asks for,
    and they serve the next one.
    """

    def __init__(self, fast: Index, count: int, linear: Linear, tolerance: float) -> None:
        is_fast = np.zeros(count, dtype=bool)
        is_fast[fast] = True
        self.fast, self.slow = fast, np.flatnonzero(~is_fast)
        self.fast_places, self.slow_places = as_slice(self.fast), as_slice(self.slow)
        self.linear, self.tolerance = linear, tolerance
        self.since = 0.0  # the start of the step at hand
        self._blocks = Blocks(self.fast, self.slow)
        self._matrix: Any = None
        self._across: Any = None  # df_F/dx_S, where it is known
        self._solve: Solver | None = None
        self._push: Any = None  # what moves of slow states do to fast ones
        self._size = 0.0  # the factors are for
        self._worst = 1.0  # how much larger than a residual the error behind it may be
        self._least = 1.0  # nominal size of a fast state
        self._tiny = 0.0  # sums of squares of residuals that are small whatever the states are
        self._missed: dict[int, Vector] = {}  # by how much the last forecast was off, by stage

    def matrix(self, problem: Problem, time: float, x: Vector, effort: Effort) -> Any:
        """df_F/dx_F there."""
        self._renew(problem, time, x, effort)
        return self._matrix

    def memory(self) -> tuple[Any, ...]:
        """The equations that steps are solved with, as plain values."""
        return plain(self._matrix), plain(self._across), self._size, self._least

    def recall(self, memory: tuple[Any, ...] | None) -> None:
        """Solve with these equations again; with None, with those of the next step."""
        self._missed.clear()
        if memory is None:
            self._matrix = self._across = self._solve = self._blocks.across = None
            return
        matrix, across, size, least = memory
        if not (same(matrix, self._matrix) and same(across, self._across) and size == self._size):
            self._matrix, self._across, self._solve = matrix_of(matrix), matrix_of(across), None
            self._size, self._least = size, least
            self._blocks.across = self._across

    def prepare(
        self, problem: Problem, time: float, x: Vector, size: float, effort: Effort
    ) -> None:
        """Have factors at hand, for the equations there."""
        if self._matrix is None:
            self._renew(problem, time, x, effort)
        self._factor(size, effort)

    def forget(self) -> None:
        """Inputs may have jumped: what forecasts missed is no guide any more."""
        self._missed.clear()

    def predict(self, rise: Vector, stage: int, effort: Effort) -> None:
        """Complete the way to stage `stage`: of slow states it is known.

        Fast ones come as the way they would make with the rates of the stage before. What that
        missed in the last step, because inputs move or columns are not known, it would miss again.
        """
        assert self._solve is not None
        effort.newton_iterations += 1
        part = rise[self.fast_places]
        if self._push is not None:
            pushed = self._push(rise[self.slow_places])
            pushed += part
            part = pushed
        if self._missed and stage in self._missed:
            part = part + self._missed[stage]
        rise[self.fast_places] = self._solve(part)

    def solve(
        self,
        problem: Problem,
        time: float,
        y: Vector,
        known: Vector,
        before: Vector,
        share: float,
        size: float,
        effort: Effort,
        predicted: int | None,
    ) -> Vector | None:
        """Fill in the fast states of the stage `y`, from what is there as a guess.

        `predicted` is the number of a stage that was. Returns size * f(y), or None where the last
        correction was not evaluated any more.
        """
        fresh = self._matrix is None
        if fresh:
            self._renew(problem, time, y, effort)
        while True:
            self._factor(share * size, effort)
            done, moves = self._iterate(problem, time, y, known, share, size, effort, predicted)
            if done:
                return moves
            y[self.fast_places] = before[self.fast_places]
            if fresh and predicted is None:
                raise IntegrationFailed(
                    self.since,
                    "Newton's method does not converge on the fast states",
                    "take smaller steps, or look for a jump without a zero crossing",
                )
            self._renew(problem, time, y, effort)
            fresh, predicted = True, None

    def _iterate(
        self,
        problem: Problem,
        time: float,
        y: Vector,
        known: Vector,
        share: float,
        size: float,
        effort: Effort,
        predicted: int | None,
    ) -> tuple[bool, Vector | None]:
        """Whether it converged, and the moves at the end of it."""
        assert self._solve is not None
        fast, before, rate, weight = self.fast_places, 0.0, 1.0, None
        for k in range(_MOST):
            effort.evaluations += 1
            moves = size * problem.rates(time, y)
            residual = moves[fast] + known if share == 1 else share * moves[fast] + known
            residual -= y[fast]
            square = float(residual.dot(residual))
            if square <= self._tiny:
                return True, moves
            if not isfinite(square):
                if k == 0 and predicted is None:
                    raise not_finite(self.since)
                return False, None
            if k == 0 and predicted is not None:
                missed = self._missed.get(predicted)
                self._missed[predicted] = residual if missed is None else missed + residual
            if weight is None:
                weight = 1 / (self.tolerance * (np.abs(y[fast]) + _nominal(problem, fast)))
            if self._worst * _mean(residual * weight) <= _ENOUGH:
                return True, moves
            effort.newton_iterations += 1
            change = self._solve(residual)
            now = _mean(change * weight)
            if now <= _ENOUGH:
                return True, moves
            y[fast] += change
            if k:
                rate = now / before
                if rate >= 1 or not isfinite(now):
                    return False, None
            if now <= 1 or (k and now * rate / (1 - rate) <= 1):
                if rate > _SLOW and k > 1:
                    self._matrix = None  # good enough now, too slow for next time
                return True, None
            before = now
        return False, None

    def _renew(self, problem: Problem, time: float, x: Vector, effort: Effort) -> None:
        """The Jacobian here."""
        effort.jacobians += 1
        self._matrix, self._across = self._blocks.at(problem, time, x, effort)
        for block in (self._matrix, self._across):
            if block is not None and not np.isfinite(getattr(block, "data", block)).all():
                raise not_finite(self.since)
        self._least = float(np.min(_nominal(problem, self.fast_places)))
        self._solve = None
        self._missed.clear()

    def _factor(self, size: float, effort: Effort) -> None:
        """Factors of I - size df_F/dx_F, unless those at hand will do."""
        near = abs(size - self._size) <= _SAME * abs(size)
        if near and self._solve is not None:
            return
        effort.factorizations += 1
        size = self._size = self._size if near else size
        try:
            self._solve = solver_of(self._matrix, size, self.linear)
        except SingularMatrix:
            what = "the equations of the fast states are singular"
            raise IntegrationFailed(self.since, what, "take other steps") from None
        self._push = None if self._across is None else product_of(self._across, size)
        # exact for matrices that only pass things on, as networks do, and a fair guess for others
        self._worst = max(1.0, float(np.abs(self._solve(np.ones(self.fast.size))).max()))
        small = _ENOUGH * self.tolerance * self._least / self._worst
        self._tiny = self.fast.size * small * small


def _mean(weighted: Vector) -> float:
    return float(np.sqrt(weighted.dot(weighted) / weighted.size))


def _nominal(problem: Problem, fast: Any) -> Any:
    return 1.0 if problem.nominal is None else problem.nominal[fast]
