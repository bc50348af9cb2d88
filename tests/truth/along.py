"""Windows that end at given times."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from dovetail.assembly.segment import Segment
from dovetail.controllers.base import Accept, Branch, Decision
from dovetail.core.obstacle import Obstacle
from dovetail.core.window import Window

_SLACK = 1e-12  # of the last time


@dataclass(frozen=True)
class Along:
    """One window from each of the times to the next, so that there is a row at each."""

    times: tuple[float, ...]

    rejects: ClassVar[bool] = False
    chooses: ClassVar[bool] = True

    @property
    def first_size(self) -> float:
        return self._next(self.times[0])

    def native_obstacle(self, iterates: bool) -> Obstacle | None:
        return Obstacle("windows end at given times")

    def plan(self, window: Window, state: Any) -> tuple[Branch, ...]:
        return ((window,),)

    def judge(self, window: Window, branches: Sequence[Sequence[Segment]], state: Any) -> Decision:
        return Accept(self._next(branches[-1][-1].window.stop))

    def _next(self, time: float) -> float:
        place = bisect_right(self.times, time + _SLACK * self.times[-1])
        return self.times[min(place, len(self.times) - 1)] - time or self.times[-1]
