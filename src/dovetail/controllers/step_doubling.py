"""Windows sized by comparing one long step with two half steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from ..assembly.segment import Segment
from ..core.obstacle import Obstacle
from ..core.options import check_order, check_truth
from ..core.seconds import Seconds
from ..core.signals import Signals, Tolerance, Vector
from ..core.window import Window
from .base import Accept, Branch, Decision, GiveUp, Retry, judges
from .covered_range import CoveredRange
from .for_system import Bound
from .limits import can_be_told, check_scale, check_sizes, check_tolerances, clamped
from .shrinking import REMEDY
from .unannounced_jumps import UnannouncedJumps

if TYPE_CHECKING:
    from ..algorithms.base import Algorithm
    from ..drawing.system import System
    from ..topology.components import Structure

_HALF_FAILED = 25.0  # the error of a half step that does not converge: a fifth of the size
_GROWTH = 100.0  # at the start, where nothing has limited windows yet
_AGAIN = 0.3  # of a window that fails a second time: its error does not fall as it should
_BETWEEN = 0.02  # of errors weighed by ranges: what straight lines between rows may miss more


@dataclass(frozen=True, slots=True, eq=False)
class DoublingState:
    """What is known so far: ranges, where errors are weighed by them, and jumps."""

    covered: CoveredRange | None = None
    jumps: UnannouncedJumps = UnannouncedJumps()


@dataclass(frozen=True, slots=True)
class StepDoubling:
    """Windows sized by comparing one long step with two half steps, which are kept.

    Richardson's difference at the end, and the slope check in the middle for what both miss.
    Three evaluations per window; every subsystem must be able to roll back. `order` is that of
    the algorithm unless given. With `extrapolate` the recorded outputs are Richardson's, one
    order better; the parts themselves stay where the half steps led.

    `scale`: what `rtol` is relative to. "value", each value as it is, in the root mean square;
    "range", the range that a signal has covered since the start, and that of the worst signal.
    Then a window that an event cut short does not make the next ones short, and the middle may
    lie off the line by fifty times the tolerance, or more where a signal only begins.

    Where an output jumps and no part announces it, the error stays however short a window is.
    Such a window stands once the jump lasts so short that its effect is that of an error at the
    tolerance over the window that was rejected first; the next one has that size again. With a
    `min_size` windows are cut down to that instead, and doubtful only where the effect is larger.

    Native twin: `native/doubling.c`.

    Schierz, Arnold and Clauß, Co-simulation with communication step size control in an FMI
    compatible master algorithm, 9th International Modelica Conference, 2012. The slope check is
    that of Nicolai, Robust and accurate co-simulation master algorithms applied to FMI slaves
    with discontinuous signals, 13th International Modelica Conference, 2019.
    """

    rtol: float = 1e-5
    atol: float = 1e-6
    first_size: float = 1e-3
    min_size: float = 0.0
    max_size: float = inf
    order: int | None = None
    extrapolate: bool = False
    scale: Literal["value", "range"] = "value"

    rejects: ClassVar[bool] = True
    chooses: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_sizes(self.first_size, self.min_size, self.max_size)
        check_tolerances(self.rtol, self.atol)
        check_order(self.order)
        check_truth("extrapolate", self.extrapolate)
        check_scale(self.scale)

    def native_obstacle(self, iterates: bool) -> Obstacle | None:
        """Richardson's outputs come from Python."""
        if self.extrapolate:
            what = "Richardson's outputs are recorded"
            return Obstacle(what, change="leave extrapolate= out")
        return judges(self, StepDoubling)

    def plan(self, window: Window, state: DoublingState | None) -> tuple[Branch, ...]:
        """The long step, then both halves."""
        return (window,), window.halves()

    def judge(
        self,
        window: Window,
        branches: Sequence[Sequence[Segment]],
        state: DoublingState | None,
    ) -> Decision:
        """Accept, retry or give up."""
        failure = branches[-1][-1].trial.failure
        if failure and len(branches) == 1:
            size = window.size / 5
            if size >= self.min_size and can_be_told(window, size, self.first_size):
                return Retry(size, "convergence")
            return GiveUp(failure)
        state = state or DoublingState()
        covered, jumps = self.covered(branches, state), state.jumps
        again = covered is not None and covered.failed
        if failure:
            error, power = _HALF_FAILED, 0.5
        else:
            error, power = self.error(branches, covered, state.covered)
        most = 2.0
        if covered is not None and not again:
            most = _GROWTH if covered.size == inf else max(covered.size / window.size, most)
        factor = clamped(0.9 / error**power, 0.2, most) if error > 0 else most
        size = clamped(window.size * factor, self.min_size, self.max_size)
        usual = None if failure or error <= 1 else jumps.located(window, error)
        if usual is not None and (self.min_size == 0 or window.size <= self.min_size):
            standing = covered and replace(covered, failed=False)
            passed = DoublingState(standing, jumps.passed(window))
            return Accept(usual if self.min_size == 0 else size, passed)
        if not failure and (error <= 1 or window.size <= self.min_size):
            outputs = self._extrapolated(branches) if self.extrapolate else None
            if covered is not None:
                wanted = size if again or factor < most else covered.size
                covered = replace(covered, size=wanted, failed=False)
            seen = DoublingState(covered, jumps.calm(window) if error <= 1 else jumps)
            kept = None if covered is None and seen.jumps == UnannouncedJumps() else seen
            return Accept(size, kept, outputs, doubtful=error > 1)
        if again:
            size = min(size, max(_AGAIN * window.size, self.min_size))
        if failure and window.size <= self.min_size:
            return GiveUp(failure)
        if not can_be_told(window, size, self.first_size):
            stays = f"the error stays {error:.2g} times the tolerance at any window size"
            return GiveUp(failure or stays)
        suspected = jumps if failure else jumps.rejected(window, error)
        before = state.covered and replace(state.covered, failed=True)
        return Retry(size, "error", DoublingState(before, suspected))

    def remarks(self, state: DoublingState | None, clock: Seconds) -> tuple[str, ...]:
        """How many jumps were passed."""
        return () if state is None else state.jumps.remarks(clock)

    def bind(self, system: System, structure: Structure, algorithm: Algorithm) -> BoundDoubling:
        """The controller with the names of what it compares."""
        return BoundDoubling(self, structure.layout.outputs.reals)

    def error(
        self,
        branches: Sequence[Sequence[Segment]],
        covered: CoveredRange | None = None,
        before: CoveredRange | None = None,
    ) -> tuple[float, float]:
        """The error of a window, 1 at the tolerance, and the power that takes it to a size.

        e_R = WRMS(a - f), e_S = WRMS(m - (f + y_0)/2), both with the weight |a|: f is where the
        long step ends, m and a where the halves do. An event that held inputs have thrown may have
        been anywhere in the last half; what moved there is off by as much.
        """
        (long,), (middle, end) = branches
        tolerance = Tolerance(self.rtol, self.atol, "rms" if covered is None else "max")
        y_0, f = long.before.outputs.reals, long.outputs.reals
        m, a = middle.outputs.reals, end.outputs.reals
        weight = line = a
        bend = 1.0
        if covered is not None:
            moved = np.maximum(np.abs(m - y_0), np.abs(a - m))
            weight, bend = covered.weights(moved, end.window.size), _BETWEEN
            start = before or CoveredRange.of(y_0)
            line = weight * covered.between_rows(start)
        richardson = tolerance.measure(a - f, weight)
        slope = bend * tolerance.measure(m - (f + y_0) / 2, line)
        late = tolerance.measure(a - m, weight) if end.late else 0.0
        if late > max(richardson, slope):
            return late, 1.0
        if richardson >= slope:
            return richardson, 1 / ((self.order or 1) + 1)
        return slope, 0.5

    def covered(
        self, branches: Sequence[Sequence[Segment]], state: DoublingState | None
    ) -> CoveredRange | None:
        """The ranges with this window; None where errors are weighed by values."""
        if self.scale == "value":
            return None
        before = state.covered if state is not None else None
        before = before or CoveredRange.of(branches[0][0].before.outputs.reals)
        return before.joined(*(s.outputs.reals for s in branches[-1] if not s.trial.failure))

    def _extrapolated(self, branches: Sequence[Sequence[Segment]]) -> Signals:
        """(2^p a - f) / (2^p - 1) for a method of order p."""
        f, a = branches[0][-1].outputs, branches[-1][-1].outputs
        share = 1.0 / (2.0 ** (self.order or 1) - 1.0)
        return replace(a, reals=a.reals + share * (a.reals - f.reals))


