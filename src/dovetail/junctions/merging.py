"""How parts that start apart come together."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp

import numpy as np

from ..core.signals import Vector


@dataclass(frozen=True, slots=True, eq=False)
class InheritedGap:
    """A disagreement that was there at some time, before any window could avoid it.

    It dies away as it does in sliding mode: with index - 1 poles at -1/mu. An iterated junction
    that closed it in one window instead would need the higher a push, the shorter the window.
    """

    gap: Vector
    slope: Vector
    since: float
    scale: float

    def at(self, time: float, index: Vector) -> tuple[Vector, Vector, Vector]:
        """What is left of it: g, g', and the derivative that the unknown moves, by row."""
        if self.scale <= 0 or not (np.any(self.gap) or np.any(self.slope)):
            nothing = np.zeros(index.size)
            return nothing, nothing, nothing
        mu, t = self.scale, max(time - self.since, 0.0)
        fall = exp(-t / mu)
        lower, twice = index == 2, index == 3
        speed = np.where(twice, self.slope + self.gap / mu, 0.0)
        gap = np.where(lower | twice, self.gap + speed * t, 0.0) * fall
        slope = speed * fall - gap / mu
        bend = -(gap + 2 * mu * slope) / mu**2
        return gap, slope, np.where(twice, bend, slope)

    def with_jump(self, time: float, index: Vector, gap: Vector, slope: Vector) -> InheritedGap:
        """What an event has added to what is left."""
        left = self.at(time, index)
        return InheritedGap(left[0] + gap, left[1] + slope, time, self.scale)
