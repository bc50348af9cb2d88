"""The rows of a Jacobian that belong to fast states."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.signals import Vector
from ..core.statistics import Effort
from .base import Problem
from .colouring import ColouredJacobian
from .matrices import rows_first

Index = NDArray[np.intp]
_MOVE = 1.5e-8  # by which a state is moved, of its size, for one-sided differences
_CHEAP = 10  # slow states, beside two per fast one, whose columns are worth their differences
_SMALL = 300  # states up to which a full matrix is quicker to take apart than a sparse one


class Blocks:
    """df_F/dx_F and df_F/dx_S of fast and slow states, given or by differences."""

    def __init__(self, fast: Index, slow: Index) -> None:
        self.fast, self.slow = fast, slow
        self._rows, self._columns = as_slice(fast), as_slice(slow)
        self._coloured: ColouredJacobian | None = None
        self.across: Any = None  # differences of slow states, once they were taken

    def at(self, problem: Problem, time: float, x: Vector, effort: Effort) -> tuple[Any, Any]:
        """Both there. The second is None where it is not given and it would cost too much."""
        if problem.jacobian is not None:
            return self._taken(problem.jacobian(time, x))
        if problem.pattern is not None:
            return self._by_pattern(problem, time, x, effort)
        return self._one_by_one(problem, time, x, effort)

    def _taken(self, whole: Any) -> tuple[Any, Any]:
        """Both, out of the Jacobian of all states."""
        is_sparse = hasattr(whole, "tocsr")
        if is_sparse and whole.shape[0] > _SMALL:
            rows = whole.tocsr()[self._rows].tocsc()
            return rows[:, self._rows], rows[:, self._columns]
        rows = (whole.toarray() if is_sparse else np.asarray(whole, dtype=float))[self._rows]
        return rows_first(rows[:, self._rows]), rows_first(rows[:, self._columns])

    def _by_pattern(
        self, problem: Problem, time: float, x: Vector, effort: Effort
    ) -> tuple[Any, Any]:
        if self._coloured is None:
            self._coloured = ColouredJacobian(problem.pattern.tocsr()[self._rows])

        def f(values: Vector) -> Vector:
            effort.jacobian_evaluations += 1
            return np.array(problem.rates(time, values)[self._rows])

        found = self._coloured.at(f, x)
        return found[:, self._rows], found[:, self._columns]

    def _one_by_one(
        self, problem: Problem, time: float, x: Vector, effort: Effort
    ) -> tuple[Any, Any]:
        """One-sided differences. Those of few slow states are taken once: they serve forecasts."""
        base = np.array(problem.rates(time, x)[self._rows])
        effort.jacobian_evaluations += 1
        if self.across is None and self.slow.size <= _CHEAP + 2 * self.fast.size:
            self.across = self._columns_at(self.slow, problem, time, x, base, effort)
        return self._columns_at(self.fast, problem, time, x, base, effort), self.across

    def _columns_at(
        self,
        places: Index,
        problem: Problem,
        time: float,
        x: Vector,
        base: Vector,
        effort: Effort,
    ) -> Vector:
        effort.jacobian_evaluations += places.size
        nominal = 1.0 if problem.nominal is None else problem.nominal[places]
        moves = _MOVE * np.maximum(np.abs(x[places]), nominal)
        matrix = np.empty((base.size, places.size))
        for column, (k, move) in enumerate(zip(places.tolist(), moves.tolist(), strict=True)):
            moved = x.copy()
            moved[k] += move
            change = problem.rates(time, moved)[self._rows] - base
            matrix[:, column] = change / (moved[k] - x[k])
        return matrix


def as_slice(places: Index) -> Any:
    """The same places as a slice where they follow each other: views are quick."""
    if places.size and places[-1] - places[0] + 1 == places.size:
        return slice(int(places[0]), int(places[-1]) + 1)
    return places
