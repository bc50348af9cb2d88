"""Parallel coupling, iterated or not."""

from __future__ import annotations

from dataclasses import dataclass

from ..assembly.attempt import Attempt
from ..assembly.trial import Trial
from ..core.errors import OptionError
from ..core.obstacle import Obstacle
from ..core.options import check_number
from ..core.signals import Shape, Waveform
from ..rootfinders.base import RootFinder
from ..rootfinders.fixed_point import FixedPoint
from ..subsystems.extrapolating import History
from ..topology.components import Structure
from .base import (
    OnLimit,
    Schedule,
    bounded,
    check_choice,
    check_extrapolation,
    check_iteration,
    check_solver,
)
from .extrapolation import Extrapolation
from .iterative import ORDERS, IterationMemory, iterated, solve_components
from .solver_data import solved_natively


@dataclass(frozen=True, slots=True)
class Jacobi:
    """All subsystems at once, each holding the inputs known at the window's start.

    First order; iterated with ramps, second. One advance per subsystem and iteration. Not
    iterated, it asks nothing of the subsystems. With `extrapolation` inputs follow polynomials
    through their last values, up to third order: of order extrapolation + 1 away from starts
    and events. Below `fall_back_size` a single evaluation is accepted and counted.

    `inputs` over a window: "hold" is zero-order hold (constant), "ramp" linear, "hermite" cubic.

    With a `solver`, any root finder, the coupled inputs of each cycle are found by it instead of
    by plain repetition: preCICE's parallel-implicit coupling with an acceleration. A pass over a
    cycle is an evaluation then, whatever the root finder needs it for. `max_iterations` above 1
    limits them; at 1 the solver's own limit holds.

    Native twins: `native/fused.c`, `native/extrapolated.c` and, iterated, `native/iterated.c`.

    Kübler and Schiehlen, Two methods of simulator coupling, Mathematical and Computer Modelling
    of Dynamical Systems 6, 2000; extrapolated: Busch, Continuous approximation techniques for
    co-simulation methods, ZAMM 96, 2016. The convergence test is that of MasterSim (see
    `GaussSeidel`).
    """

    max_iterations: int = 1
    inputs: Shape = "hold"
    extrapolation: int = 0
    fall_back_size: float = 0.0
    on_limit: OnLimit = "stop"
    rtol: float | None = None
    atol: float | None = None
    solver: RootFinder | None = None

    def __post_init__(self) -> None:
        check_iteration(self.max_iterations, self.rtol, self.atol)
        check_choice("inputs", self.inputs, ("hold", "ramp", "hermite"))
        check_choice("on_limit", self.on_limit, ("stop", "accept"))
        check_number("fall_back_size", self.fall_back_size, least=0, endless=True)
        if self.inputs != "hold" and not self.repeats:
            what = f"Jacobi with inputs='{self.inputs}' must iterate"
            raise OptionError(f"{what}: give max_iterations above 1")
        check_solver(self.solver, self.extrapolation)
        check_extrapolation(self.extrapolation, self.inputs, repeats=self.repeats)

    @property
    def repeats(self) -> bool:
        """Whether windows are evaluated more than once."""
        return self.max_iterations > 1 or self.solver is not None

    @property
    def solves_junctions(self) -> bool:
        """Whether unknowns of junctions are found inside a window."""
        return self.solver is not None

    @property
    def known_ahead(self) -> bool:
        """Whether inputs are what they are at a window's start, wherever it ends."""
        return not self.repeats and not self.extrapolation

    @property
    def order(self) -> int:
        """The order of its global error."""
        return ORDERS[self.inputs] if self.repeats else 1 + self.extrapolation

    def schedule(self, structure: Structure) -> Schedule | Obstacle:
        """All parts at once; iterated, the cycles one after another."""
        if not self.repeats:
            order = tuple(range(len(structure.layout.names)))
            return Schedule(False, order, extrapolation=self.extrapolation)
        limit, size = self.max_iterations, self.fall_back_size
        if self.solver is None:
            return iterated("fixed point", self, limit, structure, fall_back_size=size)
        return solved_natively(self, self.solver, structure, limit=limit, fall_back_size=size)

    def step(self, attempt: Attempt, state: History | IterationMemory | None) -> Trial:
        """Propose inputs for one window."""
        if self.repeats:
            finder: RootFinder = FixedPoint(self.max_iterations)
            if self.solver is not None:
                finder = bounded(self.solver, self.max_iterations)
            carried, size = (
                state if isinstance(state, IterationMemory) else None,
                self.fall_back_size,
            )
            return solve_components(attempt, self, finder, state=carried, fall_back_size=size)
        begin = attempt.inputs(attempt.before)
        if not self.extrapolation:
            return Trial(Waveform.hold(begin))
        window, columns = attempt.window, self.extrapolation + 1
        history = state if isinstance(state, History) else History()
        history = history.joined(window.start, begin.reals, window.size, columns)
        ahead = Extrapolation(attempt, history, columns)
        return Trial(ahead.everyone(begin), history)
