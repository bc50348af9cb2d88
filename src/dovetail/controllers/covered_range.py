"""The range that every signal has covered since the start of a run, to weigh errors with."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf

import numpy as np

from ..core.signals import Vector

_AHEAD = 10.0  # windows: a signal is not taken to move on for longer
_MAGNITUDE = 1e-2  # of its size: a signal that moved less is weighed as if it had moved this far

_MOST = 30.0  # times: a signal at its start is taken to grow so far, in three more windows


@dataclass(frozen=True, slots=True, eq=False)
class CoveredRange:
    """The least and the largest value of each signal so far, and the size of windows before.

    `size` is what windows were to have, endless as long as no error has limited one: a window that
    ends early, at an event, says nothing against it. `failed`: the last try was too long.
    """

    low: Vector
    high: Vector
    size: float = inf
    failed: bool = False

    @staticmethod
    def of(values: Vector) -> CoveredRange:
        """Where nothing has moved yet."""
        return CoveredRange(values, values)

    def joined(self, *points: Vector) -> CoveredRange:
        """With these values as well; those that are no numbers are left out."""
        low, high = self.low, self.high
        for values in points:
            low, high = np.fmin(low, values), np.fmax(high, values)
        return replace(self, low=low, high=high)

    @property
    def scale(self) -> Vector:
        """What errors are measured against: the range, and a little of the largest size."""
        size = np.maximum(np.abs(self.low), np.abs(self.high))
        found: Vector = (self.high - self.low) + _MAGNITUDE * size
        return found

    def between_rows(self, before: CoveredRange) -> Vector:
        """How much more straight lines between rows may miss of signals that are at their start.

        One whose range grows in a window by a factor will have it grow on. What lines miss is
        seen beside all that it covers in the end, as far as three more windows would show: signals
        that begin like a high power of time would have windows of a few percent of it otherwise.
        """
        earlier = np.fmax(before.scale, self.scale / _MOST)
        with np.errstate(invalid="ignore"):
            growth = np.where(self.scale > 0, self.scale / earlier, 1.0)
        found: Vector = np.minimum(growth * growth * growth, _MOST)
        return found

    def weights(self, moved: Vector, size: float) -> Vector:
        """The same for a window of this size in which signals moved so far.

        One that begins to move late has covered nothing yet: it counts as if it had moved on at
        this pace for as long as windows were to be, and for ten of these at most.
        """
        if not size < self.size < inf:
            return self.scale
        found: Vector = np.fmax(self.scale, moved * min(self.size / size, _AHEAD))
        return found
