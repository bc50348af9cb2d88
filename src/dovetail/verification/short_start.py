"""Windows of one size for a companion, the first of them cut where the run has its first row."""

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


@dataclass(frozen=True, slots=True)
class ShortStart:
    """As `windows`, but the first ends where that of the run does, which is `first` long.

    A run in one pass knows nothing to extrapolate from when it starts, so that its first window
    may be off by more than all others; with windows twice as long there would be no row to see
    it at. It is as if that window had been cut once before: `FixedStep` does the rest.
    """

    windows: FixedStep
    first: float

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
        """At the start: cut once, and one window that converges lifts that."""
        if state is not None:
            return state
        return CutWindows(count=1, least=self.first, size=self.first, calm=CALM - 1)
