"""Windows of one size for a companion that has a row where the run has its first one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from ..assembly.segment import Segment
from ..controllers.as_data import ControlData, as_data
from ..controllers.base import Branch, Decision
from ..controllers.fixed_step import CALM, CutWindows, FixedStep
from ..core.obstacle import Obstacle
from ..core.window import Window

_QUARTER = 0.25


@dataclass(frozen=True, slots=True)
class ShortStart:
    """As `windows`, but so many of `first` before, and a row where the run has its first one.

    A run knows nothing of what was before when it starts, and what it starts with dies away, so
    that its first window may be off by more than all others; a companion with other windows would
    have no row to see it at. It is as if a window had been cut before: `FixedStep` does the rest.
    """

    windows: FixedStep
    first: float
    count: int

    @staticmethod
    def halved(windows: FixedStep) -> ShortStart:
        """Beside a run with windows half as long, by a better method: half of its first one."""
        return ShortStart(windows, windows.size / 2, 1)

    @staticmethod
    def quartered(windows: FixedStep, size: float) -> ShortStart:
        """Beside a run by the same method, with windows of that size: in quarters up to its row."""
        return ShortStart(windows, _QUARTER * size, CALM)

    rejects: ClassVar[bool] = False
    chooses: ClassVar[bool] = False
    varies: ClassVar[bool] = True

    @property
    def first_size(self) -> float:
        """That of the lines which windows lead to."""
        return self.windows.first_size

    def native_obstacle(self, iterates: bool) -> Obstacle | None:
        """Native code cuts windows itself."""
        return None

    def control_data(self) -> ControlData[CutWindows]:
        """It as native code takes it."""
        data = as_data(self.windows)
        assert data is not None
        return ControlData(data.options, lambda s, m: data.write(self._known(s), m), data.read)

    def plan(self, window: Window, state: CutWindows | None) -> tuple[Branch, ...]:
        """One branch of one window."""
        return self.windows.plan(window, self._known(state))

    def watches(self, state: CutWindows | None) -> bool:
        """Whether windows are cut at present."""
        return self.windows.watches(self._known(state))

    def judge(
        self, window: Window, branches: Sequence[Sequence[Segment]], state: CutWindows | None
    ) -> Decision:
        """Accept, retry or give up."""
        return self.windows.judge(window, branches, self._known(state))

    def _known(self, state: CutWindows | None) -> CutWindows:
        """At the start: cut once, and so many windows that converge lift that."""
        if state is not None:
            return state
        return CutWindows(count=1, least=self.first, size=self.first, calm=CALM - self.count)
