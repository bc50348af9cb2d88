"""The interface equations of one component, as a root finder sees them."""
# Over 250 lines: one system of equations, with and without cubics, forecasts and junctions.

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..assembly.attempt import Attempt
from ..assembly.draft import Draft, Proposal
from ..core.signals import Shape, Signals, Tolerance, Vector, Waveform
from ..rootfinders.base import Residual, Root, RootFinder, differences
from ..rootfinders.convergence import ConvergenceTest
from ..rootfinders.elimination import Sparse, minus_one
from ..rootfinders.newton import Newton, solved
from ..topology.component import Component
from ..topology.routing import Index
from .hermite_jacobian import hermite_jacobian
from .junction_unknowns import Joints
from .scheme import Feed, Scheme, parallel

_ROUNDS = 20  # of discrete values that change the equations
_PATIENT = Newton(60, damping=True)


class _Guess:
    """The Jacobian of residuals that were divided by it: -1, and by differences if that fails."""

    def __init__(self, residual: Residual, tolerance: Tolerance) -> None:
        self._residual, self._tolerance = residual, tolerance
        self._tried, self.asked = False, 0

    def __call__(self, v: Vector) -> Vector:
        if not self._tried:
            self._tried = True
            return -np.eye(v.size)
        self.asked += 1 + v.size
        return differences(self._residual, v, self._residual(v), self._tolerance)


