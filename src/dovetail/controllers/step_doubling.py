"""Windows sized by comparing one long step with two half steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ..assembly.segment import Segment
from ..core.options import check_order, check_truth
from ..core.signals import Signals, Tolerance
from ..core.window import Window
from .base import Accept, Branch, Decision, GiveUp, Retry
from .for_system import Bound
from .limits import can_be_told, check_sizes, check_tolerances, clamped
from .shrinking import REMEDY

if TYPE_CHECKING:
    from ..algorithms.base import Algorithm
    from ..drawing.system import System
    from ..topology.components import Structure

_TINY = 1e-15  # of the first size: no window is tried below, also where time is zero
_HALF_FAILED = 25.0  # the error of a half step that does not converge: a fifth of the size


@dataclass(frozen=True, slots=True)
class StepDoubling:
    """Windows sized by comparing one long step with two half steps, which are kept.

    Richardson's difference at the end, and the slope check in the middle for what both miss.
    Three evaluations per window; every subsystem must be able to roll back. `order` is that of
    the algorithm unless given. With `extrapolate` the recorded outputs are Richardson's, one
    order better; the parts themselves stay where the half steps led.

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

    rejects: ClassVar[bool] = True
    chooses: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_sizes(self.first_size, self.min_size, self.max_size)
        check_tolerances(self.rtol, self.atol)
        check_order(self.order)
        check_truth("extrapolate", self.extrapolate)

    def plan(self, window: Window, state: None) -> tuple[Branch, ...]:
        """The long step, then both halves."""
        return (window,), window.halves()

    def judge(self, window: Window, branches: Sequence[Sequence[Segment]], state: None) -> Decision:
        """Accept, retry or give up."""
        failure = branches[-1][-1].trial.failure
        if failure and len(branches) == 1:
            size = window.size / 5
            if size >= self.min_size and can_be_told(window, size):
                return Retry(size, "convergence")
            return GiveUp(failure)
        if failure:
            error, power = _HALF_FAILED, 0.5
        else:
            error, power = self.error(branches)
        factor = clamped(0.9 / error**power, 0.2, 2.0) if error > 0 else 2.0
        size = clamped(window.size * factor, self.min_size, self.max_size)
        if not failure and (error <= 1 or window.size <= self.min_size):
            outputs = self._extrapolated(branches) if self.extrapolate else None
            return Accept(size, outputs=outputs, doubtful=error > 1)
        if failure and window.size <= self.min_size:
            return GiveUp(failure)
        if not can_be_told(window, size) or size < _TINY * self.first_size:
            return GiveUp(f"the error stays {error:.2g} times the tolerance at any window size")
        return Retry(size, "error")

    def bind(self, system: System, structure: Structure, algorithm: Algorithm) -> BoundDoubling:
        """The controller with the names of what it compares."""
        return BoundDoubling(self, structure.layout.outputs.reals)

    def error(self, branches: Sequence[Sequence[Segment]]) -> tuple[float, float]:
        """The error of a window, 1 at the tolerance, and the power that takes it to a size.

        e_R = WRMS(a - f), e_S = WRMS(m - (f + y_0)/2), both with the weight |a|: f is where the
        long step ends, m and a where the halves do. An event that held inputs have thrown may have
        been anywhere in the last half; what moved there is off by as much.
        """
        (long,), (middle, end) = branches
        tolerance = Tolerance(self.rtol, self.atol)
        y_0, f = long.before.outputs.reals, long.outputs.reals
        m, a = middle.outputs.reals, end.outputs.reals
        richardson = tolerance.measure(a - f, a)
        slope = tolerance.measure(m - (f + y_0) / 2, a)
        late = tolerance.measure(a - m, a) if end.late else 0.0
        if late > max(richardson, slope):
            return late, 1.0
        if richardson >= slope:
            return richardson, 1 / ((self.order or 1) + 1)
        return slope, 0.5

    def _extrapolated(self, branches: Sequence[Sequence[Segment]]) -> Signals:
        """(2^p a - f) / (2^p - 1) for a method of order p."""
        f, a = branches[0][-1].outputs, branches[-1][-1].outputs
        share = 1.0 / (2.0 ** (self.order or 1) - 1.0)
        return replace(a, reals=a.reals + share * (a.reals - f.reals))


@dataclass(frozen=True, slots=True, eq=False)
class BoundDoubling(Bound[StepDoubling]):
    """The controller for one system: it can say which output is off."""

    names: tuple[str, ...]  # of all outputs

    def judge(self, window: Window, branches: Sequence[Sequence[Segment]], state: None) -> Decision:
        """Accept, retry or give up."""
        decision = self.options.judge(window, branches, state)
        if not isinstance(decision, GiveUp) or branches[-1][-1].trial.failure:
            return decision
        (long,), (middle, end) = branches
        a, f, m = end.outputs.reals, long.outputs.reals, middle.outputs.reals
        off = np.maximum(np.abs(a - f), np.abs(m - (f + long.before.outputs.reals) / 2))
        worst = int(np.argmax(off / (np.abs(a) * self.options.rtol + self.options.atol)))
        why = f"most of all in '{self.names[worst]}', which jumps, or comes out otherwise each time"
        return GiveUp(f"{decision.reason}, {why}", REMEDY)
