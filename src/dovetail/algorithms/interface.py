"""The interface equations of one component, as a root finder sees them."""

from __future__ import annotations

import numpy as np

from ..attempt import Attempt
from ..draft import Draft, Proposal
from ..rootfinders.base import Root, RootFinder
from ..rootfinders.elimination import Sparse
from ..signals import Shape, Signals, Tolerance, Vector, Waveform
from ..structure.components import Component

_ROUNDS = 20  # of discrete values that change the equations


class Interface:
    """v = gain y(v) + offset: v are the inputs at the window's end that are fed from inside.

    Discrete values are held while the reals are solved for, then exchanged; solved again until
    they repeat.
    """

    def __init__(
        self,
        attempt: Attempt,
        component: Component,
        begin: Signals,
        draft: Draft,
        proposal: Proposal,
        shape: Shape,
    ) -> None:
        self.attempt, self.component, self.shape = attempt, component, shape
        self.begin, self.draft, self.proposal = begin, draft, proposal
        self.flipping = ""  # a discrete output that does not come to rest

    def solve(
        self, finder: RootFinder, tolerance: Tolerance, *, sensitivities: bool = False
    ) -> Root:
        """Find v; the draft then holds the outputs there, the proposal the inputs."""
        total, riding = 0, self.component.discrete
        v = self._routed()
        for _ in range(_ROUNDS):
            self._see_outside()
            before = [self.draft.discrete[k] for k in riding]
            jacobian = (lambda v: self.jacobian(v, tolerance)) if sensitivities else None
            root = finder.solve(self.residual, v, tolerance, jacobian)
            total += root.evaluations
            v = root.value
            after = [self.draft.discrete[k] for k in riding]
            if not root.converged or before == after:
                return Root(root.value, root.error, total, root.converged)
        changed = next(k for k, a, b in zip(riding, before, after, strict=True) if a != b)
        self.flipping = self.attempt.assembly.structure.layout.outputs.discrete[changed]
        return Root(v, float("inf"), total, False)

    def residual(self, v: Vector) -> Vector:
        """What the outputs make of the inputs v, minus v."""
        self._propose(v)
        self.attempt.ask(self.component.parts, self.proposal, self.draft)
        return self._routed() - v

    def jacobian(self, v: Vector, tolerance: Tolerance) -> Vector | Sparse:
        """dr/dv = gain dy/dv - 1, from the sensitivities of the parts; sparse where that pays."""
        c = self.component
        moves = np.maximum(np.abs(v) * tolerance.rtol + 0.01 * tolerance.atol, 1e-9)
        moves = np.maximum(moves, 1e-7 * np.abs(v))
        self._propose(v)
        changes = self.attempt.columns(c.parts, c.rows, moves, self.proposal, self.shape)
        rows, columns, places = c.pattern
        terms = c.gains[rows] * changes[places] / moves[columns]
        if c.elimination is None:
            J = -np.eye(v.size)
            np.add.at(J, (rows, columns), terms)
            return J
        elimination, slots = c.elimination
        values = np.zeros(elimination.rows.size)
        values[elimination.diagonal] = -1.0
        np.add.at(values, slots, terms)
        return Sparse(elimination, values)

    def complaint(self, root: Root, tolerance: Tolerance) -> str:
        """What does not fit at a root that is none: the input that disagrees most."""
        if self.flipping:
            return f"'{self.flipping}' still flips"
        r = self._routed() - root.value
        weight = np.abs(root.value) * tolerance.rtol + tolerance.atol
        k = int(np.argmax(np.abs(r) / weight))
        names = self.attempt.assembly.structure.layout.inputs.reals
        name = names[int(self.component.targets[k])]
        return f"'{name}' is still off by {root.error:.2g} times the tolerance"

    def _see_outside(self) -> None:
        """Inputs that come from elsewhere, and discrete ones, as they are known now."""
        size, spans = self.attempt.window.size, self.attempt.assembly.inputs_of
        for i in self.component.parts:
            start = self.begin[spans[i]]
            wave = Waveform.shaped(self.shape, start, self.draft.inputs_of(i), size)
            self.proposal.put(i, wave)

    def _propose(self, v: Vector) -> None:
        """Inputs that end at v."""
        targets, a = self.component.targets, self.proposal.coefficients
        if self.shape == "hold":
            a[targets, 0] = v
        else:
            a[targets, 1] = (v - self.begin.reals[targets]) / self.attempt.window.size

    def _routed(self) -> Vector:
        c = self.component
        routed: Vector = c.gains * self.draft.reals[c.sources] + c.offsets
        return routed
