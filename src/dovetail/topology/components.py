"""Which parts depend on each other, over a window and at an instant."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from ..drawing.alike import Likes
from ..drawing.system import System
from .algebraic_loops import algebraic_loops, feedthrough_inputs
from .component import Component, components_by
from .junction_groups import JunctionGroup, groups_of
from .layout import Layout, numbered
from .routing import Routing


@dataclass(frozen=True, slots=True, eq=False)
class Structure:
    """What can be known of a system before it runs.

    `components`: over a window, where every output may depend on every input of its part.
    `instant`: while time stands still, where only feed-through counts. `loops`: algebraic
    loops, each as the names of its inputs and outputs.
    """

    layout: Layout
    routing: Routing
    components: tuple[Component, ...]
    instant: tuple[Component, ...]
    loops: tuple[tuple[str, ...], ...]
    groups: tuple[JunctionGroup, ...] = ()  # of junctions with unknowns
    likes: tuple[Likes, ...] = ()  # the parts by their models

    @staticmethod
    def of(system: System, iterated: Collection[int] = ()) -> Structure:
        """The structure of a drawing; `iterated` groups of junctions couple parts over a window."""
        layout = Layout.of(system)
        routing = Routing.of(system, layout)
        place = numbered(layout.names)
        drawn, feeding = system.connections, feedthrough_inputs(system)
        wires = [(place[c.source.part], place[c.target.part]) for c in drawn]
        at_once = [
            (place[c.source.part], place[c.target.part])
            for c in (drawn if any(feeding.values()) else ())
            if c.target.variable.name in feeding[c.target.part]
        ]
        likes = Likes.of(system.parts.values())
        able = (x.names for x in likes if x.description.capabilities.can_return_early)
        early = [place[name] for names in able for name in names]
        instant = components_by(layout, routing, at_once)
        groups = groups_of(system, layout)
        for k in iterated:
            ring = groups[k].parts
            wires += [*zip(ring, (*ring[1:], ring[0]), strict=True)]
        return Structure(
            layout,
            routing,
            _holding(components_by(layout, routing, wires, early), groups, iterated),
            instant,
            algebraic_loops(system) if any(c.cyclic for c in instant) else (),
            groups,
            likes,
        )


def _holding(
    components: tuple[Component, ...], groups: Sequence[JunctionGroup], iterated: Collection[int]
) -> tuple[Component, ...]:
    """The components, each with the iterated groups that lie in it."""
    if not iterated:
        return components
    inside = [tuple(k for k in iterated if groups[k].parts[0] in c.parts) for c in components]
    return tuple(replace(c, groups=g) for c, g in zip(components, inside, strict=True))
