"""How far columns are apart, and over which range they go."""

from __future__ import annotations

from math import inf

import numpy as np

from ..core.signals import Vector
from .recorders.base import Array


def is_numeric(values: Array) -> bool:
    """Whether these are numbers or truth values."""
    return values.dtype.kind in "fiub"


def apart(x: Vector, y: Vector) -> Vector:
    """How far apart: not at all where both are infinite or both NaN, else infinitely."""
    with np.errstate(invalid="ignore"):
        distance = np.abs(x - y)
    same = (x == y) | (np.isnan(x) & np.isnan(y))
    return np.where(same, 0.0, np.where(np.isnan(distance), inf, distance))


def held_apart(x: Array, y: Array) -> Vector:
    """How far apart numbers are; 1 for anything else that is not equal."""
    if is_numeric(x) and is_numeric(y):
        return apart(x.astype(float), y.astype(float))
    return np.asarray(x != y).astype(float)


def range_of(values: Vector) -> float:
    """How far the finite ones of them spread."""
    finite = values[np.isfinite(values)]
    return float(np.ptp(finite)) if len(finite) else 0.0


def size_of(values: Vector) -> float:
    """The largest of the finite ones, without its sign."""
    return float(np.max(np.abs(values[np.isfinite(values)]), initial=0.0))
