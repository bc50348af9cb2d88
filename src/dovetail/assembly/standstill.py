"""What happens while time stands still: consistent start values, and events."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..core.errors import EndlessEvents, StartFailed
from ..core.signals import Discrete, Signals, Tolerance, Vector
from ..junctions.coordination import Coordination
from ..rootfinders import Anderson, Cascade, ConvergenceTest, FixedPoint, Newton, RootFinder
from ..topology.component import Component
from .assembly import Assembly
from .draft import Draft

_FINDER = Cascade((FixedPoint(20), Anderson(max_evaluations=40), Newton(50, damping=True)))
Ask = Callable[[int, Signals], Signals]


@dataclass(frozen=True, slots=True, eq=False)
class Jump:
    """Outputs right of an event; `ticks`: the same with every clock that ticked, if any did."""

    outputs: Signals
    ticks: Signals | None = None


@dataclass(frozen=True, slots=True)
class Standstill:
    """Inputs that the outputs confirm, without moving in time.

    Parts are asked in the order of their feed-through; algebraic loops are solved, by the plain
    fixed point where that converges, else by Anderson's method, else by Newton's. Discrete
    values are exchanged between solves until they repeat.
    """

    solver: RootFinder = _FINDER
    rtol: float = 1e-10
    atol: float = 1e-12
    max_rounds: int = 20

    def start(
        self, assembly: Assembly, coordination: Coordination, *, derivatives: bool
    ) -> Signals:
        """Outputs at the start for inputs, and derivatives of inputs where wanted, that agree."""
        draft = _blank(assembly, coordination, derivatives)

        def ask(i: int, inputs: Signals) -> Signals:
            return assembly.subsystems[i].outputs(inputs)

        guess = assembly.start.reals
        self._pass(assembly, draft, ask, guess, derivatives=derivatives)
        # Once more with every input known: derivatives depend on inputs that values do not.
        if derivatives:
            guess = assembly.coordinator.inputs(draft.outputs(), coordination).reals
            self._pass(assembly, draft, ask, guess, derivatives=derivatives)
        for component in assembly.structure.instant:
            for i in component.parts:
                draft.take(i, ask(i, draft.inputs_of(i)))
        return draft.outputs()

    def event(
        self,
        assembly: Assembly,
        time: float,
        outputs: Signals,
        coordination: Coordination,
        rounds: int = 100,
    ) -> Jump:
        """Let every jump happen that is due, until nothing changes.

        Parts that can be asked while time stands still answer for the new inputs; the others
        keep the outputs of their last step, with what their linearization makes of the jump where
        derivatives are wanted. When all agree, those that jump in two strokes take
        over their discrete states, and all are asked again.
        """
        for rehearsal in assembly.rehearsals:
            rehearsal.restart()
        draft, able = Draft(assembly, outputs, coordination), set(assembly.eventful)
        test = ConvergenceTest(Tolerance(self.rtol, self.atol, "max"))

        def ask(i: int, inputs: Signals) -> Signals:
            if i in able:
                return assembly.subsystems[i].event(inputs)
            return assembly.subsystems[i].standing(inputs, draft.outputs_of(i))

        clocks, ticked = assembly.clocks, set[int]()
        for _ in range(rounds):
            old, restless = draft.outputs(), list[str]()
            guess = assembly.coordinator.inputs(old, coordination).reals
            try:
                self._pass(assembly, draft, ask, guess, derivatives=outputs.derivatives is not None)
            except StartFailed as error:
                raise StartFailed(error.variables, error.reason, time) from error
            ticked.update(k for k in clocks if draft.discrete[k])
            values = Signals(old.reals, None, old.discrete)  # derivatives may still be unknown
            if not test.compare(values, draft.outputs()).converged:
                continue
            restless = [s.name for s in assembly.updating if s.update()]
            if not restless:
                found = draft.outputs()
                if found.derivatives is not None and np.isnan(found.derivatives).any():
                    found = self._resloped(assembly, draft, ask, found)
                return Jump(found, _with_ticks(found, ticked))
        raise EndlessEvents(time, restless or _restless(assembly, old, draft), rounds)

    def _resloped(self, assembly: Assembly, draft: Draft, ask: Ask, found: Signals) -> Signals:
        """The same with derivatives: some parts give them only when an event is over."""
        for component in assembly.structure.instant:
            for i in component.parts:
                draft.take(i, ask(i, draft.inputs_of(i)))
        return Signals(found.reals, draft.outputs().derivatives, found.discrete)

    def _pass(
        self, assembly: Assembly, draft: Draft, ask: Ask, guess: Vector, *, derivatives: bool
    ) -> None:
        """Every part once, in order; algebraic loops until they agree."""
        for component in assembly.structure.instant:
            if component.cyclic:
                self._settle(assembly, component, draft, ask, guess, derivatives)
            else:
                i = component.parts[0]
                draft.take(i, ask(i, draft.inputs_of(i)))

    def _settle(
        self,
        assembly: Assembly,
        component: Component,
        draft: Draft,
        ask: Ask,
        guess: Vector,
        derivatives: bool,
    ) -> None:
        """Solve for the inputs of one algebraic loop."""
        tolerance = Tolerance(self.rtol, self.atol, "max")
        n, seen = component.targets.size, list[list[Discrete]]()
        v = guess[component.targets]
        if derivatives:
            v = np.concatenate([v, np.zeros(n)])

        def routed() -> Vector:
            values = component.routed(draft.reals)
            if not derivatives:
                return values
            assert draft.derivatives is not None, (
                "a part that was asked for derivatives did not give them"
            )
            rates = component.routed_derivatives(draft.derivatives)
            return np.concatenate([values, np.nan_to_num(rates)])  # unknown ones count as none

        def residual(v: Vector) -> Vector:
            for i, (rows, local), seen_by in zip(
                component.parts, component.rows, outside, strict=True
            ):
                reals = seen_by.reals.copy()
                reals[local] = v[rows]
                rates = seen_by.derivatives
                if rates is not None and v.size > n:
                    rates = rates.copy()
                    rates[local] = v[n:][rows]
                draft.take(i, ask(i, Signals(reals, rates, seen_by.discrete)))
            return routed() - v

        for _ in range(self.max_rounds):
            outside = [draft.inputs_of(i) for i in component.parts]
            held = [draft.discrete[k] for k in component.discrete]
            root = self.solver.solve(residual, v, tolerance)
            v = root.value
            if not root.converged:
                inputs = assembly.structure.layout.inputs.reals
                names = [inputs[k] for k in component.targets]
                gap = float(np.max(np.abs(routed() - v)))
                raise StartFailed(names, f"they still disagree by {gap:.1g}")
            found = [draft.discrete[k] for k in component.discrete]
            if found == held:
                return
            seen.append(held)
            if found in seen:
                break
        outputs = assembly.structure.layout.outputs.discrete
        switching = [
            outputs[k] for k, a, b in zip(component.discrete, held, found, strict=True) if a != b
        ]
        raise StartFailed(switching, "they oscillate between values")


def _blank(assembly: Assembly, coordination: Coordination, derivatives: bool) -> Draft:
    """Outputs before any part is asked: their declared start values, or zero."""
    outputs = assembly.blank
    rates = np.zeros(outputs.reals.size) if derivatives else None
    return Draft(assembly, Signals(outputs.reals, rates, outputs.discrete), coordination)


def _with_ticks(outputs: Signals, ticked: set[int]) -> Signals | None:
    if not ticked:
        return None
    discrete = (v or k in ticked for k, v in enumerate(outputs.discrete))
    return Signals(outputs.reals, outputs.derivatives, tuple(discrete))


def _restless(assembly: Assembly, old: Signals, draft: Draft) -> list[str]:
    """The parts whose outputs still change."""
    pairs = zip(assembly.subsystems, assembly.outputs_of, strict=True)
    return [s.name for k, (s, span) in enumerate(pairs) if draft.differs(k, old[span])]
