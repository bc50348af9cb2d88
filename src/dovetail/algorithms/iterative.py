"""Iterative coupling with any root finder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from ..assembly.attempt import Attempt
from ..assembly.trial import Trial
from ..core.obstacle import Obstacle
from ..core.options import check_method
from ..core.signals import Shape, Signals, Tolerance
from ..rootfinders.anderson import Anderson
from ..rootfinders.base import RootFinder
from ..subsystems.batch import Iteration
from ..topology.components import Structure
from .base import OnLimit, Schedule, check_choice, check_iteration, tolerance_of
from .interface import Interface
from .junction_unknowns import room

ORDERS: dict[Shape, int] = {"hold": 1, "ramp": 2, "hermite": 4}


class _Options(Protocol):
    @property
    def inputs(self) -> Shape: ...
    @property
    def on_limit(self) -> OnLimit: ...
    @property
    def rtol(self) -> float | None: ...
    @property
    def atol(self) -> float | None: ...


@dataclass(frozen=True, slots=True)
class Iterative:
    """Inputs at the window's end that the outputs there confirm, found by a root finder.

    Second order with ramps, first with held inputs, whatever the loop gain if the root finder
    copes with it. All subsystems of a cycle are evaluated in parallel, once per evaluation of
    the residual. Needs repeated answers.

    The interface as a residual: Sicklinger and others, Interface Jacobian-based co-simulation,
    International Journal for Numerical Methods in Engineering 98, 2014. The root finders cite
    their own.
    """

    solver: RootFinder = Anderson()
    inputs: Shape = "ramp"
    on_limit: OnLimit = "stop"
    rtol: float | None = None
    atol: float | None = None

    repeats = True
    solves_junctions = True

    def __post_init__(self) -> None:
        check_iteration(1, self.rtol, self.atol)
        check_choice("inputs", self.inputs, ("hold", "ramp", "hermite"))
        check_choice("on_limit", self.on_limit, ("stop", "accept"))
        check_method("solver", self.solver, "solve", "dv.rootfinders.Anderson()")

    @property
    def order(self) -> int:
        """The order of its global error."""
        return ORDERS[self.inputs]

    def schedule(self, structure: Structure) -> Obstacle:
        """There is no native twin: any root finder may be in it."""
        what = f"Iterative solves with {type(self.solver).__name__}, from Python"
        change = "" if self.inputs == "hermite" else f"dv.Newton(inputs='{self.inputs}')"
        return Obstacle(what, change=change)

    def step(self, attempt: Attempt, state: None) -> Trial:
        """Propose inputs for one window."""
        return solve_components(attempt, self, self.solver)


def iterated(
    method: Literal["fixed point", "newton"], options: _Options, limit: int, structure: Structure
) -> Schedule:
    """What `solve_components` does, as data."""
    tolerance = tolerance_of(options.rtol, options.atol)
    iteration = Iteration(method, limit, options.on_limit == "accept", tolerance)
    order = tuple(i for c in structure.components for i in c.parts)
    return Schedule(False, order, options.inputs, iteration)


def solve_components(
    attempt: Attempt,
    options: _Options,
    finder: RootFinder,
    *,
    sensitivities: bool = False,
    tolerance: Tolerance | None = None,
    begin: Signals | None = None,
    keep: bool = False,
    foretell: bool = False,
    fall_back_size: float = 0.0,
) -> Trial:
    """Solve the interface equations of each cycle; ask the parts outside cycles once.

    `begin`: the inputs at the window's start, if they are not what the outputs there make.
    `keep`: those at its end are handed on as the algorithm's state. `foretell`: the search begins
    where the forecasts of all parts agree, if all have one. Windows below `fall_back_size` are
    swept once, and counted: where values jump, no window is small enough for the equations to
    have a solution.
    """
    draft = attempt.draft()
    begin = attempt.inputs(attempt.before) if begin is None else attempt.settled(begin)
    proposal = attempt.proposal(begin, room(attempt, options.inputs))
    tolerance = tolerance_of(options.rtol, options.atol) if tolerance is None else tolerance
    iterations, doubtful, found = 0, False, attempt.coordination
    for component in attempt.components:
        if not component.cyclic:
            attempt.sweep(component.parts, begin, draft, proposal, options.inputs)
            iterations = max(iterations, 1)
            continue
        if attempt.window.size < fall_back_size:
            attempt.sweep(component.parts, begin, draft, proposal, options.inputs)
            iterations, doubtful = iterations + 1, True
            continue
        interface = Interface(attempt, component, begin, draft, proposal, options.inputs)
        attempt.iterate()
        start = interface.foretold_root(tolerance) if foretell and not component.groups else None
        root = interface.solve(finder, tolerance, sensitivities=sensitivities, start=start)
        attempt.decide()
        iterations += root.evaluations
        if component.groups:
            unknowns = root.value[component.targets.size :]
            found = interface.joints.keep(unknowns, found, root.evaluations)
        if root.converged:
            continue
        if options.on_limit == "stop":
            failure = (
                f"the iteration does not converge: after {root.evaluations} evaluations "
                f"{interface.complaint(root, tolerance)}"
            )
            return Trial(proposal.waveform(), None, iterations, failure)
        doubtful = True
    inputs = proposal.waveform()
    state = inputs.at(attempt.window.size) if keep else None
    return Trial(inputs, state, iterations, coordination=found, doubtful=doubtful)
