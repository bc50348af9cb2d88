"""A root finder that knows when it has come down to the noise of what it asks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from typing import Any

from ..core.signals import Tolerance, Vector
from .base import Jacobian, Residual, Root, RootFinder, recalled

_LONG = 8  # evaluations: a shorter search has not stopped for noise
_GAIN = 10.0  # of the residual: a last quarter that brings less is in vain
_MARGIN = 2.0  # over the residual that was reached: the next window is not worse


@dataclass(frozen=True, slots=True)
class NoiseFloor:
    """Any root finder; where it comes no further than the noise, it stops there and says so.

    A part with an adaptive solver of its own answers within its tolerance, and no better: where
    the solver takes one step more, the answer jumps. A search that wants more than that hops to
    and fro over such jumps for ever; differences, and Jacobians made of them, are noise as well.
    So close to a root equations are linear, and a search that is neither done nor falling has come
    down to noise. Then its best point is taken, and `Root.floor` says how many times the tolerance
    that is, with a margin. No floor is above the tolerances that a run has by default: what is off
    by more has not come so close. A residual that falls from evaluation to evaluation, however
    slowly, is no noise.

    `floor`: what was found in earlier windows. Of our own; what noise does to differences: Moré
    and Wild, Estimating computational noise, SIAM Journal on Scientific Computing 33, 2011.
    """

    finder: RootFinder
    floor: float = 1.0

    def solve(
        self,
        residual: Residual,
        start: Vector,
        tolerance: Tolerance,
        jacobian: Jacobian | None = None,
    ) -> Root:
        """Look for a root near `start`."""
        most = _most(tolerance)
        if most <= 1:
            return self.finder.solve(residual, start, tolerance, jacobian)
        course = _Course(residual, tolerance)
        found = self.finder.solve(course, start, tolerance.times(self.floor), jacobian)
        found = replace(found, floor=self.floor)
        if found.converged or not course.stagnates or not course.error <= most:
            return found
        residual(course.best)  # the last point evaluated is the one given back
        floor, asked = min(_MARGIN * course.error, most), found.evaluations + 1
        return Root(course.best, course.error / floor, asked, True, found.memory, floor)

    def recalling(self, memory: Any) -> NoiseFloor:
        """The same with what its root finder learned."""
        return NoiseFloor(recalled(self.finder, memory), self.floor)


def _most(tolerance: Tolerance) -> float:
    """How many times the tolerance a floor may be: the default of a run, and no more."""
    usual = Tolerance()
    return min(usual.rtol / tolerance.rtol, usual.atol / tolerance.atol)


class _Course:
    """A residual that remembers where it was smallest, and how it fell."""

    __slots__ = ("_fall", "_residual", "_tolerance", "best", "error")

    def __init__(self, residual: Residual, tolerance: Tolerance) -> None:
        self._residual, self._tolerance = residual, tolerance
        self._fall = list[float]()  # the smallest error so far, evaluation by evaluation
        self.error = inf  # at the best point, 1 at the tolerance
        self.best: Vector

    def __call__(self, z: Vector) -> Vector:
        r = self._residual(z)
        error = self._tolerance.measure(r, z)
        if error < self.error:
            self.best, self.error = z.copy(), error
        self._fall.append(self.error)
        return r

    @property
    def stagnates(self) -> bool:
        """Whether the last quarter brought little, and seldom anything."""
        count = len(self._fall)
        if count < _LONG:
            return False
        last = self._fall[3 * count // 4 - 1 :]
        return last[0] < _GAIN * self.error and 2 * (len(set(last)) - 1) < len(last)
