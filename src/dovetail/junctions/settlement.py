"""The unknowns of one group of junctions, brought to where the parts stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..core.errors import JunctionFailed
from ..core.signals import Signals, Span, Vector
from ..drawing.part_coordinator import PartCoordinator
from ..drawing.ports import End
from ..subsystems.live import Live
from ..topology.junction_groups import JunctionGroup
from .bound_coordinator import BoundCoordinator
from .coordinator import InstantView
from .finding import Finding
from .iterated_junction import IteratedJunction
from .memory import JunctionMemory
from .merging import InheritedGap
from .probing import IndexProbe
from .rates import followed
from .sliding_mode import SlidingMode
from .solving import SingularJacobian, Solution, solve
from .surface import Surface, SurfaceTerms

JunctionLaw = SlidingMode | IteratedJunction | PartCoordinator
_SHRINK = 0.9  # by which the usual window follows shorter ones


class Settlement:
    """One group and what serves it. Holds nothing of a run but what the ports are warned of."""

    def __init__(
        self,
        group: JunctionGroup,
        service: JunctionLaw,
        spans: tuple[Sequence[Span], Sequence[Span]],
    ) -> None:
        self.group, self.service, self._spans = group, service, spans
        self._law: SlidingMode | BoundCoordinator = (
            service if isinstance(service, SlidingMode) else SlidingMode(service.time_scale)
        )
        self._terms: tuple[tuple[tuple[float, ...], float], SurfaceTerms] | None = None
        self.warnings: dict[str, str] = {}  # by port

    @property
    def probe(self) -> float:
        """The share of a window that short steps may take; zero where the law makes none."""
        return 0.0 if isinstance(self.service, IteratedJunction) else self._law.probe

    def bind(self, subsystems: Sequence[Live]) -> None:
        """Know the part that settles it, where one does."""
        if isinstance(self.service, PartCoordinator):
            name = self.service.part
            self._law = BoundCoordinator(next(s for s in subsystems if s.name == name))

    def settle(
        self,
        now: InstantView,
        inputs: Signals,
        outputs: Signals,
        unknowns: Vector,
        memory: JunctionMemory,
        size: float,
        left: Signals | None,
    ) -> tuple[Vector, JunctionMemory]:
        """The unknowns where the parts stand now, and what is remembered of the way there."""
        group, law = self.group, self._law
        first = not now.begun or not memory.probed
        index = self._probed(now, inputs) if first else memory.index
        window = max(size, _SHRINK * memory.window)
        mu = law.scale(window, group.time_scale)
        held_inside = isinstance(self.service, IteratedJunction)
        held = held_inside and not first
        old = memory.inherited
        if held and left is not None:
            jump = _jumped(group, index, outputs.reals, left.reals)
            old = replace(old, scale=mu).with_jump(now.time, index, *jump)
        hidden = old.at(now.time, index)[2] if held else None
        surface = Surface(self._made(index, mu), now, inputs, outputs.reals, hidden=hidden)
        if held_inside and first:
            old = InheritedGap(np.where(index > 1, surface.gap, 0.0), surface.slope, now.time, mu)
        try:
            if first and not law.presolve:
                solved = Solution(unknowns, surface(unknowns), None, True)
            elif held:
                solved = _carried(surface, now, unknowns, memory.jacobian)
            elif isinstance(law, SlidingMode) and law.follows_states and not first:
                solved = followed(law, surface, unknowns, (memory.time, memory.states))
            else:
                solved = law.settled(surface, unknowns, memory.jacobian)
        except SingularJacobian:
            raise self._singular(now, index) from None
        jacobian = solved.jacobian
        if jacobian is None or not np.any(jacobian) or (first and held_inside):
            jacobian = None  # nothing that the next window could use
        return solved.z, JunctionMemory(
            index=np.asarray(index, dtype=float),
            sliding=solved.s,
            gap=surface.gap.copy(),
            inherited=old,
            states=self._states(now),
            jacobian=jacobian,
            window=float(window),
            unsolved=not solved.converged,
            time=now.time,
            scale=float(mu),
        )

    def finding(self, memory: JunctionMemory) -> Finding:
        """How the group stands."""
        index = tuple(int(k) for k in memory.index)
        known = memory.gap, memory.sliding, memory.unsolved, memory.scale
        return Finding(self.group, index, *known)

    def _made(self, index: Vector, time_scale: float) -> SurfaceTerms:
        """The terms of the group, made again only when the windows change."""
        key = tuple(index.tolist()), time_scale
        if self._terms is None or self._terms[0] != key:
            self._terms = key, SurfaceTerms(self.group, index, time_scale)
        return self._terms[1]

    def _states(self, now: InstantView) -> Vector:
        """The states of all parts one after another, for a law that follows them."""
        if not self._law.follows_states:
            return np.zeros(0)
        return np.concatenate([now.state(part) for part in self.group.parts])

    def _probed(self, now: InstantView, inputs: Signals) -> Vector:
        """The index of each row, with what is wrong or strange about the ports said."""
        group = self.group
        for part in group.parts:
            lacks = now.lacking(part, 1)
            if lacks:
                name = next(t.end.part for t in group.touches if t.part == part)
                why = f"'{name}' gives no derivatives while time stands still: {lacks}"
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
            raise self._singular(now, index)
        return index

    def _singular(self, now: InstantView, index: Vector) -> JunctionFailed:
        group, rows = self.group, ", ".join(str(int(k)) for k in index)
        if index.size == 1:
            why = f"'{group.names[0]}' moves nothing (ds/dz is zero; index {rows})"
            remedy = _DEAD
        else:
            why = f"its unknowns cannot be distinguished (ds/dz is singular; index {rows})"
            remedy = _SINGULAR
        turned = [w for port, w in self.warnings.items() if port in map(str, _ports(group))]
        return JunctionFailed(group.name, now.time, why, turned[0] if turned else remedy)


_EXPORT = "export it with state saving or directional derivatives, or as model exchange"
_DEAD = "a part saturates or is at a dead point there; try smaller windows, or look at its model"
_SINGULAR = "look for parts that are joined twice, or that cannot be pushed where they stand"


def _ports(group: JunctionGroup) -> list[End]:
    return [t.end for t in group.touches]


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
