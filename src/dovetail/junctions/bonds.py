"""Where power passes between parts: junctions, and pairs of wires that are bonds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..core.description import Domain
from ..core.signals import Vector
from ..drawing.alike import Likes
from ..drawing.junction import in_domain
from ..drawing.ports import End
from ..drawing.system import System
from ..topology.layout import Layout
from ..topology.routing import Index


@dataclass(frozen=True, slots=True, eq=False)
class Bond:
    """Ports between which power passes; `sign` is -1 for one that was wired the other way.

    What they take together is zero, but for what coupling creates. Slots are those of all parts,
    element by element; `factors` bring values into the units of the domain. Twin in C:
    `native/bonds.c`.
    """

    name: str
    domain: Domain
    ends: tuple[End, ...]
    inputs: tuple[Index, ...]
    outputs: tuple[Index, ...]
    factors: tuple[tuple[float, float, float, float], ...]  # of input and output, with offsets
    against: bool = False  # two ports that both count power in, wired as if one counted it out

    def taken(self, inputs: Vector, outputs: Vector) -> Vector:
        """What each port takes: power, or the flow itself where that is what is conserved."""
        found = []
        for end, u, y, (a, b, c, d) in zip(
            self.ends, self.inputs, self.outputs, self.factors, strict=True
        ):
            given, shown = a * inputs[u] + b, c * outputs[y] + d
            flow = shown if end.takes == "effort" else given
            found.append(float(np.sum(given * shown if self.domain.is_power else flow)))
        return np.array(found)


def bonds_of(system: System, layout: Layout) -> list[Bond]:
    """All bonds of a drawing: its junctions, and ports that wires connect both ways."""
    found = [_bond(j.name, j.ends, layout) for j in system.junctions]
    return [*found, *(_bond(f"{a} - {b}", (a, b), layout, s) for a, b, s in _wired(system))]


def _bond(name: str, ends: tuple[End, ...], layout: Layout, against: bool = False) -> Bond:
    places, factors = [], []
    for e in ends:
        size = e.effort.size
        u = layout.inputs.place[e.part, e.input.name]
        y = layout.outputs.place[e.part, e.output.name]
        places.append((np.arange(u, u + size), np.arange(y, y + size)))
        given, shown = in_domain(e, e.input), in_domain(e, e.output)
        factors.append((given.factor, given.offset, shown.factor, shown.offset))
    return Bond(
        name,
        ends[0].domain,
        ends,
        tuple(p[0].astype(np.intp) for p in places),
        tuple(p[1].astype(np.intp) for p in places),
        tuple(factors),
        against,
    )


def _wired(system: System) -> Iterator[tuple[End, End, bool]]:
    """Pairs of ports that feed each other by drawn wires, and whether their signs disagree."""
    ends = {}
    for likes in Likes.of(system.parts.values()):
        d = likes.description
        known = {v.name for v in (*d.inputs, *d.outputs)} if d.ports else set()
        whole = [name for name, port in d.ports.items() if {port.effort, port.flow} <= known]
        for part in likes.names if whole else ():
            for name in whole:
                end = End.of(part, name, d)
                ends[part, end.output.name] = ends[part, end.input.name] = end
    gains = {}
    for c in system.connections if ends else ():
        source = ends.get((c.source.part, c.source.variable.name))
        target = ends.get((c.target.part, c.target.variable.name))
        if not c.junction and source is not None and target is not None:
            gains[str(source), str(target)] = c.total[0], source, target
    for (a, b), (gain, source, target) in gains.items():
        back = gains.get((b, a))
        if back is not None and a < b and source.domain is target.domain:
            yield source, target, gain * back[0] > 0
