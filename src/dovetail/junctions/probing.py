"""How often an output must be differentiated before it depends on an input."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import factorial
from typing import Any

import numpy as np

from ..core.errors import JunctionFailed, PartFailed
from ..core.signals import Signals, Span, Vector
from ..topology.junction_groups import JunctionGroup, PortContact
from .coordinator import InstantView

HIGHEST = 3  # the highest relative order that is looked for
NEVER = HIGHEST + 1
_CANCELLED = 1e-7  # what is left of a sum counts as zero below this share of its terms
_LEFT = 1e-4  # of a sum, below which nothing counts as left of it
_NOISE = (1e-12, 1e-8, 1e-5, 1e-3)  # of derivatives by differences, by order
_MOVES = (1e-4, 1e-1, 1e2, 1e5)  # by which inputs are moved, of their usual size


@dataclass(frozen=True, slots=True, eq=False)
class ProbeResponse:
    """How the outputs of one part move when the junctions of a group push its inputs.

    `order` is the first derivative of an output that moves with an input, `lead` by how much.
    """

    outputs: list[int]
    inputs: list[int]
    order: Any
    lead: Vector


class IndexProbe:
    """Pushes the inputs of a group where its parts stand, and sees what moves."""

    def __init__(
        self,
        group: JunctionGroup,
        now: InstantView,
        inputs: Signals,
        spans: tuple[Sequence[Span], Sequence[Span]],
    ) -> None:
        self.group, self.now, self.inputs = group, now, inputs
        self._taken, self._given = ([s.reals for s in both] for both in spans)
        self.responses = {part: self._response(part) for part in group.parts}

    def indices(self) -> Vector:
        """The index of each row: one more than the smallest relative order in it."""
        orders = {
            slot: int(r.order[k].min(initial=NEVER))
            for r in self.responses.values()
            for k, slot in enumerate(r.outputs)
        }
        index = np.ones(len(self.group.rows))
        for row in np.flatnonzero(~self.group.sums):
            slots = self.group.outputs[self.group.N[row] != 0].tolist()
            index[row] = 1 + min(orders[slot] for slot in slots)
            self._check_index(int(row), int(index[row]), slots)
        return index

    def check_declared(self) -> None:
        """Refuse a relative order that was declared and is not what the part does."""
        for t in self.group.touches:
            declared, own = t.end.port.relative_order, self._own(t)
            if declared is None or own is None:
                continue
            first = int(own[0].min())
            if first != declared + t.integrated:
                does = "never does" if first == NEVER else f"does with {first - t.integrated}"
                shown = t.end.output.name
                why = (
                    f"it declares relative_order={declared}, that derivative {declared} of "
                    f"'{shown}' is the first to depend on its input, but it {does}"
                )
                raise JunctionFailed(str(t.end), None, why, "correct or drop relative_order")

    def cancels(self, index: Vector) -> bool:
        """Whether what a row sees of every push cancels: all its ports move alike.

        By short steps something is left over even then, and would be divided by.
        """
        g, count = self.group, self.group.unknowns.size
        J, size = np.zeros((len(g.rows), count)), np.zeros((len(g.rows), count))
        for r in self.responses.values():
            outputs = [int(np.flatnonzero(g.outputs == k)[0]) for k in r.outputs]
            for column, slot in enumerate(r.inputs):
                pushed = g.F[np.flatnonzero(g.targets == slot)].sum(axis=0)
                for row in range(len(g.rows)):
                    seen = (r.order[:, column] == index[row] - 1) * r.lead[:, column]
                    terms = g.N[row, outputs] * seen
                    J[row] += terms.sum() * pushed
                    size[row] += np.abs(terms).sum() * np.abs(pushed)
        rows = ~g.sums & np.any(size > 0, axis=1) & ~np.any(g.D != 0, axis=1)
        return bool(np.any(np.all(np.abs(J) <= _LEFT * size, axis=1) & rows))

    def against(self) -> list[str]:
        """Ports that give way in the wrong direction: power counted out of the part."""
        found = []
        for t in self.group.touches:
            own = self._own(t)
            if own is not None and int(own[0].min()) - t.integrated <= 1:
                first = int(own[0].argmin())
                found += [str(t.end)] if own[1][first] < 0 else []
        return found

    def _check_index(self, row: int, index: int, slots: list[int]) -> None:
        if index <= 3:
            return
        name = self.group.rows[row]
        parts = dict.fromkeys(t.end.part for t in self.group.touches if t.shows(slots))
        listed = " and ".join(f"'{p}'" for p in parts)
        if index > NEVER:
            why = f"nothing it could push moves what {listed} give"
            remedy = "two rigid sources cannot meet; put a part that gives way between them"
            raise JunctionFailed(name, None, why, remedy)
        remedy = "compare what responds to the push sooner, such as the flow with level='flow'"
        raise JunctionFailed(name, None, f"its index is {index}, and 3 is the most", remedy)

    def _own(self, t: PortContact) -> tuple[Vector, Vector] | None:
        """How a port's output responds to its own input, element by element."""
        r = self.responses[t.part]
        known = set(r.outputs).issuperset(t.outputs) and set(r.inputs).issuperset(t.inputs)
        if not known:
            return None
        rows = [r.outputs.index(k) for k in t.outputs]
        columns = [r.inputs.index(k) for k in t.inputs]
        return r.order[rows, columns], r.lead[rows, columns]

    def _response(self, part: int) -> ProbeResponse:
        taken, given = self._taken[part], self._given[part]
        inputs = [int(k) for k in self.group.targets if taken.start <= k < taken.stop]
        outputs = [int(k) for k in self.group.outputs if given.start <= k < given.stop]
        shape = len(outputs), len(inputs)
        found = ProbeResponse(outputs, inputs, np.full(shape, NEVER), np.zeros(shape))
        if not (inputs and outputs):
            return found
        if not self.now.lacking(part, 0):
            self.now(self.inputs, 0, (part,))  # a linearization is then the one for these inputs
        linear = self.now.linearization(part)
        if linear is not None:
            rows, columns = [k - given.start for k in outputs], [k - taken.start for k in inputs]
            _from_linear(linear, rows, columns, found)
            return found
        for column in range(len(inputs)):
            for move in _MOVES:
                try:
                    if self._push(part, column, move, found):
                        break
                except PartFailed:
                    break  # too far
        return found

    def _push(self, part: int, column: int, move: float, found: ProbeResponse) -> bool:
        """Push one input by this much; whether everything moved."""
        slot, reals = found.inputs[column], self.inputs.reals.copy()
        delta = move * max(abs(reals[slot]), 1.0)
        reals[slot] += delta
        there = Signals(reals, self.inputs.derivatives, self.inputs.discrete)
        if self.now.steps(part, self.inputs) is not None:
            return self._stepped(part, there, column, delta, found)
        for k in range(HIGHEST + 1):
            if self.now.lacking(part, k):
                break
            a, b = (self.now(u, k, (part,))[found.outputs] for u in (self.inputs, there))
            moved = np.abs(b - a) > _NOISE[k] * (np.abs(a) + np.abs(b))
            moved &= found.order[:, column] > k
            found.order[moved, column], found.lead[moved, column] = k, (b - a)[moved] / delta
        return bool(np.all(found.order[:, column] <= HIGHEST))

    def _stepped(
        self, part: int, there: Signals, column: int, delta: float, found: ProbeResponse
    ) -> bool:
        """By short steps: what grows with the k-th power of time has relative order k."""
        here, moved = self.now.steps(part, self.inputs), self.now.steps(part, there)
        assert here is not None and moved is not None
        rows, size = [k - self._given[part].start for k in found.outputs], here[2]
        one, two = moved[0][rows] - here[0][rows], moved[1][rows] - here[1][rows]
        noise = 1e-11 * (np.abs(here[0][rows]) + np.abs(moved[0][rows]))
        seen = (np.abs(one) > noise) & (found.order[:, column] == NEVER)
        power = np.log2(np.abs(two[seen] / one[seen])).round().clip(0, HIGHEST).astype(int)
        found.order[seen, column] = power
        factor = np.array([factorial(int(k)) for k in power]) / size**power
        ahead = 2 * one[seen] - two[seen] / 2.0**power  # what is left of it as time goes to zero
        found.lead[seen, column] = ahead / delta * factor
        return bool(np.all(found.order[:, column] <= HIGHEST))


def _from_linear(linear: Any, rows: list[int], columns: list[int], found: ProbeResponse) -> None:
    """D, C B, C A B, C A A B: the first that is not zero, but for cancellation."""
    C, B, D = linear.C[rows], linear.B[:, columns], linear.D[np.ix_(rows, columns)]
    terms = [(D, np.abs(D))]
    size = np.abs(C)
    for _ in range(HIGHEST):
        terms.append((C @ B, size @ np.abs(B)))
        C, size = C @ linear.A, size @ np.abs(linear.A)
    for k, (M, total) in enumerate(terms):
        seen = (np.abs(M) > _CANCELLED * total) & (found.order > k)
        found.order[seen], found.lead[seen] = k, M[seen]
