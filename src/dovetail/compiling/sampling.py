"""Random points at which compiled functions are compared with what they were traced from."""

from __future__ import annotations

import numpy as np

from ..core.description import Variable
from ..core.signals import Vector
from ..core.values import signals

POINTS = 1000
ROUNDING = 1e-9  # of values: functions of C and NumPy differ in the last bits, sums magnify it


def random_values(group: tuple[Variable, ...], random: np.random.Generator) -> Vector:
    """Within what is declared; else around the start value."""
    start = signals(group, {}).reals
    low = np.repeat([_or(v.minimum, np.nan) for v in group], [v.size for v in group])
    high = np.repeat([_or(v.maximum, np.nan) for v in group], [v.size for v in group])
    far = 1.0 + np.abs(start)
    low = np.where(np.isnan(low), np.fmin(start, high) - far, low)
    high = np.where(np.isnan(high), np.fmax(start, low) + far, high)
    return np.ascontiguousarray(random.uniform(low, high))


def is_near(found: Vector, wanted: Vector) -> bool:
    """Whether both are the same but for rounding."""
    near = ROUNDING * np.maximum(np.abs(wanted), 1e-300)
    scale = ROUNDING * 1e-3 * max([1.0, *np.abs(wanted)])
    return bool(np.all(np.abs(found - wanted) <= near + scale))


def _or(value: float | None, other: float) -> float:
    return other if value is None else float(value)
