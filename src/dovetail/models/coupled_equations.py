"""The equations of several parts, joined by their connections."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from ..assembly.assembly import Assembly
from ..assembly.standstill import Standstill
from ..core.errors import PartFailed
from ..core.signals import Discrete, Signals, Tolerance, Vector
from ..integrators.colouring import coloured
from ..junctions.coordination import Coordination
from ..rootfinders.base import differences
from ..rootfinders.convergence import ConvergenceTest
from ..topology.component import Component
from .clock import _Clock
from .coupled_pattern import pattern_of
from .discrete import _Discrete
from .merged_junctions import MergedJunctions, WholeSystem
from .outer_inputs import OuterInputsPart

_OFFERED = ("states", "pattern", "state", "place", "rates", "values", "crossings", "jacobian")
_EXACT = ConvergenceTest(Tolerance(1e-11, 1e-13, "max"))  # of algebraic loops
_ITERATIONS = 12  # of a Newton method that converges
_MOVE = 6e-6  # by which a state is moved, of its size


def offers_equations(subsystem: Any) -> bool:
    """Whether a subsystem has the methods of `Equations`, asked of its class: it may not live."""
    return all(hasattr(type(subsystem), name) for name in (*_OFFERED, "completed", "signs"))


def is_patient(subsystem: Any) -> bool:
    """Whether it holds all its outputs between events that it knows in advance or is given."""
    return isinstance(subsystem, _Discrete | _Clock)


class CoupledEquations:
    """x' = f(t, x, u) of all parts together. `outputs` are those of the last evaluation.

    Discrete outputs stay what they were: they change at events. Unknowns of junctions are found
    at every evaluation, from where they were last.
    """

    def __init__(
        self, assembly: Assembly, player: OuterInputsPart, coordination: Coordination
    ) -> None:
        self.assembly, self.player = assembly, player
        self._parts: list[Any] = [s.subsystem for s in assembly.subsystems]
        self._solvable = [offers_equations(p) for p in self._parts]
        self._none, self._wired = np.zeros(0), coordination
        pairs = zip(self._parts, self._solvable, strict=True)
        sizes = [len(p.states) if solvable else 0 for p, solvable in pairs]
        self.spans = [slice(a, b) for a, b in pairwise(accumulate(sizes, initial=0))]
        self.size = sum(sizes)
        self._moving = [i for i, n in enumerate(sizes) if n]
        self.reals: Vector = np.zeros(len(assembly.structure.layout.outputs.reals))
        self.discrete: list[Discrete] = []
        self._inverse: dict[int, Vector] = {}  # of the Jacobian of each algebraic loop
        self.junctions: MergedJunctions | None = None
        if assembly.structure.groups:
            index = [m.index for m in coordination.memories]
            whole = WholeSystem(self._values_with, self._rates_with, self._speed)
            self.junctions = MergedJunctions(assembly.structure.groups, index, whole)

    @property
    def parts(self) -> Sequence[tuple[int, Any]]:
        """Those that offer equations, with their places."""
        return [(i, p) for i, p in enumerate(self._parts) if self._solvable[i]]

    @property
    def patient(self) -> Sequence[tuple[int, Any]]:
        """Those that wait for events, with their places."""
        return [(i, p) for i, p in enumerate(self._parts) if is_patient(p)]

    def know(self, outputs: Signals) -> None:
        """Take these outputs for the last ones."""
        self.reals, self.discrete = outputs.reals.copy(), list(outputs.discrete)

    def outputs(self) -> Signals:
        """The outputs of the last evaluation, as a value."""
        return Signals(self.reals.copy(), None, tuple(self.discrete))

    def state(self) -> Vector:
        """The states of all, where they stand."""
        return np.concatenate([self._none, *(p.state() for _, p in self.parts)])

    def inputs(self, i: int) -> Signals:
        """What one part sees of the outputs of all."""
        wires = self.assembly.coordinator
        return wires.inputs_of(i, self.reals, None, self.discrete, self._wired)

    @property
    def coordination(self) -> Coordination:
        """The unknowns of junctions, as they were found last."""
        return self._wired

    def push(self, z: Vector) -> None:
        """Take these unknowns of junctions."""
        self._wired = Coordination(z, self._wired.memories)

    def solve(self, time: float, x: Vector) -> None:
        """All outputs that belong to these states, and the unknowns of junctions."""
        if self.junctions is not None:
            self.push(self.junctions.solved(time, x, self._wired.z))
        self._pass(time, x)

    def check_junctions(self, time: float, x: Vector) -> None:
        """Refuse junctions that cannot be part of merged equations where the parts stand."""
        if self.junctions is not None:
            z = self.junctions.solved(time, x, self._wired.z)
            self.junctions.check(time, x, z)
            self.push(z)

    def _pass(self, time: float, x: Vector) -> None:
        for number, component in enumerate(self.assembly.structure.instant):
            if component.cyclic:
                self._loop(number, component, time, x)
            else:
                self._ask(component.parts[0], time, x)

    def rates(self, time: float, x: Vector) -> Vector:
        """The time derivatives of all states."""
        self.solve(time, x)
        return self._rates(time, x)

    def _rates(self, time: float, x: Vector) -> Vector:
        found = np.empty(self.size)
        for i in self._moving:
            span = self.spans[i]
            found[span] = self._parts[i].rates(time, x[span], self.inputs(i))
        return found

    def _values_with(self, time: float, x: Vector, z: Vector) -> Vector:
        """All outputs, for given unknowns of junctions."""
        self.push(z)
        self._pass(time, x)
        return self.reals.copy()

    def _rates_with(self, time: float, x: Vector, z: Vector) -> Vector:
        self._values_with(time, x, z)
        return self._rates(time, x)

    def _speed(self, x: Vector, dx: Vector) -> float:
        """How fast the states of the fastest part move, of their size."""
        spans = [self.spans[i] for i in self._moving]
        shares = (np.max(np.abs(dx[s])) / (1 + np.max(np.abs(x[s]))) for s in spans)
        return float(max(shares, default=0.0) or 0.0) or 1e-3

    def crossings(self, time: float, x: Vector) -> Vector:
        """The zero crossings of all parts, one after another."""
        self.solve(time, x)
        rows = [p.crossings(time, x[self.spans[i]], self.inputs(i)) for i, p in self.parts]
        return np.concatenate([self._none, *rows])

    def counts(self, time: float, x: Vector) -> list[int]:
        """How many crossings each of the solvable parts has."""
        self.solve(time, x)
        found = [p.crossings(time, x[self.spans[i]], self.inputs(i)) for i, p in self.parts]
        return [row.size for row in found]

    def completed(self, time: float, x: Vector) -> bool:
        """A step ended: whether a part wants an event for it."""
        self.solve(time, x)
        wishes = [p.completed(time, x[self.spans[i]], self.inputs(i)) for i, p in self.parts]
        return any(wishes)

    def fresh_discrete(self, time: float, x: Vector) -> tuple[Discrete, ...]:
        """Discrete outputs as they would be now."""
        found = list(self.discrete)
        for i, p in self.parts:
            span = self.assembly.outputs_of[i].discrete
            if span.stop > span.start:
                found[span] = p.values(time, x[self.spans[i]], self.inputs(i)).discrete
        return tuple(found)

    def pattern(self) -> Any:
        """Which rates depend on which states: own ones as given, others through connections."""
        return pattern_of(self.assembly, self._parts, self.spans, self._moving)

    def jacobian(self, time: float, x: Vector, pattern: Any) -> Any:
        """df/dx by differences, column by column of a colour at once."""
        from scipy.sparse import csc_array

        move = 2 * _MOVE * np.maximum(np.abs(x), 1e-3)
        move = (x + 0.5 * move) - (x - 0.5 * move)
        data = np.zeros(pattern.nnz)
        for columns in coloured(pattern):
            up, down = x.copy(), x.copy()
            up[columns] += 0.5 * move[columns]
            down[columns] -= 0.5 * move[columns]
            change = self.rates(time, up) - self.rates(time, down)
            for k in columns:
                entries = slice(pattern.indptr[k], pattern.indptr[k + 1])
                data[entries] = change[pattern.indices[entries]] / move[k]
        return csc_array((data, pattern.indices, pattern.indptr), shape=pattern.shape)

    def _ask(self, i: int, time: float, x: Vector, inputs: Signals | None = None) -> None:
        part, span = self._parts[i], self.assembly.outputs_of[i].reals
        if part is self.player:
            self.reals[span] = self.player.wave.reals(time - self.player.origin)
        elif self._solvable[i]:
            seen = self.inputs(i) if inputs is None else inputs
            self.reals[span] = part.values(time, x[self.spans[i]], seen).reals

    def _loop(self, number: int, component: Component, time: float, x: Vector) -> None:
        """Solve for the inputs of an algebraic loop, from where it was last."""
        c = component

        def routed() -> Vector:
            return c.routed(self.reals)

        def residual(v: Vector) -> Vector:
            for i, (rows, local) in zip(c.parts, c.rows, strict=True):
                seen = self.inputs(i)
                seen.reals[local] = v[rows]
                self._ask(i, time, x, seen)
            return routed() - v

        v = routed()
        r = residual(v)
        for iteration in range(_ITERATIONS):
            before = _EXACT.measure(r, v)
            if before <= 1:
                return
            if number not in self._inverse:
                derivatives = differences(residual, v, r, _EXACT.tolerance)
                self._inverse[number] = np.asarray(np.linalg.pinv(derivatives), dtype=np.float64)
            v = v - self._inverse[number] @ r
            r = residual(v)
            if not _EXACT.measure(r, v) < 0.1 * before and iteration < _ITERATIONS - 1:
                self._inverse.pop(number, None)  # it has changed on the way
        if _EXACT.measure(r, v) <= 1:
            return
        self._inverse.pop(number, None)
        root = Standstill().solver.solve(residual, v, Tolerance(1e-10, 1e-12, "max"))
        if not root.converged:
            names = [self.assembly.structure.layout.inputs.reals[k] for k in c.targets]
            gap = float(np.max(np.abs(residual(root.value))))
            what = f"the algebraic loop through {', '.join(names)} has no solution near ({gap:.1g})"
            part = self.assembly.subsystems[c.parts[0]].name
            raise PartFailed(part, "solving equations", time, what)
