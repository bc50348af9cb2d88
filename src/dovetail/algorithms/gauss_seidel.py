"""Sequential coupling, iterated or not."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ..assembly.attempt import Attempt
from ..assembly.draft import Draft, Proposal
from ..assembly.trial import Trial
from ..core.errors import OptionError
from ..core.obstacle import Obstacle
from ..core.options import check_names, check_number
from ..core.signals import Shape, Signals, Waveform
from ..rootfinders.base import RootFinder
from ..rootfinders.convergence import ConvergenceTest
from ..subsystems.extrapolating import History
from ..subsystems.iteration import Iteration
from ..topology.component import Component
from ..topology.components import Structure
from .base import (
    OnLimit,
    Schedule,
    bounded,
    check_choice,
    check_extrapolation,
    check_iteration,
    check_solver,
    tolerance_of,
)
from .cycle_loop import Arrangement, CycleOutcome, settle_cycles
from .extrapolation import Extrapolation
from .iterative import ORDERS, IterationMemory, solve_components
from .solver_data import solved_natively


@dataclass(frozen=True, slots=True)
class GaussSeidel:
    """One subsystem after another, each seeing the outputs already found.

    First order; iterated with ramps, second. One advance per subsystem and iteration. Iterated,
    it needs subsystems that answer repeatedly, and stops when two sweeps agree within the
    tolerances. With ramps, an input whose source has been found is interpolated over the window.
    Below `fall_back_size` a single sweep is accepted and counted, for loops with
    discontinuous values, where no window is small enough. With `extrapolation` inputs follow
    polynomials through their last values, and through that at the window's end where it has
    been found: of order extrapolation + 1 away from starts and events.

    `inputs` over a window: "hold" is zero-order hold (constant), "ramp" linear, "hermite" cubic.

    With a `solver`, any root finder, the inputs that close each cycle are found by it instead of
    by plain repetition; the others are those the sweep makes. That is preCICE's serial-implicit
    coupling with an acceleration. A sweep is an evaluation then, whatever the root finder needs
    it for. `max_iterations` above 1 limits them; at 1 the solver's own limit holds.

    Native twins: `native/fused.c`, `native/extrapolated.c` and, iterated,
    `native/iterated.c`, with cubics `native/cubic_cycles.c`.

    Kübler and Schiehlen, Two methods of simulator coupling, Mathematical and Computer Modelling
    of Dynamical Systems 6, 2000. The convergence test and `fall_back_size` are those of
    MasterSim: Nicolai, Robust and accurate co-simulation master algorithms applied to FMI
    slaves with discontinuous signals, 13th International Modelica Conference, 2019.
    Extrapolated: Busch, Continuous approximation techniques for co-simulation methods, ZAMM 96,
    2016.
    """

    max_iterations: int = 1
    inputs: Shape = "hold"
    extrapolation: int = 0
    fall_back_size: float = 0.0
    on_limit: OnLimit = "stop"
    order_of_parts: tuple[str, ...] = ()
    rtol: float | None = None
    atol: float | None = None
    solver: RootFinder | None = None

    def __post_init__(self) -> None:
        check_iteration(self.max_iterations, self.rtol, self.atol)
        check_choice("inputs", self.inputs, ("hold", "ramp", "hermite"))
        check_choice("on_limit", self.on_limit, ("stop", "accept"))
        check_number("fall_back_size", self.fall_back_size, least=0, endless=True)
        check_names("order_of_parts", self.order_of_parts, '("plant", "controller")')
        if self.inputs == "hermite" and not self.repeats:
            what = "GaussSeidel with inputs='hermite' must iterate"
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
    def order(self) -> int:
        """The order of its global error."""
        return ORDERS[self.inputs] if self.repeats else 1 + self.extrapolation

    def schedule(self, structure: Structure) -> Schedule | Obstacle:
        """The parts in their order."""
        if self.solver is not None:
            return solved_natively(
                self,
                self.solver,
                structure,
                limit=self.max_iterations,
                fall_back_size=self.fall_back_size,
                arrange=lambda parts: _arranged(structure.layout.names, parts, self.order_of_parts),
            )
        iteration = None
        if self.repeats:
            limits = self.max_iterations, self.on_limit == "accept"
            tolerance = tolerance_of(self.rtol, self.atol)
            iteration = Iteration("sweeps", *limits, tolerance, self.fall_back_size)
        names = structure.layout.names
        arranged = (_arranged(names, c.parts, self.order_of_parts) for c in structure.components)
        order = tuple(i for parts in arranged for i in parts)
        return Schedule(True, order, self.inputs, iteration, self.extrapolation)

    def step(self, attempt: Attempt, state: History | IterationMemory | None) -> Trial:
        """Propose inputs for one window."""
        if self.solver is not None:
            return self._solved(
                attempt, self.solver, state if isinstance(state, IterationMemory) else None
            )
        if self.extrapolation:
            return self._extrapolated(attempt, state if isinstance(state, History) else History())
        begin, draft = attempt.inputs(attempt.before), attempt.draft()
        known = begin, draft, attempt.proposal(begin, self.inputs)

        def settle(number: int, component: Component, parts: tuple[int, ...]) -> CycleOutcome:
            attempt.iterate()
            failure, sweeps = self._iterate(attempt, component, parts, *known)
            attempt.decide()
            accepted = attempt.window.size < self.fall_back_size or self.on_limit == "accept"
            if failure and not accepted:
                return CycleOutcome(sweeps, failure)
            return CycleOutcome(sweeps, doubtful=bool(failure))

        found = settle_cycles(
            attempt,
            known,
            self.inputs,
            settle if self.repeats else None,
            self._arrangement(attempt),
        )
        inputs = known[2].waveform()
        return Trial(inputs, None, found.iterations, found.failure, doubtful=found.doubtful)

    def _arrangement(self, attempt: Attempt) -> Arrangement:
        """The order of parts that the user wants, for any component."""
        if not self.order_of_parts:
            return lambda parts: parts
        return lambda parts: _arranged(attempt.names, parts, self.order_of_parts)

    def _solved(self, attempt: Attempt, solver: RootFinder, state: IterationMemory | None) -> Trial:
        """The inputs that close each cycle, found by a root finder."""
        return solve_components(
            attempt,
            self,
            bounded(solver, self.max_iterations),
            state=state,
            fall_back_size=self.fall_back_size,
            arrange=self._arrangement(attempt),
        )

    def _extrapolated(self, attempt: Attempt, state: History) -> Trial:
        """One sweep; what is not known yet is extrapolated, what is known interpolated."""
        window, columns = attempt.window, self.extrapolation + 1
        begin, draft = attempt.inputs(attempt.before), attempt.draft()
        history = state.joined(window.start, begin.reals, window.size, columns)
        ahead = Extrapolation(attempt, history, columns)
        coefficients, discrete = np.zeros((begin.reals.size, columns)), list(begin.discrete)
        routing, names = attempt.structure.routing, attempt.names
        known = np.zeros(draft.reals.size, dtype=bool)  # outputs at the window's end
        found = np.zeros(begin.reals.size, dtype=bool)  # inputs they make
        for component in attempt.components:
            for i in _arranged(names, component.parts, self.order_of_parts):
                span, order = attempt.input_spans[i], attempt.capabilities(i).input_order
                a, b = np.searchsorted(routing.target, [span.reals.start, span.reals.stop])
                found[routing.target[a:b]] = known[routing.source[a:b]]
                inputs = ahead.part(span.reals, order, draft.inputs_of(i), found[span.reals])
                coefficients[span.reals] = inputs.coefficients
                discrete[span.discrete] = inputs.discrete
                draft.take(i, attempt.outputs_of(i, inputs))
                known[attempt.output_spans[i].reals] = True
        return Trial(Waveform(coefficients, tuple(discrete)), history)

    def _iterate(
        self,
        attempt: Attempt,
        component: Component,
        parts: tuple[int, ...],
        begin: Signals,
        draft: Draft,
        proposal: Proposal,
    ) -> tuple[str, int]:
        """Sweep until nothing changes; what is wrong, if anything, and the number of sweeps."""
        test = ConvergenceTest(tolerance_of(self.rtol, self.atol))
        coupling, riding = component.outputs, component.discrete
        limit = 1 if attempt.window.size < self.fall_back_size else self.max_iterations

        def exchanged() -> Signals:
            derivatives = None if draft.derivatives is None else draft.derivatives[coupling]
            return Signals(
                draft.reals[coupling], derivatives, tuple(draft.discrete[j] for j in riding)
            )

        for k in range(1, limit + 1):
            old = exchanged()
            attempt.sweep(parts, begin, draft, proposal, self.inputs)
            agreement = test.compare(old, exchanged())
            if agreement.converged:
                return "", k
        slots = attempt.structure.layout.outputs
        reals, discrete = [slots.reals[j] for j in coupling], [slots.discrete[j] for j in riding]
        what = agreement.complaint(reals, discrete)
        return f"{k} sweeps {what}", k


def _arranged(
    names: tuple[str, ...], parts: tuple[int, ...], order: tuple[str, ...]
) -> tuple[int, ...]:
    """The parts of a component in the order the user wants, the others behind."""
    if not order:
        return parts
    rank = _ranks(order)
    return tuple(sorted(parts, key=lambda i: rank.get(names[i], len(order))))


@lru_cache
def _ranks(order: tuple[str, ...]) -> dict[str, int]:
    return {name: k for k, name in enumerate(order)}
