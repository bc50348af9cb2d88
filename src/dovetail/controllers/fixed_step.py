"""Windows of one size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from ..assembly.segment import Segment
from ..core.obstacle import Obstacle
from ..core.options import check_number
from ..core.window import Window
from .base import Accept, Branch, Decision, GiveUp, Retry


@dataclass(frozen=True, slots=True)
class FixedStep:
    """Windows of one size. Halves a window that failed, down to `min_size` if that is given.

    The usual communication steps of one size, as in Kübler and Schiehlen, Two methods of
    simulator coupling, Mathematical and Computer Modelling of Dynamical Systems 6, 2000.
    """

    size: float
    min_size: float | None = None

    rejects: ClassVar[bool] = False
    chooses: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_number("the window size", self.size, above=0)
        if self.min_size is not None:
            check_number("min_size", self.min_size, above=0, most=self.size)

    @property
    def first_size(self) -> float:
        """Size of the first window."""
        return self.size

    def native_obstacle(self, iterates: bool) -> Obstacle | None:
        """Windows that never fail need no judge; one that fails may be halved."""
        if type(self) is not FixedStep:
            return Obstacle(f"the controller {type(self).__name__} judges each window")
        if iterates and self.min_size is not None:
            return Obstacle("windows that fail are halved", change="leave min_size= out")
        return None

    def plan(self, window: Window, state: None) -> tuple[Branch, ...]:
        """One branch of one window."""
        return ((window,),)

    def judge(self, window: Window, branches: Sequence[Sequence[Segment]], state: None) -> Decision:
        """Accept, retry or give up."""
        failure = branches[-1][-1].trial.failure
        if not failure:
            return Accept()
        if self.min_size is not None and window.size / 2 >= self.min_size:
            return Retry(window.size / 2, "convergence")
        return GiveUp(failure)
