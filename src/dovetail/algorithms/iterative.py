"""Iterative coupling with any root finder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol

from ..assembly.attempt import Attempt
from ..assembly.trial import Trial
from ..core.obstacle import Obstacle
from ..core.options import check_method
from ..core.signals import Shape, Signals, Tolerance
from ..rootfinders.anderson import Anderson
from ..rootfinders.base import RootFinder, recalled
from ..subsystems.batch import Iteration
from ..topology.components import Component, Structure
from .base import (
    OnLimit,
    Schedule,
    check_choice,
    check_iteration,
    solver_obstacle,
    tolerance_of,
)
from .cycle_loop import Arrangement, CycleOutcome, settle_cycles
from .interface import Interface
from .junction_unknowns import room
from .scheme import parallel, serial

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

    `Jacobi(solver=...)` by the name of what it does, with ramps and Anderson's method unless asked
    otherwise. Second order with ramps, first with held inputs, whatever the loop gain if the root
    finder copes with it. All subsystems of a cycle are evaluated in parallel, once per evaluation
    of the residual. Needs repeated answers.

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
        return solver_obstacle(self, self.solver, self.inputs)

    def step(self, attempt: Attempt, state: IterationMemory | None) -> Trial:
        """Propose inputs for one window."""
        return solve_components(attempt, self, self.solver, state=state)


@dataclass(frozen=True, slots=True, eq=False)
class IterationMemory:
    """What an iteration hands on to the next window.

    The inputs at the window's end, if those of the next begin with them, and what the root finder
    learned, component by component.
    """

    inputs: Signals | None = None
    memories: tuple[Any, ...] = ()


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
    state: IterationMemory | None = None,
    keep: bool = False,
    predict: bool = False,
    fall_back_size: float = 0.0,
    arrange: Arrangement | None = None,
) -> Trial:
    """Solve the interface equations of each cycle; ask the parts outside cycles once.

    `state`: what the last window handed on. `keep`: inputs at the end are handed on as well.
    `predict`: the search begins where the forecasts of all parts agree, if all have one. Windows
    below `fall_back_size` are swept once, and counted: where values jump, no window is small
    enough for the equations to have a solution. `arrange`: the order in which the parts of a cycle
    are asked, one after another; without, they are asked at once.
    """
    state, draft = state or IterationMemory(), attempt.draft()
    begin = state.inputs
    begin = attempt.inputs(attempt.before) if begin is None else attempt.settled(begin)
    proposal = attempt.proposal(begin, room(attempt, options.inputs))
    tolerance = tolerance_of(options.rtol, options.atol) if tolerance is None else tolerance
    memories = [*state.memories, *[None] * len(attempt.components)][: len(attempt.components)]
    coordination = attempt.coordination

    def settle(number: int, component: Component, parts: tuple[int, ...]) -> CycleOutcome:
        nonlocal coordination
        if attempt.window.size < fall_back_size:
            attempt.sweep(parts, begin, draft, proposal, options.inputs)
            return CycleOutcome(1, doubtful=True)
        scheme = parallel(component) if arrange is None else serial(component, parts)
        interface = Interface(attempt, component, begin, draft, proposal, options.inputs, scheme)
        attempt.iterate()
        start = interface.predicted_root(tolerance) if predict and not component.groups else None
        solver = recalled(finder, memories[number])
        root = interface.solve(solver, tolerance, sensitivities=sensitivities, start=start)
        attempt.decide()
        memories[number] = root.memory
        if component.groups:
            unknowns = root.value[interface.size :]
            coordination = interface.joints.keep(unknowns, coordination, root.evaluations)
        if root.converged or options.on_limit == "accept":
            return CycleOutcome(root.evaluations, doubtful=not root.converged)
        what = interface.complaint(root, tolerance)
        return CycleOutcome(root.evaluations, f"{root.evaluations} evaluations {what}")

    found = settle_cycles(attempt, (begin, draft, proposal), options.inputs, settle, arrange)
    inputs = proposal.waveform()
    if found.failure:
        return Trial(inputs, None, found.iterations, found.failure)
    carried = IterationMemory(inputs.at(attempt.window.size) if keep else None, tuple(memories))
    kept = carried if keep or any(m is not None for m in memories) else None
    return Trial(inputs, kept, found.iterations, coordination=coordination, doubtful=found.doubtful)
