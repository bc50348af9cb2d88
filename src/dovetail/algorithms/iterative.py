"""Iterative coupling with any root finder."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

from ..assembly.attempt import Attempt
from ..assembly.trial import Trial
from ..core.obstacle import Obstacle
from ..core.options import check_method
from ..core.signals import Shape, Signals, Tolerance
from ..rootfinders.anderson import Anderson
from ..rootfinders.base import Root, RootFinder, recalled
from ..rootfinders.noise_floor import NoiseFloor
from ..subsystems.iteration import Iteration
from ..topology.component import Component
from ..topology.components import Structure
from .base import (
    OnLimit,
    Schedule,
    check_choice,
    check_iteration,
    tolerance_of,
)
from .cycle_loop import Arrangement, CycleOutcome, settle_cycles
from .interface import Interface
from .junction_unknowns import room
from .scheme import parallel, serial
from .solver_data import solved_natively

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

    Native twin: `native/iterated.c`, with root finders that have one.

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

    def schedule(self, structure: Structure) -> Schedule | Obstacle:
        """The cycles one after another, if the root finder has a native twin."""
        return solved_natively(self, self.solver, structure)

    def step(self, attempt: Attempt, state: IterationMemory | None) -> Trial:
        """Propose inputs for one window."""
        return solve_components(attempt, self, self.solver, state=state)


@dataclass(frozen=True, slots=True, eq=False)
class IterationMemory:
    """What an iteration hands on to the next window.

    The inputs at the window's end, if those of the next begin with them, and what the root finder
    learned, component by component. `floors`: how many times the tolerance is noise there.
    """

    inputs: Signals | None = None
    memories: tuple[Any, ...] = ()
    floors: tuple[float, ...] = ()


class _Learned:
    """What root finders learn in a window, component by component."""

    def __init__(self, before: IterationMemory, count: int, *, on_limit: OnLimit) -> None:
        self._memories: list[Any] = [*before.memories, *[None] * count][:count]
        self._floors = [*before.floors, *[1.0] * count][:count]
        self._fails = on_limit == "stop"

    def applied(self, finder: RootFinder, number: int) -> RootFinder:
        """A root finder that knows it; one whose failure ends a window knows noise as well."""
        known = recalled(finder, self._memories[number])
        return NoiseFloor(known, self._floors[number]) if self._fails else known

    def take(self, number: int, root: Root) -> None:
        """What a search has taught."""
        self._memories[number], self._floors[number] = root.memory, root.floor

    def kept(self, inputs: Signals | None) -> IterationMemory | None:
        """For the next window, with its first inputs if any; None where there is nothing."""
        floors = tuple(self._floors) if max(self._floors, default=1.0) > 1 else ()
        if inputs is None and not floors and all(m is None for m in self._memories):
            return None
        return IterationMemory(inputs, tuple(self._memories), floors)


def iterated(
    method: Literal["fixed point", "newton"],
    options: _Options,
    limit: int,
    structure: Structure,
    *,
    fall_back_size: float = 0.0,
) -> Schedule:
    """What `solve_components` does, as data."""
    tolerance = tolerance_of(options.rtol, options.atol)
    accept = options.on_limit == "accept"
    iteration = Iteration(method, limit, accept, tolerance, fall_back_size)
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
    `predict`: the search begins where the forecasts of all parts agree, if all have one, and no
    longer window has shown that parts bend away from them. Windows
    below `fall_back_size` are swept once, and counted: where values jump, no window is small
    enough for the equations to have a solution. `arrange`: the order in which the parts of a cycle
    are asked, one after another; without, they are asked at once.
    """
    state, draft = state or IterationMemory(), attempt.draft()
    begin = state.inputs
    begin = attempt.inputs(attempt.before) if begin is None else attempt.settled(begin)
    proposal = attempt.proposal(begin, room(attempt, options.inputs))
    tolerance = tolerance_of(options.rtol, options.atol) if tolerance is None else tolerance
    learned = _Learned(state, len(attempt.components), on_limit=options.on_limit)
    coordination, predict = attempt.coordination, predict and not _bends(attempt)

    def settle(number: int, component: Component, parts: tuple[int, ...]) -> CycleOutcome:
        nonlocal coordination
        if attempt.window.size < fall_back_size:
            attempt.sweep(parts, begin, draft, proposal, options.inputs)
            return CycleOutcome(1, doubtful=True)
        scheme = parallel(component) if arrange is None else serial(component, parts)
        interface = Interface(attempt, component, begin, draft, proposal, options.inputs, scheme)
        attempt.iterate()
        start = interface.predicted_root(tolerance) if predict and not component.groups else None
        solver = learned.applied(finder, number)
        root = interface.solve(solver, tolerance, sensitivities=sensitivities, start=start)
        attempt.decide()
        learned.take(number, root)
        if component.groups:
            unknowns = root.value[interface.size :]
            coordination = interface.joints.keep(unknowns, coordination, root.evaluations)
        if root.converged or options.on_limit == "accept":
            floor = tolerance.rtol * root.floor if root.floor > 1 else 0.0
            return CycleOutcome(root.evaluations, doubtful=not root.converged, floor=floor)
        what = interface.complaint(root, tolerance)
        return CycleOutcome(root.evaluations, f"{root.evaluations} evaluations {what}")

    found = settle_cycles(attempt, (begin, draft, proposal), options.inputs, settle, arrange)
    inputs = proposal.waveform()
    if found.failure:
        return Trial(inputs, None, found.iterations, found.failure)
    kept = learned.kept(inputs.at(attempt.window.size) if keep else None)
    made = Trial(inputs, kept, found.iterations, "", coordination, found.doubtful)
    return replace(made, floor=found.floor) if found.floor else made


def _bends(attempt: Attempt) -> bool:
    """Whether a longer window took more than the one evaluation that forecasts promise."""
    once = sum(c.cyclic for c in attempt.components) + (not attempt.components[0].cyclic)
    return attempt.covering is not None and attempt.covering.iterations > once
