"""Columns of a sparse matrix that can be found together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.signals import Vector

_MOVE = 6e-6  # by which a value is moved, of its size: rounding and truncation in balance
_TINY = 1e-30  # the imaginary part of a complex step: nothing is rounded


def coloured(pattern: Any) -> list[Any]:
    """Groups of columns without a common row, largest columns first.

    One directional derivative, or one difference, then gives a whole group of a Jacobian. The
    greedy way of Curtis, Powell and Reid (On the estimation of sparse Jacobian matrices, IMA
    Journal of Applied Mathematics 13, 1974): as many groups as the fullest row has entries,
    where the matrix is banded.
    """
    columns = pattern.shape[1]
    starts, rows = pattern.indptr, pattern.indices
    sizes = np.diff(starts)
    groups: list[list[int]] = []
    taken: list[Any] = []
    for column in np.argsort(-sizes, kind="stable").tolist():
        mine = rows[starts[column] : starts[column + 1]]
        for group, used in zip(groups, taken, strict=True):
            if not used[mine].any():
                group.append(column)
                used[mine] = True
                break
        else:
            used = np.zeros(pattern.shape[0], dtype=bool)
            used[mine] = True
            groups.append([column])
            taken.append(used)
    assert sum(map(len, groups)) == columns
    return [np.array(sorted(group), dtype=np.intp) for group in groups]


class ColouredJacobian:
    """Jacobians with the entries of one pattern, a group of columns at a time."""

    def __init__(self, pattern: Any) -> None:
        from scipy.sparse import csc_array

        self.pattern = csc_array(pattern, dtype=bool)
        self.pattern.sort_indices()
        starts = self.pattern.indptr
        self._groups = []
        for columns in coloured(self.pattern):
            spans = [np.arange(starts[k], starts[k + 1]) for k in columns.tolist()]
            places = np.concatenate(spans) if spans else np.zeros(0, dtype=np.intp)
            self._groups.append((columns, places))
        self._owner = np.repeat(np.arange(self.pattern.shape[1]), np.diff(starts))

    @property
    def colours(self) -> int:
        """How many groups there are."""
        return len(self._groups)

    def at(self, function: Callable[[Any], Any], at: Vector, *, complex_step: bool = False) -> Any:
        """df/dv there, by central differences or the complex step, as a sparse matrix."""
        from scipy.sparse import csc_array

        rows, data = self.pattern.indices, np.zeros(self.pattern.nnz)
        up = at + _MOVE * np.maximum(np.abs(at), 1e-3)
        down = at - (up - at)
        for columns, places in self._groups:
            if complex_step:
                moved: Any = at.astype(complex)
                moved[columns] += _TINY * 1j
                change = np.imag(np.asarray(function(moved), dtype=complex)) / _TINY
                data[places] = change[rows[places]]
                continue
            high, low = at.copy(), at.copy()
            high[columns], low[columns] = up[columns], down[columns]
            change = np.asarray(function(high)) - np.asarray(function(low))
            data[places] = change[rows[places]] / (up - down)[self._owner[places]]
        return csc_array((data, rows, self.pattern.indptr), shape=self.pattern.shape)
