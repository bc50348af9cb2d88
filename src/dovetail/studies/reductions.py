"""From a signal over time to a number for each run."""

from __future__ import annotations

import numpy as np

from ..core.signals import Vector

REDUCTIONS = ("final", "max", "min", "mean")


def reduced(values: Vector, at: str) -> Vector:
    """A number for each run; time is the last axis."""
    match at:
        case "final":
            return np.asarray(values[..., -1])
        case "max":
            return np.asarray(values.max(axis=-1))
        case "min":
            return np.asarray(values.min(axis=-1))
        case _:
            return np.asarray(values.mean(axis=-1))
