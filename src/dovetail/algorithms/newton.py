"""Iterative coupling with the sensitivities of the subsystems."""

from __future__ import annotations

from dataclasses import dataclass

from ..assembly.attempt import Attempt
from ..assembly.trial import Trial
from ..core.obstacle import Obstacle
from ..core.options import check_number
from ..core.signals import Shape
from ..rootfinders.newton import Newton as NewtonRoot
from ..topology.components import Structure
from .base import OnLimit, Schedule, check_choice, check_iteration
from .iterative import ORDERS, iterated, solve_components


@dataclass(frozen=True, slots=True)
class Newton:
    """Modified Newton on the interface of each cycle.

    First order with held inputs, second with ramps, whatever the gain of the loop. The
    sensitivities of the parts cost one advance per coupled input and window, by differences
    through rollback. Needs repeated answers. Below `fall_back_size` a single sweep is accepted
    and counted.

    Native twin: `native/iterated.c`.

    Sicklinger and others, Interface Jacobian-based co-simulation, International Journal for
    Numerical Methods in Engineering 98, 2014; in the form of MasterSim: Nicolai, Robust and
    accurate co-simulation master algorithms applied to FMI slaves with discontinuous signals,
    13th International Modelica Conference, 2019.
    """

    max_iterations: int = 10
    inputs: Shape = "hold"
    fall_back_size: float = 0.0
    on_limit: OnLimit = "stop"
    rtol: float | None = None
    atol: float | None = None

    repeats = True
    solves_junctions = True

    def __post_init__(self) -> None:
        check_iteration(self.max_iterations, self.rtol, self.atol)
        check_choice("inputs", self.inputs, ("hold", "ramp", "hermite"))
        check_choice("on_limit", self.on_limit, ("stop", "accept"))
        check_number("fall_back_size", self.fall_back_size, least=0, endless=True)

    @property
    def order(self) -> int:
        """The order of its global error."""
        return ORDERS[self.inputs]

    def schedule(self, structure: Structure) -> Schedule | Obstacle:
        """The cycles one after another, if their Jacobians are sparse."""
        if any(c.cyclic and c.elimination is None for c in structure.components):
            return Obstacle("the Jacobian of a cycle is not sparse")
        size = self.fall_back_size
        if self.inputs == "hermite":
            what = "Newton solves for derivatives of cubic inputs as well, from Python"
            return Obstacle(what, change="dv.GaussSeidel(50, inputs='hermite')")
        return iterated("newton", self, self.max_iterations, structure, fall_back_size=size)

    def step(self, attempt: Attempt, state: None) -> Trial:
        """Propose inputs for one window."""
        finder, size = NewtonRoot(self.max_iterations), self.fall_back_size
        return solve_components(attempt, self, finder, sensitivities=True, fall_back_size=size)
