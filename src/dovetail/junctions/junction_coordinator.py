"""Wires, and junctions of power ports between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..core.errors import JunctionFailed
from ..core.signals import Discrete, Signals, Vector
from ..drawing.ports import End
from ..topology.junction_groups import JunctionGroup
from ..topology.layout import Layout
from ..topology.routing import Index
from .coordinator import InstantView
from .iterated_junction import IteratedJunction
from .memory import JunctionMemory
from .merging import InheritedGap
from .probing import IndexProbe
from .rates import followed
from .sliding_mode import SlidingMode
from .solving import SingularJacobian, Solution, solve
from .surface import Surface, SurfaceTerms
from .wires import Wires

_SHRINK = 0.9  # by which the usual window follows shorter ones


@dataclass(frozen=True, slots=True, eq=False)
class Finding:
    """How a group of junctions stands: g and s for each row, and whether it is solved."""

    group: JunctionGroup
    index: tuple[int, ...]
    gap: Vector
    sliding: Vector
    unsolved: bool
    time_scale: float


class JunctionCoordinator:
    """Inputs from wires, but for those that a junction's unknowns feed.

    z holds the unknowns of all groups, in units of their domains, and behind them what each
    group remembers. Groups served by sliding mode settle z after each window; for iterated ones
    the algorithm finds it, and settling only brings it to the window's end.
    """

    def __init__(
        self,
        wires: Wires,
        layout: Layout,
        start: Signals,
        groups: Sequence[JunctionGroup],
        services: Sequence[SlidingMode | IteratedJunction],
    ) -> None:
        self._wires, self.groups, self.services = wires, tuple(groups), tuple(services)
        self._start, self._spans = start, (layout.inputs.spans, layout.outputs.spans)
        self._kept: dict[int, tuple[Any, SurfaceTerms]] = {}
        self.unknowns = sum(g.unknowns.size for g in groups)
        self.memories: list[JunctionMemory] = []
        self.allocate([0] * len(self.groups))
        self._shares = [self._share(s.reals) for s in layout.inputs.spans]
        self.warnings: dict[str, str] = {}  # by port

    def allocate(self, states: Sequence[int]) -> None:
        """Make room for what is remembered; `states` of each group, for laws that follow them."""
        self.memories, first = [], self.unknowns
        for group, count in zip(self.groups, states, strict=True):
            self.memories.append(JunctionMemory(first, group.unknowns.size, count))
            first += self.memories[-1].size
        self._size = first

    def start(self) -> Vector:
        """The unknowns that the start values of the inputs mean."""
        z = np.zeros(self._size)
        for g in self.groups:
            values = self._start.reals[g.targets[g.homes]]
            z[g.unknowns] = (values - g.shift[g.homes]) / g.F[g.homes, np.arange(g.homes.size)]
        return z

    def hold(self, start: Signals) -> None:
        """Inputs that nothing feeds have these values from now on."""
        self._wires.hold(start)

    def inputs(self, outputs: Signals, z: Vector) -> Signals:
        """The wired outputs and what the unknowns feed."""
        return self.fed(self._wires.inputs(outputs, z), z)

    def fed(self, inputs: Signals, z: Vector) -> Signals:
        """These inputs, with what the unknowns feed in its place."""
        reals = inputs.reals.copy()
        for g in self.groups:
            reals[g.targets] = g.F @ z[g.unknowns] + g.shift
        return Signals(reals, inputs.slopes, inputs.discrete)

    @property
    def targets(self) -> Index:
        """The inputs that unknowns feed."""
        return np.concatenate([np.zeros(0, dtype=np.intp), *(g.targets for g in self.groups)])

    def inputs_of(
        self,
        part: int,
        reals: Vector,
        slopes: Vector | None,
        discrete: Sequence[Discrete],
        z: Vector,
    ) -> Signals:
        """The same, for one part."""
        found = self._wires.inputs_of(part, reals, slopes, discrete, z)
        for places, unknowns, F, shift in self._shares[part]:
            found.reals[places] = F @ z[unknowns] + shift
        return found

    def settle(
        self,
        now: InstantView,
        outputs: Signals,
        z: Vector,
        size: float,
        left: Signals | None = None,
    ) -> Vector:
        """Move the unknowns of each group to where the parts stand now."""
        z = z.copy()
        for group, service, memory in zip(self.groups, self.services, self.memories, strict=True):
            if not now.begun and any(now.lacking(part, 1) for part in group.parts):
                continue  # until everybody is under way
            self._settle(group, service, memory, now, outputs, z, size, left)
        return z

    def waiting(self, z: Vector) -> bool:
        """Whether a group has not been looked at yet."""
        return any(not np.all(m.index(z)) for m in self.memories)

    def findings(self, z: Vector) -> list[Finding]:
        """How every group stands."""
        return [
            Finding(
                g,
                tuple(int(k) for k in m.index(z)),
                m.gap(z),
                m.sliding(z),
                m.unsolved(z),
                m.scale(z),
            )
            for g, m in zip(self.groups, self.memories, strict=True)
        ]

    def _settle(
        self,
        group: JunctionGroup,
        service: SlidingMode | IteratedJunction,
        memory: JunctionMemory,
        now: InstantView,
        outputs: Signals,
        z: Vector,
        size: float,
        left: Signals | None,
    ) -> None:
        inputs = self.inputs(outputs, z)
        first = not now.begun or not np.all(memory.index(z))
        index = self._probed(group, now, inputs) if first else memory.index(z).copy()
        window = max(size, _SHRINK * memory.window(z))
        law = service if isinstance(service, SlidingMode) else SlidingMode(service.time_scale)
        mu = law.scale(window, group.time_scale)
        held = isinstance(service, IteratedJunction) and not first
        terms = self._terms(group, index, mu)
        old = memory.inherited(z)
        if held and left is not None:
            jump = _jumped(group, index, outputs.reals, left.reals)
            old = replace(old, scale=mu).with_jump(now.time, index, *jump)
        hidden = old.at(now.time, index)[2] if held else None
        surface = Surface(terms, now, inputs, outputs.reals, hidden=hidden)
        if isinstance(service, IteratedJunction) and first:
            old = InheritedGap(np.where(index > 1, surface.gap, 0.0), surface.slope, now.time, mu)
        unknowns, jacobian = z[group.unknowns], memory.jacobian(z)
        try:
            if first and not law.presolve:
                solved = Solution(unknowns, surface(unknowns), None, True)
            elif held:
                solved = _carried(surface, now, unknowns, jacobian)
            elif law.rate != "decoupled" and not first:
                past = memory.time(z), memory.seen(z)
                solved = followed(law, surface, unknowns, past)
            else:
                solved = law.settled(surface, unknowns, jacobian)
        except SingularJacobian:
            raise self._singular(group, now, index) from None
        z[group.unknowns] = solved.z
        memory.keep(
            z,
            index=index,
            sliding=solved.s,
            gap=surface.gap,
            jacobian=None if first and isinstance(service, IteratedJunction) else solved.jacobian,
            window=window,
            unsolved=not solved.converged,
            time=now.time,
            scale=mu,
            inherited=old,
            states=_states(group, now, memory),
        )

    def _terms(self, group: JunctionGroup, index: Vector, time_scale: float) -> SurfaceTerms:
        """The terms of a group, made again only when the windows change."""
        key = tuple(index.tolist()), time_scale
        kept = self._kept.get(id(group))
        if kept is None or kept[0] != key:
            kept = self._kept[id(group)] = key, SurfaceTerms(group, index, time_scale)
        return kept[1]

    def _probed(self, group: JunctionGroup, now: InstantView, inputs: Signals) -> Vector:
        """The index of each row, with what is wrong or strange about the ports said."""
        for part in group.parts:
            lacks = now.lacking(part, 1)
            if lacks:
                name = next(t.end.part for t in group.touches if t.part == part)
                why = f"'{name}' tells nothing while time stands still: {lacks}"
                raise JunctionFailed(group.name, None, why, _EXPORT)
        probe = IndexProbe(group, now, inputs, self._spans)
        probe.check_declared()
        index = probe.indices()
        for name in probe.against():
            self.warnings[name] = (
                f"'{name}' gives way against the push: its power seems to be counted out of the "
                "part, and a port wants it counted in"
            )
        if probe.cancels(index):
            raise self._singular(group, now, index)
        return index

    def _singular(self, group: JunctionGroup, now: InstantView, index: Vector) -> JunctionFailed:
        rows = ", ".join(str(int(k)) for k in index)
        if index.size == 1:
            why = f"'{group.names[0]}' moves nothing (ds/dz is zero; index {rows})"
            remedy = _DEAD
        else:
            why = f"its unknowns cannot be told apart (ds/dz is singular; index {rows})"
            remedy = _SINGULAR
        turned = [w for port, w in self.warnings.items() if port in map(str, _ports(group))]
        return JunctionFailed(group.name, now.time, why, turned[0] if turned else remedy)

    def _share(self, span: slice) -> tuple[tuple[Any, Any, Vector, Vector], ...]:
        """What unknowns feed inside one part: places, unknowns, matrix, shift."""
        found = []
        for g in self.groups:
            ours = np.flatnonzero((g.targets >= span.start) & (g.targets < span.stop))
            if ours.size:
                places = g.targets[ours] - span.start
                found.append((places, g.unknowns, g.F[ours], g.shift[ours]))
        return tuple(found)


_EXPORT = "export it with state saving or directional derivatives, or as model exchange"
_DEAD = "a part saturates or is at a dead point there; try smaller windows, or look at its model"
_SINGULAR = "look for parts that are joined twice, or that cannot be pushed where they stand"


def _ports(group: JunctionGroup) -> list[End]:
    return [t.end for t in group.touches]


def _states(group: JunctionGroup, now: InstantView, memory: JunctionMemory) -> Vector:
    """The states of all parts one after another, where they are remembered."""
    if not memory.states:
        return np.zeros(0)
    return np.concatenate([now.state(part) for part in group.parts])


def _jumped(
    group: JunctionGroup, index: Vector, right: Vector, left: Vector
) -> tuple[Vector, Vector]:
    """By how much an event has moved the ports apart, and their flows where they are shown."""
    change = right[group.outputs] - left[group.outputs]
    return np.where(index > 1, group.N @ change, 0.0), np.where(index > 2, group.rates @ change, 0)


def _carried(surface: Surface, now: InstantView, z: Vector, jacobian: Vector | None) -> Solution:
    """z at the window's end, from the z that was held over it: the hidden constraint solved.

    Where the parts cannot be asked freely, or it has no solution, the held value stays. The
    Jacobian is the algorithm's, and kept.
    """
    if not all(now.evaluates(part) for part in surface.group.parts):
        return Solution(z, surface.gap, jacobian, True)
    try:
        found = solve(surface, z, None)
    except SingularJacobian:
        return Solution(z, surface(z), jacobian, True)
    return Solution(found.z if found.converged else z, found.s, jacobian, True)
