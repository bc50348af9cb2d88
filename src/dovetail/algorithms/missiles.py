"""Iterative coupling that does not iterate: the forecasts of all parts, solved at once."""

from __future__ import annotations

from dataclasses import dataclass

from ..assembly.attempt import Attempt
from ..assembly.trial import Trial
from ..core.obstacle import Obstacle
from ..core.options import check_number
from ..core.signals import Shape, Tolerance
from ..rootfinders.newton import Newton as NewtonRoot
from ..topology.components import Structure
from .base import OnLimit, check_choice, check_iteration
from .iterative import ORDERS, IterationMemory, solve_components


@dataclass(frozen=True, slots=True)
class Missiles:
    """One linear solve a window: the interface of parts that are predicted is affine.

    The same inputs as an iteration on the estimates finds, in one step; fourth order with cubics,
    second with ramps, first with held inputs. Where all parts of a cycle are estimated no part
    is asked before it steps. Parts that roll back are asked at that solution, and the same matrix
    preconditions what is left to do: one genuine step a window for linear parts. Needs repeated
    answers.

    Eguillon, Lacabanne and Tromeur-Dervout, MISSILES: an efficient resolution of the
    co-simulation coupling constraint on nearly linear differential systems through a global
    linear formulation, arXiv 2203.02441, 2022. As a preconditioner of genuine iterations it is
    of our own.
    """

    tolerance: float = 1e-10
    inputs: Shape = "hermite"
    max_iterations: int = 20
    on_limit: OnLimit = "stop"
    rtol: float | None = None
    atol: float | None = None

    repeats = True
    predicts = True

    def __post_init__(self) -> None:
        check_iteration(self.max_iterations, self.rtol, self.atol)
        check_choice("inputs", self.inputs, ("hold", "ramp", "hermite"))
        check_choice("on_limit", self.on_limit, ("stop", "accept"))
        check_number("tolerance", self.tolerance, above=0)

    @property
    def order(self) -> int:
        """The order of its global error."""
        return ORDERS[self.inputs]

    def schedule(self, structure: Structure) -> Obstacle:
        """There is no native twin."""
        return Obstacle("Missiles solves forecasts, which native code does not know")

    def step(self, attempt: Attempt, state: IterationMemory | None) -> Trial:
        """Propose inputs for one window."""
        rtol, atol = (self.tolerance if t is None else t for t in (self.rtol, self.atol))
        return solve_components(
            attempt,
            self,
            NewtonRoot(self.max_iterations),
            sensitivities=True,
            tolerance=Tolerance(rtol, atol, "max"),
            state=state,
            predict=True,
        )
