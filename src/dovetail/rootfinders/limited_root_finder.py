"""A root finder with a limit from outside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..core.signals import Tolerance, Vector
from .base import Jacobian, Residual, Root, RootFinder, recalled


class _LimitReached(Exception):
    """The residual was evaluated as often as it may be."""


@dataclass(frozen=True, slots=True)
class LimitedRootFinder:
    """Any root finder, ended after so many evaluations of the residual, differences included.

    For algorithms that limit passes over a cycle, whatever limits their root finder has.
    """

    finder: RootFinder
    limit: int

    def solve(
        self,
        residual: Residual,
        start: Vector,
        tolerance: Tolerance,
        jacobian: Jacobian | None = None,
    ) -> Root:
        """Look for a root near `start`; at the limit, the last point evaluated is given back."""
        count, last = 0, (start, start)

        def counted(z: Vector) -> Vector:
            nonlocal count, last
            if count == self.limit:
                raise _LimitReached
            count += 1
            last = z.copy(), residual(z)
            return last[1]

        try:
            return self.finder.solve(counted, start, tolerance, jacobian)
        except _LimitReached:
            z, r = last
            return Root(z, tolerance.measure(r, z), count, False)

    def recalling(self, memory: Any) -> LimitedRootFinder:
        """The same with what its root finder learned."""
        return LimitedRootFinder(recalled(self.finder, memory), self.limit)
