"""Windows of a companion that follows a run: they end where those of the run do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, ClassVar, Literal

from ..assembly.segment import Segment
from ..controllers.as_data import ControlData
from ..controllers.base import Accept, Branch, Decision, GiveUp, Retry
from ..core.obstacle import Obstacle
from ..core.window import Window
from ..subsystems.control import ControlMemory, ControlOptions
from .window_ends import WindowEnds

_LEAST = 2.0**-10  # of two windows: one that does not converge is halved down to that
_NEAR = 1e-9  # of two windows: so near to an end is there
_EQUAL = 1e-6  # of two windows: so far apart are sizes that are equal
_ALIKE = 2.0  # times as long: windows that are made one

Steps = Literal[1, 2, 3]


@dataclass(frozen=True, slots=True)
class Following:
    """So many steps over each two windows of a run, which lead to where those end.

    So both runs have rows at the same times, however windows were chosen, and the companion is
    at its best where the run took trouble: two windows that are not alike are not made one, and
    get two steps each instead of three over both. Where events lie elsewhere, the next window
    leads back to an end of the run's.

    Native twin: `native/following.c`.
    """

    ends: WindowEnds = field(compare=False)
    start: float
    steps: Steps

    rejects: ClassVar[bool] = False
    chooses: ClassVar[bool] = True
    varies: ClassVar[bool] = True

    @property
    def first_size(self) -> float:
        """Up to the first end; waits for it."""
        return self._next(self.start) or 1.0

    def native_obstacle(self, iterates: bool) -> Obstacle | None:
        """Native code is told where windows end, as far as that is known."""
        return None

    def control_data(self) -> ControlData[None]:
        """It as native code takes it."""
        return ControlData(
            ControlOptions("follows", self.steps), self._tell, lambda memory: None, waits=True
        )

    def _tell(self, state: None, memory: ControlMemory) -> None:
        memory.ends, memory.all_told = self.ends.told()

    def plan(self, window: Window, state: Any) -> tuple[Branch, ...]:
        """One branch of one window."""
        return ((window,),)

    def judge(self, window: Window, branches: Sequence[Sequence[Segment]], state: Any) -> Decision:
        """It stands if it converges, else half of it may."""
        end = branches[-1][-1]
        if not end.trial.failure:
            return Accept(self._next(end.window.stop))
        around = self.ends.around(window.start)
        whole = around[-1] - around[0] if around else window.size
        if end.trial.cause is not None or window.size / 2 < _LEAST * whole:
            return GiveUp(end.trial.failure)
        return Retry(window.size / 2, "convergence")

    def _next(self, now: float) -> float | None:
        """How far it is to the end of the next window; None where the run has none."""
        around = self.ends.around(now)
        later = now + _NEAR * (around[-1] - around[0]) if around else now
        return next((t - now for t in self._targets(around) if t > later), None)

    def _targets(self, around: tuple[float, ...]) -> tuple[float, ...]:
        """Ends of the steps over two windows, or over a last one alone."""
        if len(around) == 3:
            a, b, c = around
            sizes = b - a, c - b
            if self.steps == 1 and max(sizes) <= _ALIKE * min(sizes):
                return (c,)
            if self.steps == 3 and abs(sizes[1] - sizes[0]) <= _EQUAL * (c - a):
                return a + (c - a) / 3, c - (c - a) / 3, c
        if self.steps < 3:
            return around[1:]
        halves = [(m + (n - m) / 2, n) for m, n in pairwise(around)]
        return tuple(t for both in halves for t in both)
