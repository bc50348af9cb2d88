"""The sliding function of a group of junctions, at one instant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np

from ..core.signals import Signals, Vector
from ..topology.junction_groups import JunctionGroup
from .coordinator import InstantView
from .solving import differences

_ROUNDING = (1e-15, 1e-11, 1e-8)  # of an output and its derivatives by differences, by order


@dataclass(frozen=True, slots=True, eq=False)
class Term:
    """The derivatives of one order that some rows need: weight N y^(order)."""

    order: int
    rows: Any
    parts: tuple[int, ...]
    matrix: Vector
    constant: Vector
    rounding: Vector


class SurfaceTerms:
    """s = (mu d/dt + 1)^(r-1) g, term by term: those below r - 1, and the highest."""

    def __init__(self, group: JunctionGroup, index: Vector, time_scale: float) -> None:
        self.group, self.count, top = group, index.size, index.astype(int) - 1
        self.index, self.time_scale = index.copy(), time_scale
        self.at_once = top == 0
        self.lower, self.highest = list[Term](), list[Term]()
        for order in range(int(top.max(initial=0)) + 1):
            weight = np.array([comb(int(t), order) for t in top]) * time_scale**order
            for rows, terms in ((top > order, self.lower), (top == order, self.highest)):
                if rows.any():
                    terms.append(_term(group, order, rows, weight))


def _term(group: JunctionGroup, order: int, rows: Any, weight: Vector) -> Term:
    matrix = weight[rows, None] * group.N[rows]
    seen = group.outputs[np.any(matrix != 0, axis=0)].tolist()
    owner = dict(zip(group.outputs.tolist(), group.owners, strict=True))
    constant = weight[rows] * group.c[rows] if order == 0 else np.zeros(int(rows.sum()))
    parts = tuple(sorted({owner[slot] for slot in seen}))
    return Term(order, rows, parts, matrix, constant, np.abs(matrix) * _ROUNDING[order])


class Surface:
    """s(z) for each row, where the parts stand.

    What does not depend on z is asked once: outputs, unless they are known, and derivatives below
    r - 1. `gap` is g, `slope` is g' where it does not depend on z, `trust` the rounding of the s
    that was asked for last. `hidden` leaves the highest derivative alone, less these values, times
    mu^(r-1): the constraint that z obeys where the lower ones are what they should be.
    """

    def __init__(
        self,
        terms: SurfaceTerms,
        now: InstantView,
        inputs: Signals,
        known: Vector | None = None,
        *,
        hidden: Vector | None = None,
    ) -> None:
        self.terms, self.group, self.now = terms, terms.group, now
        self._inputs, self._hidden = inputs, hidden
        self.gap, self.trust = np.zeros(terms.count), np.zeros(terms.count)
        self.slope = np.zeros(terms.count)
        self._fixed, self._blur = np.zeros(terms.count), np.zeros(terms.count)
        for term in terms.lower:
            if hidden is not None and term.order:
                break  # only g itself is of interest
            seen = known if term.order == 0 else None
            before = self._fixed.copy()
            self._add(term, inputs, self._fixed, self._blur, seen)
            if term.order == 0:
                self.gap[:] = self._fixed
            else:
                self.slope[:] = (self._fixed - before) / (2 * terms.time_scale)
        if hidden is not None:
            weight = np.where(terms.at_once, 0.0, terms.time_scale ** (terms.index - 1))
            self._fixed[:], self._blur[:] = -weight * hidden, 0.0

    def __call__(self, z: Vector) -> Vector:
        """The sliding function for these unknowns."""
        return self.many([z])[0][0]

    def many(self, unknowns: Sequence[Vector]) -> list[tuple[Vector, Vector]]:
        """The same for several unknowns, each with its rounding: asked for all at once."""
        asked = [self.inputs(z) for z in unknowns]
        told = [self.now.many(asked, term.order, term.parts) for term in self.terms.highest]
        at_once, found = self.terms.at_once, []
        for k, z in enumerate(unknowns):
            total, self.trust = self._fixed.copy(), self._blur.copy()
            for term, values in zip(self.terms.highest, told, strict=True):
                self._add(term, asked[k], total, self.trust, values[k])
            if at_once.any():
                total[at_once] += (self.group.D @ z)[at_once]
                self.gap[at_once] = total[at_once]
            found.append((total, self.trust))
        return found

    def again(self) -> Surface:
        """The same function where the parts stand now."""
        return Surface(self.terms, self.now, self._inputs, hidden=self._hidden)

    def inputs(self, z: Vector) -> Signals:
        """All inputs, with those that these unknowns feed."""
        g, reals = self.group, self._inputs.reals.copy()
        reals[g.targets] = g.F @ z + g.shift
        return Signals(reals, self._inputs.derivatives, self._inputs.discrete)

    def jacobian(self, z: Vector, s: Vector, *, central: bool = False) -> Vector:
        """ds/dz by differences; a change that might be rounding is none, but for central ones."""
        return differences(self.many, self.group.nominal, z, s, central=central)

    def _add(
        self,
        term: Term,
        inputs: Signals,
        total: Vector,
        blur: Vector,
        known: Vector | None = None,
    ) -> None:
        """Add one term to its rows, and its rounding."""
        values = self.now(inputs, term.order, term.parts) if known is None else known
        y = values[self.group.outputs]
        total[term.rows] += term.matrix @ y + term.constant
        blur[term.rows] += term.rounding @ np.abs(y)
