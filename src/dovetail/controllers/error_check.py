"""Windows of one size, whose error is watched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import ClassVar, Literal

import numpy as np

from ..assembly.segment import Segment
from ..core.errors import OptionError
from ..core.obstacle import Obstacle
from ..core.options import check_number, check_order, check_truth
from ..core.seconds import Seconds
from ..core.signals import Tolerance, Vector
from ..core.window import Window
from .base import Accept, Branch, Decision, GiveUp, judges
from .limits import check_tolerances

_LINE = 2  # points make a line


@dataclass(frozen=True, slots=True, eq=False)
class ErrorCheckState:
    """What is known of the windows so far: the last points, and the windows beyond tolerance."""

    start: float | None = None  # of the last window, None after an event
    outputs: Vector | None = None  # at that time
    windows: int = 0
    beyond: int = 0
    worst: float = 0.0
    when: float = 0.0
    earlier: tuple[tuple[float, Vector], ...] = ()  # before the last window, where that is needed


@dataclass(frozen=True, slots=True)
class ErrorCheck:
    """Windows of one size; their error is estimated, and nothing else is done about it.

    With `doubling`, by two half steps beside each window, which is the one that is kept, as in
    `StepDoubling` but without its slope check: what outputs bend by between rows is no error of
    rows, and is large in right results of long windows. Three evaluations, and every part must be
    able to roll back. Without, by the derivatives of two windows in a row, which costs nothing
    and asks nothing of the parts.
    `on_error="stop"` ends the run at the first window beyond the tolerances; `"count"` counts
    them, and the verdict reports it. The results are those of `FixedStep`.

    Native twin: `native/defect.c`, without `doubling`.

    Schierz, Arnold and Clauß, Co-simulation with communication step size control in an FMI
    compatible master algorithm, 9th International Modelica Conference, 2012. Without `doubling`
    it is the slope check of `StepDoubling`, taken over windows: a variant of our own.
    """

    size: float
    rtol: float = 1e-5
    atol: float = 1e-6
    doubling: bool = False
    on_error: Literal["count", "stop"] = "count"
    order: int | None = None

    chooses: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_number("the window size", self.size, above=0)
        check_tolerances(self.rtol, self.atol)
        check_truth("doubling", self.doubling)
        check_order(self.order)
        if self.on_error not in ("count", "stop"):
            raise OptionError(f"on_error must be 'count' or 'stop', not {self.on_error!r}")

    def native_obstacle(self, iterates: bool) -> Obstacle | None:
        """Half steps beside each window are made from Python."""
        if self.doubling:
            return Obstacle("two half steps are made beside each window, only to compare")
        if (self.order or 1) > _LINE:
            return Obstacle("the error check lays a polynomial through more than two points")
        return judges(self, ErrorCheck)

    @property
    def rejects(self) -> bool:
        """Only the half steps need parts that roll back."""
        return self.doubling

    @property
    def first_size(self) -> float:
        """Size of the first window."""
        return self.size

    def plan(self, window: Window, state: ErrorCheckState | None) -> tuple[Branch, ...]:
        """One window, after its halves where these are wanted."""
        return (window.halves(), (window,)) if self.doubling else ((window,),)

    def judge(
        self, window: Window, branches: Sequence[Sequence[Segment]], state: ErrorCheckState | None
    ) -> Decision:
        """Accept, or give up where that is asked for."""
        failure = branches[-1][-1].trial.failure
        if failure:
            return GiveUp(failure)
        state = state or ErrorCheckState()
        error, segment = self._error(branches, state), branches[-1][-1]
        if error > 1 and self.on_error == "stop":
            return GiveUp(f"the error of this window is {error:.2g} times the tolerance")
        worse = error > state.worst
        seen = ErrorCheckState(
            None if segment.event else window.start,
            None if segment.event else segment.before.outputs.reals,
            state.windows + 1,
            state.beyond + (error > 1),
            error if worse else state.worst,
            window.stop if worse else state.when,
            () if segment.event else self._earlier(state),
        )
        return Accept(None, seen, doubtful=error > 1)

    def remarks(self, state: ErrorCheckState | None, clock: Seconds) -> tuple[str, ...]:
        """How the windows did."""
        if state is None or not state.beyond:
            return ()
        return (
            f"The error of {state.beyond} of {state.windows} windows was beyond the tolerance, at "
            f"most {state.worst:.2g} times, in the window that ends at {clock.at(state.when)}: "
            "doubtful.",
        )

    def _error(self, branches: Sequence[Sequence[Segment]], state: ErrorCheckState) -> float:
        if self.doubling:
            (_, end), (long,) = branches
            a, f = end.outputs.reals, long.outputs.reals
            return Tolerance(self.rtol, self.atol, "rms").measure(a - f, a)
        return self._bend(branches[-1][-1], state)

    def _earlier(self, state: ErrorCheckState) -> tuple[tuple[float, Vector], ...]:
        """Points before the window that now is the last one."""
        if state.start is None or state.outputs is None:
            return ()
        more = max((self.order or 1) - _LINE, 0)
        found = (*state.earlier, (state.start, state.outputs))
        return found[len(found) - more :] if more < len(found) else found

    def _bend(self, segment: Segment, state: ErrorCheckState) -> float:
        """How far the last point lies off the line, or the polynomial, through those around it."""
        if state.start is None or state.outputs is None:
            return 0.0
        here, f = segment.window.start, segment.outputs.reals
        around = (*state.earlier, (state.start, state.outputs), (segment.window.stop, f))
        if len(around) < max(self.order or 1, _LINE):
            return 0.0
        predicted = np.zeros_like(f)
        for k, (t, y) in enumerate(around):
            others = [s for n, (s, _) in enumerate(around) if n != k]
            predicted = predicted + y * prod((here - s) / (t - s) for s in others)
        off = segment.before.outputs.reals - predicted
        return Tolerance(self.rtol, self.atol).measure(off, f)
