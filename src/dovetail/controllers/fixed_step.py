"""Windows of one size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, inf
from typing import ClassVar

from ..assembly.segment import Segment
from ..core.obstacle import Obstacle
from ..core.options import check_number
from ..core.seconds import Seconds
from ..core.window import Window
from .base import Accept, Branch, Controller, Decision, GiveUp, Retry, judges
from .limits import can_be_told

LEAST = 2.0**-10  # of the size, where no min_size is given
CALM = 4  # windows in a row that converge before longer ones are tried again
_REMEDY = "shorter windows do not help; try more iterations, or dv.Newton() or dv.Iterative()"


@dataclass(frozen=True, slots=True)
class CutWindows:
    """How often windows were cut because they did not converge; the least size, and where.

    `size` is what windows are limited to now, and `calm` how many in a row have converged.
    """

    count: int = 0
    least: float = inf
    when: float = 0.0
    size: float = inf
    calm: int = 0


@dataclass(frozen=True, slots=True)
class FixedStep:
    """Windows of one size. One whose iteration does not converge is cut into shorter ones.

    So is one where iterates lead a part to fail that could step over the window at first. It is
    halved, down to a thousandth of `size`; windows grow to `size` again as they converge. How
    often is counted, and the verdict tells it. With `min_size`, down to that, and so is a window
    in which a part fails at once. `min_size=size` cuts nothing: the run ends there. All
    multiples of `size` stay ends of windows.

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
        """Native code leaves windows that do not converge, and parts that fail, to Python."""
        return judges(self, FixedStep)

    def watches(self, state: CutWindows | None) -> bool:
        """Whether windows are cut at present: each one that converges counts."""
        return state is not None and state.size < inf

    def plan(self, window: Window, state: CutWindows | None) -> tuple[Branch, ...]:
        """One branch of one window: up to the next line, or the first of equal steps to it."""
        if state is None or state.size >= window.size:
            return ((window,),)
        steps = ceil(window.size / state.size - 1e-9)
        return ((Window.between(window.start, window.start + window.size / steps),),)

    def judge(
        self, window: Window, branches: Sequence[Sequence[Segment]], state: CutWindows | None
    ) -> Decision:
        """Accept, retry or give up."""
        ((tried,),) = self.plan(window, state)
        trial, half = branches[-1][-1].trial, tried.size / 2
        if not trial.failure:
            return Accept(None, state and self._grown(state))
        least = self.min_size
        if least is None and trial.cause is not None and not trial.diverged:
            return GiveUp(trial.failure)  # a part failed: no matter of windows
        if least is None:
            least = LEAST * self.size
        if half < least or not can_be_told(window, half, self.size):
            is_cut = least <= self.size / 2 and trial.cause is None
            return GiveUp(trial.failure, _REMEDY if is_cut else "")
        cuts = state or CutWindows()
        if half < cuts.least:
            cuts = replace(cuts, least=half, when=window.start)
        return Retry(half, "convergence", replace(cuts, count=cuts.count + 1, size=half, calm=0))

    def remarks(self, state: CutWindows | None, clock: Seconds) -> tuple[str, ...]:
        """How often windows were cut."""
        if state is None:
            return ()
        times = "once" if state.count == 1 else f"{state.count} times"
        return (
            f"A window was cut {times} because it did not converge, down to "
            f"{clock.lasting(state.least)} at {clock.at(state.when)}.",
        )

    def _grown(self, state: CutWindows) -> CutWindows:
        """After a window that converged."""
        if state.size == inf:
            return state
        if state.calm + 1 < CALM:
            return replace(state, calm=state.calm + 1)
        size = 2 * state.size
        return replace(state, size=size if size < self.size else inf, calm=0)


def keeps_to_lines(controller: Controller) -> bool:
    """Whether windows have one size, but where an iteration does not converge."""
    return isinstance(controller, FixedStep) and controller.min_size is None
