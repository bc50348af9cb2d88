"""Start values that agree with each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..assembly import Assembly, Draft
from ..errors import StartFailed
from ..leg import Position
from ..rootfinders import Anderson, Cascade, FixedPoint, Newton, RootFinder
from ..signals import Discrete, Signals, Tolerance, Vector
from ..structure.components import Component
from ..values import signals

_FINDER = Cascade((FixedPoint(20), Anderson(max_evaluations=40), Newton(50, damping=True)))


@dataclass(frozen=True, slots=True)
class Consistent:
    """Inputs that the outputs confirm, without moving in time.

    Parts are asked in the order of their feed-through; algebraic loops are solved, by
    the plain fixed point where that converges, else by Anderson's method, else by Newton's.
    Discrete values are exchanged between solves until they repeat.
    """

    solver: RootFinder = _FINDER
    rtol: float = 1e-10
    atol: float = 1e-12
    max_rounds: int = 20

    def position(self, assembly: Assembly, time: float, size: float, *, slopes: bool) -> Position:
        """Where the run starts; `size` is that of the first window."""
        z = assembly.coordinator.start()
        z = assembly.coordinator.settle(assembly.now, self._outputs(assembly, z, slopes), z, size)
        return Position(time, self._outputs(assembly, z, slopes), z)

    def _outputs(self, assembly: Assembly, z: Vector, slopes: bool) -> Signals:
        """Outputs for inputs, and slopes of inputs where wanted, that agree with them."""
        draft = _blank(assembly, z, slopes)
        for component in assembly.structure.instant:
            if component.cyclic:
                self._settle(assembly, component, draft, slopes)
            else:
                i = component.parts[0]
                draft.take(i, assembly.subsystems[i].outputs(draft.inputs_of(i)))
        # Once more with every input known: slopes depend on inputs that values do not.
        for component in assembly.structure.instant:
            for i in component.parts:
                draft.take(i, assembly.subsystems[i].outputs(draft.inputs_of(i)))
        return draft.outputs()

    def _settle(self, assembly: Assembly, component: Component, draft: Draft, slopes: bool) -> None:
        """Solve for the inputs of one algebraic loop."""
        tolerance = Tolerance(self.rtol, self.atol, "max")
        n, seen = component.targets.size, list[list[Discrete]]()
        v = assembly.start.reals[component.targets]
        if slopes:
            v = np.concatenate([v, np.zeros(n)])

        def routed() -> Vector:
            values: Vector = component.gains * draft.reals[component.sources] + component.offsets
            if not slopes:
                return values
            assert draft.slopes is not None, "a part that was asked for slopes did not tell them"
            return np.concatenate([values, component.gains * draft.slopes[component.sources]])

        def residual(v: Vector) -> Vector:
            for i, (rows, local), seen_by in zip(
                component.parts, component.rows, outside, strict=True
            ):
                reals = seen_by.reals.copy()
                reals[local] = v[rows]
                rates = seen_by.slopes
                if rates is not None and v.size > n:
                    rates = rates.copy()
                    rates[local] = v[n:][rows]
                answer = assembly.subsystems[i].outputs(Signals(reals, rates, seen_by.discrete))
                draft.take(i, answer)
            return routed() - v

        for _ in range(self.max_rounds):
            outside = [draft.inputs_of(i) for i in component.parts]
            held = [draft.discrete[k] for k in component.discrete]
            root = self.solver.solve(residual, v, tolerance)
            v = root.value
            if not root.converged:
                inputs = assembly.structure.layout.inputs.reals
                names = [inputs[k] for k in component.targets]
                raise StartFailed(names, f"they still disagree by {root.error * self.atol:.1g}")
            found = [draft.discrete[k] for k in component.discrete]
            if found == held:
                return
            seen.append(held)
            if found in seen:
                break
        outputs = assembly.structure.layout.outputs.discrete
        flipping = [
            outputs[k] for k, a, b in zip(component.discrete, held, found, strict=True) if a != b
        ]
        raise StartFailed(flipping, "they flip to and fro")


def _blank(assembly: Assembly, z: Vector, slopes: bool) -> Draft:
    """Outputs of nobody yet: their declared start values, or zero."""
    outputs = Signals.join([signals(s.description.outputs, {}) for s in assembly.subsystems])
    rates = np.zeros(outputs.reals.size) if slopes else None
    return Draft(assembly, Signals(outputs.reals, rates, outputs.discrete), z)