@dataclass(frozen=True, slots=True, eq=False)
class BoundDoubling(Bound[StepDoubling]):
    """The controller for one system: it can say which output is off."""

    names: tuple[str, ...]  # of all outputs

    def judge(
        self,
        window: Window,
        branches: Sequence[Sequence[Segment]],
        state: DoublingState | None,
    ) -> Decision:
        """Accept, retry or give up."""
        decision = self.options.judge(window, branches, state)
        if not isinstance(decision, GiveUp) or branches[-1][-1].trial.failure:
            return decision
        (long,), (middle, end) = branches
        a, f, m = end.outputs.reals, long.outputs.reals, middle.outputs.reals
        off = np.maximum(np.abs(a - f), np.abs(m - (f + long.before.outputs.reals) / 2))
        covered = self.options.covered(branches, state)
        weight: Vector = np.abs(a) if covered is None else covered.scale
        worst = int(np.argmax(off / (weight * self.options.rtol + self.options.atol)))
        why = f"most of all in '{self.names[worst]}', which jumps, or comes out otherwise each time"
        return GiveUp(f"{decision.reason}, {why}", REMEDY)

    def remarks(self, state: DoublingState | None, clock: Seconds) -> tuple[str, ...]:
        """How many jumps were passed."""
        return self.options.remarks(state, clock)
