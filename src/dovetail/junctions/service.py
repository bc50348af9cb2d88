"""What serves each group of junctions, and what that needs of the parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..core.signals import Signals
from ..drawing.system import System
from ..estimators.choice import EstimatorChoice
from ..subsystems.live import Live
from ..topology.components import Structure
from ..topology.junction_groups import JunctionGroup, groups_of
from ..topology.layout import Layout
from .coordinator import InterfaceCoordinator
from .iterated_junction import IteratedJunction
from .junction_coordinator import JunctionCoordinator
from .settlement import JunctionLaw
from .sliding_mode import SlidingMode
from .wires import Wires


def choose_services(
    system: System, estimators: Mapping[str, EstimatorChoice], *, solves: bool
) -> list[tuple[JunctionGroup, JunctionLaw, str]]:
    """What serves each group of junctions, and why it is this."""
    found: list[tuple[JunctionGroup, JunctionLaw, str]] = []
    if not system.junctions:
        return found
    for group in groups_of(system, Layout.of(system)):
        names = dict.fromkeys(t.end.part for t in group.touches)
        once = [name for name in names if not estimators[name].estimator.repeatable]
        if group.coordinator is not None:
            found.append((group, group.coordinator, "it was asked for"))
        elif not solves:
            found.append((group, SlidingMode(), "the algorithm does not solve for junctions"))
        elif once:
            found.append((group, SlidingMode(), f"'{once[0]}' can step over a window only once"))
        else:
            found.append(
                (group, IteratedJunction(), "all its parts can answer a window repeatedly")
            )
    return found


def iterated(services: Sequence[JunctionLaw]) -> tuple[int, ...]:
    """The numbers of those that are solved inside a window."""
    return tuple(k for k, s in enumerate(services) if isinstance(s, IteratedJunction))


def structure_for(
    system: System, structure: Structure, estimators: Mapping[str, EstimatorChoice], *, solves: bool
) -> Structure:
    """The structure, with junctions that will be solved inside windows as couplings."""
    inside = iterated([s for _, s, _ in choose_services(system, estimators, solves=solves)])
    return Structure.of(system, inside) if inside else structure


def coordinator_of(
    structure: Structure,
    services: Sequence[JunctionLaw],
    start: Signals,
) -> InterfaceCoordinator:
    """Wires, with the junctions between them if there are any."""
    wires = Wires(structure.layout, structure.routing, start)
    if not structure.groups:
        return wires
    return JunctionCoordinator(wires, structure.layout, start, structure.groups, services)


def with_feedthrough(subsystems: Sequence[Live], structure: Structure) -> list[int]:
    """Parts with direct feedthrough from a junction's unknown, and that can be asked again."""
    found = set()
    for touch in (t for g in structure.groups for t in g.touches):
        live = subsystems[touch.part]
        d = live.description
        direct = {name for output in d.outputs for name in d.depends(output.name)}
        if touch.end.input.name in direct and live.capabilities.can_evaluate_now:
            found.add(touch.part)
    return sorted(found)
