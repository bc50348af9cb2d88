"""What root finders hand on from window to window, as native code takes it and gives it back."""

from __future__ import annotations

from typing import Any

from ..algorithms.base import Schedule
from ..algorithms.iterative import IterationMemory
from ..rootfinders.iqn_ils import Secants
from ..subsystems.run_memory import LearnedHistory
from ..topology.components import Structure


class LearnedState:
    """The state of a run whose cycles a root finder solves, beside the memory of native windows."""

    def __init__(self, schedule: Schedule, structure: Structure) -> None:
        finder = None if schedule.iteration is None else schedule.iteration.finder
        self._cyclic = [c.cyclic for c in structure.components]
        self.history = LearnedHistory() if finder is not None and finder.reused else None
        self._state: IterationMemory | None = None  # what the history stands for

    def write(self, state: Any) -> bool:
        """Go on from this state; False if noise was met: what comes then is for Python."""
        known = state if isinstance(state, IterationMemory) else None
        if known is not None and any(floor > 1 for floor in known.floors):
            return False
        if self.history is not None and (known is None or known is not self._state):
            memories: tuple[Any, ...] = () if known is None else known.memories
            padded = [*memories, *[None] * len(self._cyclic)][: len(self._cyclic)]
            self.history.groups = tuple(
                tuple((s.residuals, s.answers) for s in taught or ()) for taught in padded
            )
            self._state = known
        return True

    def read(self) -> IterationMemory | None:
        """The state that native windows have led to."""
        if self.history is None:
            return None
        memories = (
            tuple(Secants(*both) for both in taught) if cyclic else None
            for cyclic, taught in zip(self._cyclic, self.history.groups, strict=True)
        )
        self._state = IterationMemory(None, tuple(memories))
        return self._state
