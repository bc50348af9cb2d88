"""Windows as another run had them, so that two runs differ in nothing but a value."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ..assembly.segment import Segment
from ..controllers.base import Accept, Branch, Decision, GiveUp
from ..core.window import Window

_SLIVER = 1e-6  # of a window: an end as near as that counts as reached
_REMEDY = "its windows are those of the run beside it; give step= for windows of one size"


@dataclass(frozen=True, slots=True)
class GivenWindows:
    """Windows that end at these times, and at events of the run itself."""

    ends: tuple[float, ...]  # the start of the run first

    rejects: ClassVar[bool] = False
    varies: ClassVar[bool] = True
    chooses: ClassVar[bool] = False

    @property
    def first_size(self) -> float:
        """Size of the first window."""
        return self.ends[1] - self.ends[0]

    def plan(self, window: Window, state: Any) -> tuple[Branch, ...]:
        """One branch of one window."""
        return ((window,),)

    def judge(self, window: Window, branches: Sequence[Sequence[Segment]], state: Any) -> Decision:
        """Accept; the next one goes to the next end."""
        segment = branches[-1][-1]
        if segment.trial.failure:
            return GiveUp(segment.trial.failure, _REMEDY)
        now = segment.window.stop
        return Accept(self._next(now))

    def _next(self, now: float) -> float | None:
        """How far it is to the next end that is worth a window."""
        ends = self.ends
        for k in range(bisect_right(ends, now), len(ends)):
            if ends[k] - now > _SLIVER * (ends[k] - ends[k - 1]):
                return ends[k] - now
        return None
