"""s(z) of a group of junctions, as a coordinator sees it that is a part of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..core.signals import Vector
from .solving import differences

MeasuredPoint = tuple[Vector, Vector]  # s, and its rounding
Ask = Callable[[list[Vector]], list[MeasuredPoint]]


class SlidingFunction:
    """s for any unknowns, where the parts stand: whoever calls it asks the run.

    `start` are the unknowns as they were, `nominal` the usual size of each, `kept` the Jacobian
    that was used last, or None; `trust` is the rounding of the s that was asked for last. What is
    asked at once, by `many` or for a Jacobian, travels as one message.
    """

    def __init__(
        self,
        ask: Ask,
        start: Vector,
        known: MeasuredPoint,
        nominal: Vector,
        kept: Vector | None,
        time: float,
    ) -> None:
        self._ask, self._known = ask, known
        self.start, self.nominal, self.kept, self.time = start, nominal, kept, time
        self.trust = known[1]

    @property
    def group(self) -> SlidingFunction:
        """What has `nominal`: the function itself."""
        return self

    def __call__(self, z: Vector) -> Vector:
        """The sliding function for these unknowns."""
        return self.many([z])[0][0]

    def many(self, unknowns: Sequence[Vector]) -> list[MeasuredPoint]:
        """The same for several unknowns, each with its rounding: asked for all at once."""
        asked = [np.array(z, dtype=float).reshape(-1) for z in unknowns]
        for z in asked:
            if z.shape != self.start.shape:
                raise ValueError(f"{z.size} unknowns were given for {self.start.size}")
        if len(asked) == 1 and np.array_equal(asked[0], self.start):
            found = [self._known]  # the first question of every window, answered beforehand
        else:
            found = self._ask(asked)
        self.trust = found[-1][1]
        return found

    def jacobian(self, z: Vector, s: Vector | None = None, *, central: bool = False) -> Vector:
        """ds/dz by differences, kept for the next window."""
        z = np.array(z, dtype=float).reshape(-1)
        here = self(z) if s is None else s
        self.kept = differences(self.many, self.nominal, z, here, central=central)
        return self.kept
