"""Columns of a sparse matrix that can be found together."""

from __future__ import annotations

from typing import Any

import numpy as np


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