class Interface:
    """v = gain y(v) + offset: v are inputs at the window's end that are fed from inside.

    Which of them, and how y(v) is found, is the scheme: all at once, or those that close the
    cycle, part by part. With Hermite inputs their derivatives are unknown as well, behind the
    values and times the window: an error of them is measured by what it moves an input, and one
    that jumps at a kink, or that differences leave noise in, decides nothing in a short window.
    Discrete values are held while the reals are solved for, then exchanged; solved again until they
    repeat. Unknowns of junctions stand last. They are held or ramp: a component that has them takes
    no Hermite inputs, and is not predicted.

    Native twin: `native/iterated.c`, of cubics with `native/cubic_cycles.c`.
    """

    def __init__(
        self,
        attempt: Attempt,
        component: Component,
        begin: Signals,
        draft: Draft,
        proposal: Proposal,
        shape: Shape,
        scheme: Scheme | None = None,
    ) -> None:
        self.attempt, self.component, self.shape = attempt, component, shape
        self.scheme = parallel(component) if scheme is None else scheme
        self.begin, self.draft, self.proposal = begin, draft, proposal
        self.size = self.scheme.unknown.targets.size  # of the unknown values, derivatives apart
        self.joints = Joints(attempt, component.groups, shape)
        self.flipping = ""  # a discrete output that does not come to rest
        self._matrix: Vector | Sparse | None = None  # dr/dv of the forecasts
        self.predicted = False  # the forecasts of the parts are asked, not the parts

    def solve(
        self,
        finder: RootFinder,
        tolerance: Tolerance,
        *,
        sensitivities: bool = False,
        start: Vector | None = None,
    ) -> Root:
        """Find v; the draft then holds the outputs there, the proposal the inputs."""
        total, riding = 0, self.component.discrete
        v = self.guess() if start is None else start
        for _ in range(_ROUNDS):
            self._see_outside()
            before = [self.draft.discrete[k] for k in riding]
            if self.joints.count:
                root = self._solve_joined(finder, v, tolerance)
            else:
                jacobian = (lambda v: self.jacobian(v, tolerance)) if sensitivities else None
                root = finder.solve(self.residual, v, tolerance, jacobian)
            total += root.evaluations
            v = root.value
            after = [self.draft.discrete[k] for k in riding]
            if not root.converged or before == after:
                return replace(root, evaluations=total)
        changed = next(k for k, a, b in zip(riding, before, after, strict=True) if a != b)
        self.flipping = self.attempt.structure.layout.outputs.discrete[changed]
        return Root(v, float("inf"), total, False)

    def predicted_root(self, tolerance: Tolerance) -> Vector | None:
        """Where the forecasts of all parts agree: they are affine, so one linear solve is enough.

        None if a part has no forecast, or if there is no such place.
        """
        parts, attempt = self.component.parts, self.attempt
        columns = self.proposal.coefficients.shape[1]
        if any(attempt.forecast(i, columns) is None for i in parts):
            return None
        self._see_outside()
        v, self.predicted = self.guess(), True
        try:
            self._matrix = self.jacobian(v, tolerance)
            step = solved(self._matrix, self.residual(v))
        finally:
            self.predicted = False
        return None if step is None else v - step

    def residual(self, v: Vector) -> Vector:
        """What the outputs make of the inputs v, minus v; behind it, what junctions are off."""
        n = v.size - self.joints.count
        self._evaluate(v[:n], v[n:])
        if not self.joints.count:
            return self._routed() - v
        gaps = self.joints.gaps(v[n:], self.draft, self.proposal)
        return np.concatenate([self._routed() - v[:n], self.joints.scaled(gaps)])

    def _evaluate(self, v: Vector, q: Vector) -> None:
        """Ask the parts with these inputs at the window's end and these unknowns of junctions."""
        self._propose(self.scheme.unknown.targets, v)
        self.joints.propose(q, self.proposal)
        if self.predicted:
            self.attempt.predict(self.component.parts, self.proposal, self.draft)
            return
        for turn in self.scheme.turns:
            if turn.fresh is not None and turn.fresh.targets.size:
                self._propose(turn.fresh.targets, self._fed(turn.fresh))
            self.attempt.ask(turn.parts, self.proposal, self.draft)

    def guess(self) -> Vector:
        """Where a search begins: what a longer window found, or else where derivatives lead."""
        size, targets = self.attempt.window.size, self.scheme.unknown.targets
        if self.attempt.covering is not None and self.shape != "hold":
            at = self.attempt.covering.inputs.at(size)
        elif self.shape != "hermite":
            return np.concatenate([self._routed(), self.joints.start()])
        else:
            assert self.begin.derivatives is not None
            derivatives = np.nan_to_num(self.begin.derivatives)
            at = Signals(self.begin.reals + size * derivatives, derivatives)
        assert at.derivatives is not None
        more = size * at.derivatives[targets] if self.shape == "hermite" else self.joints.start()
        return np.concatenate([at.reals[targets], more])

    def jacobian(self, v: Vector, tolerance: Tolerance) -> Vector | Sparse:
        """dr/dv = gain dy/dv - 1, from the sensitivities of the parts; sparse where that pays.

        Of the parallel scheme, where all coupled inputs are unknown. That of the forecasts, once
        it is known: it is the same everywhere.
        """
        if self._matrix is not None:
            return self._matrix
        c = self.component
        at = v[: c.targets.size]
        moves = np.maximum(np.abs(at) * tolerance.rtol + 0.01 * tolerance.atol, 1e-9)
        moves = np.maximum(moves, 1e-7 * np.abs(at))
        self._propose(c.targets, v)
        if self.shape == "hermite":
            return hermite_jacobian(self.attempt, c, self.begin, self.proposal, moves)
        changes = self.attempt.columns(c.parts, c.rows, moves, self.proposal, self.shape)
        wires, columns, places = c.pattern
        terms = c.gains[wires] * changes[places] / moves[columns]
        return minus_one(v.size, c.elimination, (c.rows_of(wires), columns), terms)

    def _solve_joined(self, finder: RootFinder, v: Vector, tolerance: Tolerance) -> Root:
        """With junctions: if what their unknowns do is no longer what it was, look again.

        Nothing is learned for the next window: residuals are divided by a Jacobian that changes.
        """
        asked = 0 if self.joints.prepared() else self._prepare(v)
        guess = None if self.size else _Guess(self.residual, tolerance)
        root = finder.solve(self.residual, v, tolerance, guess)
        asked += root.evaluations + (0 if guess is None else guess.asked)
        if not root.converged:
            asked += self._prepare(v)
            root = _PATIENT.solve(self.residual, v, tolerance)
            asked += root.evaluations
        return Root(root.value, root.error, asked, root.converged, floor=root.floor)

    def _prepare(self, v: Vector) -> int:
        """See what the unknowns of junctions do; how often was asked."""
        joints, n = self.joints, self.size

        def gaps(q: Vector) -> Vector:
            self._evaluate(v[:n], q)
            return joints.gaps(q, self.draft, self.proposal)

        q = v[n:]
        here, moves = gaps(q), joints.moves(q)
        there = [gaps(q + move) for move in np.diag(moves)]
        columns = np.column_stack([(g - here) / m for g, m in zip(there, moves, strict=True)])
        joints.prepare(columns)
        return 1 + q.size

    def complaint(self, root: Root, tolerance: Tolerance) -> str:
        """What does not fit at a root that is none: the input that disagrees most."""
        if self.flipping:
            return f"'{self.flipping}' still flips"
        n = root.value.size - self.joints.count
        r = self._routed() - root.value[:n]
        if self.joints.count:
            gaps = self.joints.gaps(root.value[n:], self.draft, self.proposal)
            r = np.concatenate([r, self.joints.scaled(gaps)])
        k = ConvergenceTest(tolerance).worst(r, root.value)
        inputs = self.attempt.input_names
        names = [f"'{inputs[t]}'" for t in self.scheme.unknown.targets]
        if self.shape == "hermite":
            names += [f"the derivative of {name}" for name in names]
        names += [f"'{name}' of a junction" for name in self.joints.names()]
        return f"{names[k]} is still off by {root.error:.2g} times the tolerance"

    def _see_outside(self) -> None:
        """Inputs that come from elsewhere, and discrete ones, as they are known now."""
        size, spans = self.attempt.window.size, self.attempt.input_spans
        for i in self.component.parts:
            start = self.begin[spans[i]]
            wave = Waveform.shaped(self.shape, start, self.draft.inputs_of(i), size)
            self.proposal.put(i, wave)

    def _propose(self, targets: Index, v: Vector) -> None:
        """Inputs that end at v."""
        a = self.proposal.coefficients
        if self.shape == "hold":
            a[targets, 0] = v
        elif self.shape == "hermite":
            assert self.begin.derivatives is not None
            n = targets.size
            begin = Signals(self.begin.reals[targets], self.begin.derivatives[targets])
            size = self.attempt.window.size
            end = Signals(v[:n], v[n:] / size)
            a[targets] = Waveform.hermite(begin, end, size).coefficients
        else:
            a[targets, 1] = (v - self.begin.reals[targets]) / self.attempt.window.size

    def _routed(self) -> Vector:
        return self._fed(self.scheme.unknown)

    def _fed(self, feed: Feed) -> Vector:
        """What the outputs make of some inputs; where they are wanted, derivatives times size."""
        if self.shape != "hermite":
            return feed.values(self.draft.reals)
        assert self.draft.derivatives is not None, (
            "a part that was asked for derivatives gives none"
        )
        moves = self.attempt.window.size * feed.derivatives(self.draft.derivatives)
        return np.concatenate([feed.values(self.draft.reals), moves])
