"""Junctions that are solved inside a window, as a root finder sees them."""

from __future__ import annotations

import numpy as np

from ..assembly.attempt import Attempt
from ..assembly.draft import Draft, Proposal
from ..core.errors import JunctionFailed
from ..core.signals import Shape, Vector
from ..estimators.choice import cannot_follow
from ..junctions.coordination import Coordination
from ..junctions.solving import Inverse, SingularJacobian
from ..topology.junction_groups import JunctionGroup

_MANY = 8  # evaluations in a window, above which its Jacobian is not used again


def room(attempt: Attempt, shape: Shape) -> Shape:
    """The shape that leaves room for unknowns that ramp, among inputs of this shape."""
    if shape != "hold":
        return shape
    for k in {k for c in attempt.components for k in c.groups}:
        if attempt.memory(k).follows_at_once and _follow(attempt, attempt.structure.groups[k]):
            return "ramp"
    return shape


def _follow(attempt: Attempt, group: JunctionGroup) -> bool:
    """Whether all parts of a group take inputs that ramp."""
    parts = (attempt.description(i) for i in group.parts)
    return not any(cannot_follow(d, "ramp") for d in parts)


class Joints:
    """The unknowns of one component's junctions, held over the window.

    Those that follow the states at once (index 1) ramp, where parts can follow. The residual is g
    at the window's end, or g + h g' where the index is 3: with g alone the unknown would ring. It
    is divided by dg/dz, so that it has the size of the unknowns and any root finder converges;
    that Jacobian is kept from window to window. A disagreement that the parts started with is not
    closed at once, but dies away as in sliding mode.
    """

    def __init__(self, attempt: Attempt, groups: tuple[int, ...], shape: Shape) -> None:
        self.attempt, self.z, self._numbers = attempt, attempt.coordination.z, groups
        self._members = [(attempt.structure.groups[k], attempt.memory(k)) for k in groups]
        counts = [g.unknowns.size for g, _ in self._members]
        self.count = sum(counts)
        self._cuts = np.cumsum([0, *counts])
        self._jacobians: list[Vector] = []
        self._ramped = [
            m.follows_at_once and (shape != "hold" or _follow(attempt, g)) for g, m in self._members
        ]

    def start(self) -> Vector:
        """The unknowns at the window's start."""
        return np.concatenate([np.zeros(0), *(self.z[g.unknowns] for g, _ in self._members)])

    def names(self) -> list[str]:
        """What the unknowns are recorded as."""
        return [name for g, _ in self._members for name in g.names]

    def propose(self, q: Vector, proposal: Proposal) -> None:
        """Set the inputs that these unknowns feed."""
        a = proposal.coefficients
        for k, (g, _) in enumerate(self._members):
            mine = q[self._cuts[k] : self._cuts[k + 1]]
            end, begin = g.F @ mine, g.F @ self.z[g.unknowns]
            a[g.targets] = 0.0
            if self._ramped[k] and a.shape[1] > 1:
                a[g.targets, 0] = begin + g.shift
                a[g.targets, 1] = (end - begin) / self.attempt.window.size
            else:
                a[g.targets, 0] = end + g.shift

    def gaps(self, q: Vector, draft: Draft, proposal: Proposal) -> Vector:
        """g at the window's end, or g + h g', less what is left of an inconsistent start."""
        found = [np.zeros(0)]
        for k, (g, memory) in enumerate(self._members):
            mine, y = q[self._cuts[k] : self._cuts[k + 1]], draft.reals[g.outputs]
            gap = g.N @ y + g.D @ mine + g.c
            if not self._ramped[k]:
                began = self.attempt.before.reals[g.outputs]
                gap[g.sums] -= (g.N @ (y - began))[g.sums] / 2  # what is held is a mean
            window, index = self.attempt.window, memory.index
            left, falling, _ = memory.inherited.at(window.stop, index)
            gap, high = gap - left, index == 3
            if high.any():
                gap = gap + high * window.size * (self._rates(g, high, y, proposal) - falling)
            found.append(gap)
        return np.concatenate(found)

    def prepared(self) -> bool:
        """Whether the Jacobians are known from earlier windows; then they are taken."""
        kept = [memory.jacobian for _, memory in self._members]
        if any(J is None for J in kept):
            return False
        self._jacobians = [
            J * self._powers(k)[:, None] for k, J in enumerate(kept) if J is not None
        ]
        return True

    def prepare(self, columns: Vector) -> None:
        """Take the Jacobian from these changes of all gaps, one column per unknown."""
        self._jacobians = []
        for k, (g, _) in enumerate(self._members):
            mine = slice(int(self._cuts[k]), int(self._cuts[k + 1]))
            still = self.attempt.standing  # no part moves: whatever lets the search end
            J = np.eye(g.unknowns.size) if still else columns[mine, mine].copy()
            self._jacobians.append(J)
            try:
                Inverse(J, g.nominal)
            except SingularJacobian:
                why = "what it pushes does not move apart over the window (dg/dz is singular)"
                remedy = "use coordinator=dv.SlidingMode(), or look for parts that are joined twice"
                raise JunctionFailed(g.name, self.attempt.window.start, why, remedy) from None

    def moves(self, q: Vector) -> Vector:
        """By how much the unknowns are moved to see what they do."""
        nominal = np.concatenate([np.zeros(0), *(g.nominal for g, _ in self._members)])
        moved: Vector = 1e-3 * np.maximum(np.abs(q), nominal)
        return moved

    def scaled(self, gaps: Vector) -> Vector:
        """-(dg/dz)^-1 g: by how much the unknowns are off."""
        found = [np.zeros(0)]
        for k, ((g, _), J) in enumerate(zip(self._members, self._jacobians, strict=True)):
            mine = gaps[self._cuts[k] : self._cuts[k + 1]]
            found.append(-Inverse(J, g.nominal)(mine))
        return np.concatenate(found)

    def keep(self, q: Vector, before: Coordination, evaluations: int) -> Coordination:
        """The unknowns that were found, and the Jacobian for the next window."""
        z, memories = before.z.copy(), list(before.memories)
        for k, (number, (g, memory)) in enumerate(zip(self._numbers, self._members, strict=True)):
            z[g.unknowns] = q[self._cuts[k] : self._cuts[k + 1]]
            J = self._jacobians[k] / self._powers(k)[:, None]
            memories[number] = memory.with_jacobian(J if evaluations <= _MANY else None)
        return Coordination(z, tuple(memories))

    def _powers(self, k: int) -> Vector:
        """How dg/dz grows with the window: h^(index - 1), or h^2 where g + h g' is solved."""
        index = self._members[k][1].index
        powers: Vector = self.attempt.window.size ** (index - 1)
        return powers

    def _rates(self, g: JunctionGroup, rows: Vector, y: Vector, proposal: Proposal) -> Vector:
        """g' at the window's end: from flows where displacements are compared, else asked."""
        rates: Vector = g.rates @ y
        asked = rows & ~np.any(g.rates != 0, axis=1)
        if not asked.any():
            return rates
        attempt = self.attempt
        derivatives = np.zeros(attempt.before.reals.size)
        for i in g.parts:
            able = attempt.capabilities(i)
            if not (able.can_evaluate_now and able.can_derive_now):
                name = attempt.names[i]
                why = f"its index is 3, and '{name}' gives no derivative at a window's end"
                remedy = "give its port a displacement, or use coordinator=dv.SlidingMode()"
                raise JunctionFailed(g.name, attempt.window.start, why, remedy)
            end = proposal.of(i).at(attempt.window.size)
            derivatives[attempt.output_spans[i].reals] = attempt.derivatives_of(i, end)
        rates[asked] = (g.N @ derivatives[g.outputs])[asked]
        return rates
