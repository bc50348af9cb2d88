"""Junctions as matrices: what is unknown, what it feeds, and what must vanish."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.signals import Vector
from ..drawing.junction import Junction, in_domain
from ..drawing.ports import End
from ..drawing.system import System
from .junction_sharing import sharing
from .layout import Layout, numbered
from .routing import Index


@dataclass(frozen=True, slots=True, eq=False)
class PortContact:
    """Where a port meets its junction: the slots of its input, and of what is compared."""

    end: End
    part: int
    inputs: Index
    outputs: Index
    integrated: bool  # a displacement is compared instead of a flow

    def shows(self, slots: Sequence[int]) -> bool:
        """Whether one of these outputs is its own."""
        return bool(set(self.outputs.tolist()).intersection(slots))


@dataclass(frozen=True, slots=True, eq=False)
class JunctionGroup:
    """Junctions that share parts, solved as one: z with g = N y + D z + c = 0.

    Inputs are u[targets] = F z + shift. `rates` is the matrix that gives g' from flows
    where g compares displacements, zero in other rows; `sums` marks rows that add up inputs.
    """

    junctions: tuple[Junction, ...]
    parts: tuple[int, ...]
    unknowns: Index  # among those of all groups
    names: tuple[str, ...]  # the inputs that the unknowns are recorded as, one for each
    rows: tuple[str, ...]
    units: tuple[str, ...]  # of g, row by row
    targets: Index
    F: Vector
    shift: Vector
    homes: Index  # for each unknown, a target that it feeds alone
    outputs: Index
    owners: tuple[int, ...]  # the part of each output
    N: Vector
    D: Vector
    c: Vector
    rates: Vector
    sums: Any
    touches: tuple[PortContact, ...]
    nominal: Vector
    time_scale: float

    @property
    def name(self) -> str:
        """The junctions in it."""
        return "; ".join(j.name for j in self.junctions)

    @property
    def coordinator(self) -> Any:
        """What the user wants it to be solved by, or None."""
        return next((j.coordinator for j in self.junctions if j.coordinator is not None), None)


def groups_of(system: System, layout: Layout) -> tuple[JunctionGroup, ...]:
    """The groups of a drawing, in the order of their first junctions."""
    place, found, first = numbered(layout.names), list[JunctionGroup](), 0
    for junctions in sharing(system.junctions):
        group = _Builder(system, layout, place, junctions).group(first)
        found.append(group)
        first += group.unknowns.size
    return tuple(found)


class _Builder:
    """Fills the matrices of one group."""

    def __init__(
        self, system: System, layout: Layout, place: dict[str, int], junctions: Sequence[Junction]
    ) -> None:
        self.system, self.layout, self.place = system, layout, place
        self.junctions = tuple(junctions)
        self.names: list[str] = []
        self.nominal: list[float] = []
        self.feeds: list[tuple[int, list[tuple[int, float]], float]] = []
        self.rows: list[str] = []
        self.units: list[str] = []
        self.terms: list[tuple[int, int, float]] = []  # row, output slot, coefficient
        self.rates: list[tuple[int, int, float]] = []
        self.direct: list[tuple[int, int]] = []
        self.constants: list[float] = []
        self.sums: list[bool] = []

    def group(self, first: int) -> JunctionGroup:
        for j in self.junctions:
            for k in range(j.ends[0].effort.size):
                self._common(j, k) if j.case == "common" else self._conjugates(j, k)
        n = len(self.names)
        outputs = np.unique([t[1] for t in (*self.terms, *self.rates)]).astype(np.intp)
        column = {int(slot): k for k, slot in enumerate(outputs)}
        N, rates, D = np.zeros((n, outputs.size)), np.zeros((n, outputs.size)), np.zeros((n, n))
        for row, slot, value in self.terms:
            N[row, column[slot]] += value
        for row, slot, value in self.rates:
            rates[row, column[slot]] += value
        for row, unknown in self.direct:
            D[row, unknown] += 1.0
        F = np.zeros((len(self.feeds), n))
        for row, (_, fed, _) in enumerate(self.feeds):
            for unknown, factor in fed:
                F[row, unknown] = factor
        alone = np.count_nonzero(F, axis=1) == 1
        homes = [int(np.flatnonzero(alone & (F[:, k] != 0))[0]) for k in range(n)]
        scales = [e.port.time_scale or 0.0 for j in self.junctions for e in j.ends]
        touches = tuple(self._touch(j, e) for j in self.junctions for e in j.ends)
        return JunctionGroup(
            self.junctions,
            tuple(sorted({t.part for t in touches})),
            np.arange(first, first + n, dtype=np.intp),
            tuple(self.names),
            tuple(self.rows),
            tuple(self.units),
            np.array([f[0] for f in self.feeds], dtype=np.intp),
            F,
            np.array([f[2] for f in self.feeds]),
            np.array(homes, dtype=np.intp),
            outputs,
            tuple(self._owner(slot) for slot in outputs.tolist()),
            N,
            D,
            np.array(self.constants),
            rates,
            np.array(self.sums, dtype=bool),
            touches,
            np.array(self.nominal),
            max(scales, default=0.0),
        )

    def _owner(self, slot: int) -> int:
        spans = enumerate(s.reals for s in self.layout.outputs.spans)
        return next(i for i, s in spans if s.start <= slot < s.stop)

    def _common(self, j: Junction, k: int) -> None:
        """One unknown that all take; what they give adds up to zero."""
        z = self._unknown(j.ends, k)
        assert z is not None
        row = self._row(j, k)
        for e in j.ends:
            self._give(row, j, e, k, 1.0)

    def _conjugates(self, j: Junction, k: int) -> None:
        """An unknown for each that gives; they agree with the first, and the rest adds up.

        If no other part takes part in the sum it is solved at once: the first takes what the others
        leave.
        """
        givers, closed = j.dictators, not j.followers
        unknowns = [self._unknown((e,), k) for e in (givers[1:] if closed else givers)]
        for e in givers[1:]:
            pair = None if closed and len(givers) == 2 else f"{givers[0]} = {e}"
            row = self._row(j, k, pair)
            self._give(row, j, givers[0], k, 1.0)
            self._give(row, j, e, k, -1.0)
        if closed:
            self._feed(givers[0], k, unknowns, -1.0)
            return
        row = self._row(j, k, f"sum at {j.name}", adding=True)
        self.direct += [(row, z) for z in unknowns]
        for e in j.followers:
            self._term(self.terms, row, e, e.output, k, 1.0)

    def _unknown(self, ends: Sequence[End], k: int) -> int:
        z, first = len(self.names), ends[0]
        scalar = list(first.input.scalars())[k]
        self.names.append(f"{first.part}.{scalar}")
        for e in ends:
            self._feed(e, k, [z], 1.0)
        factor, _ = _factors(first, first.input)
        self.nominal.append(abs(factor * (first.input.nominal or 1.0)))
        return z

    def _feed(self, e: End, k: int, unknowns: Sequence[int], sign: float) -> None:
        factor, offset = _factors(e, e.input)
        slot = self.layout.inputs.place[e.part, e.input.name] + k
        self.feeds.append((slot, [(z, sign / factor) for z in unknowns], -offset / factor))

    def _row(self, j: Junction, k: int, name: str | None = None, *, adding: bool = False) -> int:
        self.rows.append((name or j.name) + (f" [{k + 1}]" if j.ends[0].effort.shape else ""))
        d, role = j.ends[0].domain, j.conjugate if adding or j.case == "common" else j.common
        shifted = role == "flow" and j.level == "displacement" and not adding
        unit = d.displacement if shifted else None
        self.units.append(unit or (d.flow if role == "flow" else d.effort))
        self.constants.append(0.0)
        self.sums.append(adding)
        return len(self.rows) - 1

    def _give(self, row: int, j: Junction, e: End, k: int, sign: float) -> None:
        shown = j.shown(e)
        self._term(self.terms, row, e, shown, k, sign)
        if shown is not e.output:
            self._term(self.rates, row, e, e.output, k, sign)

    def _term(self, terms: list[Any], row: int, e: End, v: Any, k: int, sign: float) -> None:
        factor, offset = _factors(e, v)
        terms.append((row, self.layout.outputs.place[e.part, v.name] + k, sign * factor))
        if terms is self.terms:
            self.constants[row] += sign * offset

    def _touch(self, j: Junction, e: End) -> PortContact:
        size, shown = e.effort.size, j.shown(e)
        first = self.layout.inputs.place[e.part, e.input.name]
        given = self.layout.outputs.place[e.part, shown.name]
        inputs, outputs = np.arange(first, first + size), np.arange(given, given + size)
        slots = inputs.astype(np.intp), outputs.astype(np.intp)
        return PortContact(e, self.place[e.part], *slots, integrated=shown is not e.output)


def _factors(end: End, variable: Any) -> tuple[float, float]:
    units = in_domain(end, variable)
    return units.factor, units.offset
