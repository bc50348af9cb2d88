"""Wires, and junctions of power ports between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..core.errors import JunctionFailed
from ..core.signals import Discrete, Signals, Vector
from ..subsystems.live import Live
from ..subsystems.subsystem import Placeable
from ..topology.junction_groups import JunctionGroup
from ..topology.layout import Layout
from .coordination import Coordination
from .coordinator import InstantView
from .finding import Finding
from .memory import JunctionMemory
from .settlement import JunctionLaw, Settlement
from .sliding_mode import SlidingMode
from .wires import Wires


class JunctionCoordinator:
    """Inputs from wires, but for those that a junction's unknowns feed.

    Groups served by sliding mode settle z after each window; for iterated ones the algorithm
    finds it, and settling only brings it to the window's end.
    """

    has_unknowns = True

    def __init__(
        self,
        wires: Wires,
        layout: Layout,
        start: Signals,
        groups: Sequence[JunctionGroup],
        services: Sequence[JunctionLaw],
    ) -> None:
        self._wires, self.groups, self._start = wires, tuple(groups), start
        spans = layout.inputs.spans, layout.outputs.spans
        pairs = zip(groups, services, strict=True)
        self._settlements = [Settlement(g, s, spans) for g, s in pairs]
        self._shares = [self._share(s.reals) for s in layout.inputs.spans]

    @property
    def probe(self) -> float:
        """The share of a window that short steps may take, for parts that answer by them."""
        return min((s.probe for s in self._settlements if s.probe), default=0.05)

    @property
    def warnings(self) -> Mapping[str, str]:
        """What is strange about ports, by port."""
        return {port: w for s in self._settlements for port, w in s.warnings.items()}

    def check(self, subsystems: Sequence[Live]) -> None:
        """Refuse parts that show no states to a law that follows them."""
        for s in self._settlements:
            s.bind(subsystems)
            law = s.service
            if not isinstance(law, SlidingMode) or not law.follows_states:
                continue
            mute = (live for live in (subsystems[i] for i in s.group.parts) if not _placeable(live))
            for live in mute:
                why = f"rate='{law.rate}' follows states, and '{live.name}' shows none"
                remedy = "use rate='decoupled', which needs none"
                raise JunctionFailed(s.group.name, None, why, remedy)

    def start(self) -> Coordination:
        """The unknowns that the start values of the inputs mean."""
        z = np.zeros(sum(g.unknowns.size for g in self.groups))
        for g in self.groups:
            values = self._start.reals[g.targets[g.homes]]
            z[g.unknowns] = (values - g.shift[g.homes]) / g.F[g.homes, np.arange(g.homes.size)]
        blank = [JunctionMemory.blank(g.unknowns.size) for g in self.groups]
        return Coordination(z, tuple(blank))

    def hold(self, start: Signals) -> None:
        """Inputs that nothing feeds have these values from now on."""
        self._wires.hold(start)

    def inputs(self, outputs: Signals, coordination: Coordination) -> Signals:
        """The wired outputs and what the unknowns feed."""
        return self._fed(self._wires.inputs(outputs, coordination), coordination.z)

    def fed(self, inputs: Signals, coordination: Coordination) -> Signals:
        """These inputs, with what the unknowns feed in its place."""
        return self._fed(inputs, coordination.z)

    def inputs_of(
        self,
        part: int,
        reals: Vector,
        derivatives: Vector | None,
        discrete: Sequence[Discrete],
        coordination: Coordination,
    ) -> Signals:
        """The same, for one part."""
        found = self._wires.inputs_of(part, reals, derivatives, discrete, coordination)
        for places, unknowns, F, shift in self._shares[part]:
            found.reals[places] = F @ coordination.z[unknowns] + shift
        return found

    def settle(
        self,
        now: InstantView,
        outputs: Signals,
        coordination: Coordination,
        size: float,
        left: Signals | None = None,
    ) -> Coordination:
        """Move the unknowns of each group to where the parts stand now."""
        z, memories = coordination.z.copy(), list(coordination.memories)
        wired = self._wires.inputs(outputs, coordination)
        for k, settlement in enumerate(self._settlements):
            group = settlement.group
            if not now.begun and any(now.lacking(part, 1) for part in group.parts):
                continue  # until all parts are initialized
            inputs, known = self._fed(wired, z), (z[group.unknowns], memories[k])
            found, memories[k] = settlement.settle(now, inputs, outputs, *known, size, left)
            z[group.unknowns] = found
        return Coordination(z, tuple(memories))

    def findings(self, coordination: Coordination) -> Sequence[Finding]:
        """How every group stands."""
        pairs = zip(self._settlements, coordination.memories, strict=True)
        return [settlement.finding(memory) for settlement, memory in pairs]

    def _fed(self, inputs: Signals, z: Vector) -> Signals:
        reals = inputs.reals.copy()
        for g in self.groups:
            reals[g.targets] = g.F @ z[g.unknowns] + g.shift
        return Signals(reals, inputs.derivatives, inputs.discrete)

    def _share(self, span: slice) -> tuple[tuple[Any, Any, Vector, Vector], ...]:
        """What unknowns feed inside one part: places, unknowns, matrix, shift."""
        found = []
        for g in self.groups:
            ours = np.flatnonzero((g.targets >= span.start) & (g.targets < span.stop))
            if ours.size:
                places = g.targets[ours] - span.start
                found.append((places, g.unknowns, g.F[ours], g.shift[ours]))
        return tuple(found)


def _placeable(live: Live) -> bool:
    return isinstance(live.subsystem, Placeable)
