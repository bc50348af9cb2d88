"""Windows sized by comparing one long step with two half steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import ClassVar

from ..errors import OptionError
from ..leg import Leg
from ..signals import Tolerance
from ..window import Window
from .base import Accept, Branch, Decision, GiveUp, Retry


@dataclass(frozen=True, slots=True)
class StepDoubling:
    """Windows sized by comparing one long step with two half steps, which are kept.

    Richardson's difference at the end, and the slope check in the middle for what both miss.
    Three evaluations per window; every subsystem must be able to go back. `order` is that of
    the algorithm unless given.
    """

    rtol: float = 1e-5
    atol: float = 1e-6
    first_size: float = 1e-3
    min_size: float = 0.0
    max_size: float = inf
    order: int | None = None

    rejects: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not 0 < self.first_size <= self.max_size:
            raise OptionError(f"first_size must be above zero and at most {self.max_size:g}")
        if not 0 <= self.min_size <= self.first_size:
            raise OptionError(f"min_size must lie between zero and {self.first_size:g}")
        if not (self.rtol > 0 and self.atol > 0):
            raise OptionError("rtol and atol must be above zero")

    def plan(self, window: Window, state: None) -> tuple[Branch, ...]:
        """The long step, then both halves."""
        return (window,), window.halves()

    def judge(self, window: Window, branches: Sequence[Sequence[Leg]], state: None) -> Decision:
        """Accept, retry or give up."""
        failure = branches[-1][-1].trial.failure
        if failure:
            size = window.size / 5
            if size >= self.min_size and window.start + size > window.start:
                return Retry(size, "convergence")
            return GiveUp(failure)
        (long,), (middle, end) = branches
        tolerance = Tolerance(self.rtol, self.atol)
        y_0, f = long.before.outputs.reals, long.outputs.reals
        m, a = middle.outputs.reals, end.outputs.reals
        richardson = tolerance.measure(a - f, a)
        slope = tolerance.measure(m - (f + y_0) / 2, a)
        error = max(richardson, slope)
        power = 1 / ((self.order or 1) + 1) if richardson >= slope else 0.5
        factor = min(max(0.9 / error**power, 0.2), 2.0) if error > 0 else 2.0
        size = min(max(window.size * factor, self.min_size), self.max_size)
        if error <= 1 or window.size <= self.min_size:
            return Accept(size)
        if window.start + size <= window.start:
            return GiveUp(f"the error stays {error:.2g} times the tolerance at any window size")
        return Retry(size, "error")
