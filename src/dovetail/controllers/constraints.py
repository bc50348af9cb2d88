"""Windows sized by what signals may do over them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from ..assembly.segment import Segment
from ..core.options import check_names, check_truth
from ..core.seconds import Seconds
from ..core.signals import Vector
from ..core.window import Window
from .base import Accept, Decision, GiveUp, Retry
from .for_system import Bound, SinglePass
from .limits import can_be_told, check_sizes, clamped
from .step_limits import (
    CrossingLimit,
    DifferenceLimit,
    SamplingLimit,
    SignalCourse,
    StepLimit,
    step_limit,
)
from .watched_signals import WatchedSignals

if TYPE_CHECKING:
    from ..algorithms.base import Algorithm
    from ..drawing.system import System
    from ..topology.components import Structure

_SHORTER = 0.25  # of a window that went too far
_MEMORY = 0.7  # of what extrapolations missed: it falls no faster than that from window to window
_TINY = 5e-324
_NARROWER = 1e-9  # of a size: less is rounding


@dataclass(frozen=True, slots=True, eq=False)
class ConstraintsState:
    """The signals where the last window began, how they went on, and what was decided."""

    earlier: Vector
    slopes: Vector  # first and second derivatives, by row
    errors: Vector  # what lines and parabolas missed, by row
    size: float  # of the last window
    free_size: float  # of the last one that no sampling instant cut
    factors: tuple[float, ...]  # of each rule, of late
    sampled: bool  # whether the next window ends at a sampling instant
    limit: int = -1  # which rule keeps the next window small
    windows: int = 0
    beyond: int = 0  # accepted though a rule was violated
    worst: int = -1  # which one it was, the last time


@dataclass(frozen=True, slots=True)
class Constraints(SinglePass):
    """Windows sized by rules: how far a signal may go, and how closely a zero is hit.

    Any order, one evaluation per window and one more for each that is repeated. `limits` are
    texts: `"difference tank.level rtol=0.01 atol=0.001"`, `"crossing tank.level control.top
    atol=0.01 order=1"` (of one signal, or of the difference of two), `"sampling every=0.5"`. A
    signal is an output, or a parameter, which stays as it is. A window that violates a rule is
    repeated with a quarter of its size, for which every part must be able to roll back; without
    `rollback`, and at `min_size`, it is accepted and counted. Without limits all have `max_size`.

    The rules of the variable steps of Maestro: Thule, Lausdahl, Gomes, Meisl and Larsen, Maestro:
    the INTO-CPS co-simulation framework, Simulation Modelling Practice and Theory 92, 2019.
    """

    limits: tuple[str, ...] = ()
    first_size: float = 1e-3
    min_size: float = 1e-6
    max_size: float = 1.0
    rollback: bool = True

    def __post_init__(self) -> None:
        check_sizes(self.first_size, self.min_size, self.max_size)
        check_truth("rollback", self.rollback)
        check_names("limits", self.limits, '("difference tank.level atol=0.1",)')
        for text in self.limits:
            step_limit(text)

    @property
    def rejects(self) -> bool:  # type: ignore[override]
        """Only windows that are repeated need parts that roll back."""
        return self.rollback

    def bind(self, system: System, structure: Structure, algorithm: Algorithm) -> BoundConstraints:
        """The controller with the places of its signals."""
        rules = tuple(step_limit(text) for text in self.limits)
        names = tuple(dict.fromkeys(name for rule in rules for name in rule.signals))
        watched = WatchedSignals.of(names, system, structure.layout)
        places = tuple(np.array([names.index(n) for n in rule.signals], int) for rule in rules)
        return BoundConstraints(self, rules, places, watched)


@dataclass(frozen=True, slots=True, eq=False)
class BoundConstraints(Bound[Constraints]):
    """The controller for one system."""

    rules: tuple[StepLimit, ...]
    places: tuple[Vector, ...]  # of the signals of each rule
    watched: WatchedSignals

    def judge(
        self, window: Window, branches: Sequence[Sequence[Segment]], state: ConstraintsState | None
    ) -> Decision:
        """Accept, or repeat a window that violates a rule."""
        segment, options = branches[-1][-1], self.options
        shorter = max(_SHORTER * segment.window.size, options.min_size)
        may = options.rollback and shorter < segment.window.size * (1 - _NARROWER)
        may = may and can_be_told(window, shorter, options.first_size)
        if segment.trial.failure:
            return Retry(shorter, "convergence") if may else GiveUp(segment.trial.failure)
        before = self.watched.values(segment.before.outputs)
        now = self.watched.values(segment.outputs)
        violated = self._violated(before, now)
        if violated >= 0 and may:
            return Retry(shorter, "error")
        seen = self._followed(segment.window, before, now, violated, state)
        return self._accepted(segment.window, before, now, seen, state)

    def _violated(self, before: Vector, now: Vector) -> int:
        for k, (rule, at) in enumerate(zip(self.rules, self.places, strict=True)):
            if not isinstance(rule, SamplingLimit) and rule.is_violated(before[at], now[at]):
                return k
        return -1

    def _followed(
        self,
        window: Window,
        before: Vector,
        now: Vector,
        violated: int,
        state: ConstraintsState | None,
    ) -> ConstraintsState:
        """What is known of the signals after this window; sizes are still those of before."""
        h, missed = window.size, np.zeros((2, now.size))
        if state is not None:
            missed = state.errors
        slopes = np.zeros((2, now.size)) if state is None else state.slopes
        line = before + slopes[0] * h
        guesses = np.array([line, line + 0.5 * slopes[1] * h * h])
        found = np.abs(now - guesses) / np.maximum(np.abs(now), _TINY)
        errors = np.maximum(found, _MEMORY * missed + (1 - _MEMORY) * found)
        rise = (now - before) / h
        bend = np.zeros(now.size)
        if state is not None:
            last = (before - state.earlier) / state.size
            bend = 2 * (rise - last) / (h + state.size)
        return ConstraintsState(
            earlier=before,
            slopes=np.array([rise + 0.5 * bend * h, bend]),
            errors=errors,
            size=h,
            free_size=h if state is None or not state.sampled else state.free_size,
            factors=() if state is None else state.factors,
            sampled=False,
            windows=(0 if state is None else state.windows) + 1,
            beyond=(0 if state is None else state.beyond) + (violated >= 0),
            worst=violated if violated >= 0 or state is None else state.worst,
        )

    def _accepted(
        self,
        window: Window,
        before: Vector,
        now: Vector,
        seen: ConstraintsState,
        state: ConstraintsState | None,
    ) -> Accept:
        """Keep the window; the next size is the least that a rule allows."""
        o, sizes, factors = self.options, list[float](), list[float]()
        earlier = None if state is None else state.earlier
        for k, (rule, at) in enumerate(zip(self.rules, self.places, strict=True)):
            if isinstance(rule, SamplingLimit):
                factors.append(inf)
                sizes.append(rule.next_size(window.stop))
                continue
            course = SignalCourse(
                now[at],
                before[at],
                None if earlier is None else earlier[at],
                seen.slopes[:, at],
                seen.errors[:, at],
                seen.size,
                seen.free_size,
            )
            factor = rule.factor(course)
            size = factor * (seen.free_size if isinstance(rule, CrossingLimit) else seen.size)
            if isinstance(rule, DifferenceLimit) and state is not None and state.sampled:
                kept = min(state.factors[k], 1.0)  # a window that was cut says little
                if kept * seen.free_size > size:
                    factor, size = kept, kept * seen.free_size
            factors.append(factor)
            sizes.append(clamped(size, o.min_size, o.max_size))
        size = min([*sizes, o.max_size])
        cutting = [k for k, one in enumerate(sizes) if one == size and size < o.max_size]
        after = ConstraintsState(
            seen.earlier,
            seen.slopes,
            seen.errors,
            seen.size,
            seen.free_size,
            tuple(factors),
            bool(cutting) and all(isinstance(self.rules[k], SamplingLimit) for k in cutting),
            cutting[0] if cutting else -1,
            seen.windows,
            seen.beyond,
            seen.worst,
        )
        return Accept(size, after, doubtful=seen.beyond > (0 if state is None else state.beyond))

    def limit(self, state: ConstraintsState | None) -> str:
        """What keeps windows small."""
        if state is None or state.limit < 0:
            return ""
        return f"the limit '{self.options.limits[state.limit]}'"

    def remarks(self, state: ConstraintsState | None, clock: Seconds) -> tuple[str, ...]:
        """How many windows violated a rule."""
        if state is None or not state.beyond:
            return ()
        text = self.options.limits[state.worst]
        return (
            f"{state.beyond} of {state.windows} windows violated a limit, at last '{text}', and "
            "were accepted: doubtful.",
        )
