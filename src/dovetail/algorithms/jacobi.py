"""Parallel coupling, iterated or not."""

from __future__ import annotations

from dataclasses import dataclass

from ..attempt import Attempt
from ..errors import OptionError
from ..rootfinders.fixed_point import FixedPoint
from ..signals import Shape, Waveform
from ..structure.components import Structure
from .base import OnLimit, Schedule, Trial, check_choice, check_iteration
from .iterative import ORDERS, iterated, solve_components


@dataclass(frozen=True, slots=True)
class Jacobi:
    """All subsystems at once, each holding the inputs known at the window's start.

    First order; iterated with ramps, second. One advance per subsystem and iteration. Not
    iterated, it asks nothing of the subsystems.
    """

    max_iterations: int = 1
    inputs: Shape = "hold"
    on_limit: OnLimit = "stop"
    rtol: float | None = None
    atol: float | None = None

    def __post_init__(self) -> None:
        check_iteration(self.max_iterations, self.rtol, self.atol)
        check_choice("inputs", self.inputs, ("hold", "ramp", "hermite"))
        check_choice("on_limit", self.on_limit, ("stop", "accept"))
        if self.inputs != "hold" and not self.repeats:
            what = f"Jacobi with inputs='{self.inputs}' must iterate"
            raise OptionError(f"{what}: give max_iterations above 1")

    @property
    def repeats(self) -> bool:
        """Whether windows are evaluated more than once."""
        return self.max_iterations > 1

    @property
    def order(self) -> int:
        """The order of its global error."""
        return ORDERS[self.inputs]

    def schedule(self, structure: Structure) -> Schedule | None:
        """All parts at once; iterated, the cycles one after another."""
        if not self.repeats:
            return Schedule(False, tuple(range(len(structure.layout.names))))
        return iterated("fixed point", self, self.max_iterations, structure)

    def step(self, attempt: Attempt, state: None) -> Trial:
        """Propose inputs for one window."""
        if not self.repeats:
            return Trial(Waveform.hold(attempt.inputs(attempt.before)))
        return solve_components(attempt, self, FixedPoint(self.max_iterations))
