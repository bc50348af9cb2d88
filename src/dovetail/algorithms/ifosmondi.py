"""Iterative coupling with inputs that are smooth across windows."""

from __future__ import annotations

from dataclasses import dataclass

from ..assembly.attempt import Attempt
from ..assembly.trial import Trial
from ..core.obstacle import Obstacle
from ..core.options import check_method, check_number, check_truth
from ..core.signals import Shape, Tolerance
from ..rootfinders.anderson import Anderson
from ..rootfinders.base import RootFinder
from ..topology.components import Structure
from .base import OnLimit, check_choice, check_iteration
from .iterative import IterationMemory, solve_components


@dataclass(frozen=True, slots=True)
class Ifosmondi:
    """Values and derivatives of the coupled inputs at the window's end are the unknowns.

    Inputs are cubics that meet values and derivatives at both ends, so that they are smooth across
    windows. Fourth order, with rollback and with COSTARICA; as published, without what was added
    to that, third. All parts of a cycle are evaluated in parallel, once per evaluation of the
    residual. Needs repeated answers and derivatives of outputs: the part's own, else from its
    linearization, else by backward differences, which costs an order.

    It stops when every residual is below tolerance (1 + |unknown|), derivatives times the window;
    `rtol` and `atol` say it apart.
    With `restart` a window begins with what the outputs are, without with what the last window's
    solution was, as in the article.

    Eguillon, Lacabanne and Tromeur-Dervout, IFOSMONDI co-simulation algorithm with
    Jacobian-free methods in PETSc, Engineering with Computers, 2021.
    """

    solver: RootFinder = Anderson()
    tolerance: float = 1e-10
    restart: bool = True
    on_limit: OnLimit = "stop"
    rtol: float | None = None
    atol: float | None = None

    repeats = True
    order = 4

    def __post_init__(self) -> None:
        check_iteration(1, self.rtol, self.atol)
        check_choice("on_limit", self.on_limit, ("stop", "accept"))
        check_number("tolerance", self.tolerance, above=0)
        check_truth("restart", self.restart)
        check_method("solver", self.solver, "solve", "dv.rootfinders.Anderson()")

    @property
    def inputs(self) -> Shape:
        """Cubics."""
        return "hermite"

    def schedule(self, structure: Structure) -> Obstacle:
        """There is no native twin."""
        return Obstacle("Ifosmondi bounds each residual, and native code their mean square")

    def step(self, attempt: Attempt, state: IterationMemory | None) -> Trial:
        """Propose inputs for one window."""
        rtol, atol = (self.tolerance if t is None else t for t in (self.rtol, self.atol))
        return solve_components(
            attempt,
            self,
            self.solver,
            tolerance=Tolerance(rtol, atol, "max"),
            state=state,
            keep=not self.restart,
        )
