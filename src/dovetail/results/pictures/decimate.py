"""Fewer points that look the same."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...core.signals import Vector


def outline(values: Vector, most: int) -> NDArray[np.intp]:
    """The rows to draw: first and last, and of each bucket its lowest, highest and first gap.

    No peak is lost, however short. About `most` rows; all of them if there are no more.
    """
    rows = len(values)
    if rows <= most:
        return np.arange(rows)
    size = -(-rows // max(1, most // 2))
    whole = rows // size * size
    gap = ~np.isfinite(values)
    low, high = np.where(gap, np.inf, values), np.where(gap, -np.inf, values)
    begins = np.arange(0, whole, size)
    found = [np.array([0, rows - 1])]
    for array, pick in ((low, np.argmin), (high, np.argmax), (gap, np.argmax)):
        if array is gap and not gap.any():
            continue
        found.append(begins + pick(array[:whole].reshape(-1, size), axis=1))
        if whole < rows:
            found.append(np.array([whole + pick(array[whole:])]))
    return np.unique(np.concatenate(found))


def changes(values: NDArray[np.generic], most: int) -> NDArray[np.intp]:
    """The rows where a held value begins, and the last one.

    If those are too many, of each bucket the lowest and the highest value, in the order of text.
    """
    different = np.flatnonzero(np.asarray(values[1:] != values[:-1], dtype=bool)) + 1
    rows = np.unique(np.concatenate([[0], different, [len(values) - 1]]))
    if len(rows) <= most:
        return rows
    _, places = np.unique(values[rows].astype(str), return_inverse=True)
    return rows[outline(places.astype(float), most - 4)]
