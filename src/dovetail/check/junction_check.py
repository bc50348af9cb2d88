"""What can be said of junctions before a run: what serves them, and what they ask of parts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..algorithms import Algorithm
from ..core.errors import Problem, Shortfall
from ..drawing.system import System
from ..estimators import Estimator
from ..estimators.choice import EstimatorChoice, Needs, SolvesJunctions, choose_estimators
from ..junctions import IteratedJunction, PartCoordinator, SlidingMode
from ..junctions.bonds import bonds_of
from ..junctions.service import choose_services
from ..topology.junction_sharing import sharing
from ..topology.layout import Layout


def served(
    system: System,
    needs: Needs,
    estimators: Mapping[str, Estimator] | None = None,
) -> dict[str, str]:
    """For each group of junctions, how it will be solved and why."""
    if not system.junctions:
        return {}
    chosen = choose_estimators(system, estimators, needs)
    services = choose_services(system, chosen, solves=needs.solves_junctions)
    return {group.name: f"{_method(service)}, because {why}" for group, service, why in services}


def junction_shortfalls(
    system: System, algorithm: Algorithm, needs: Needs, chosen: Mapping[str, EstimatorChoice]
) -> list[Shortfall]:
    """What parts and algorithm lack for the junctions of a system."""
    if not system.junctions:
        return []
    found: list[Shortfall] = []
    solves = needs.solves_junctions
    for group, service, _ in choose_services(system, chosen, solves=solves):
        names = list(dict.fromkeys(t.end.part for t in group.touches))
        if isinstance(service, IteratedJunction):
            found += _for_iteration(names, algorithm, chosen, solves=solves)
        else:
            found += _for_sliding(system, names)
    return found


def disagreements(system: System) -> list[Problem]:
    """Junctions that share a part, and were asked to be solved in different ways."""
    problems = []
    for junctions in sharing(system.junctions):
        wishes = [j.coordinator for j in junctions if j.coordinator is not None]
        if any(w != wishes[0] for w in wishes):
            names = " and ".join(j.name for j in junctions)
            what = f"{names} share a part and are solved as one; give them the same coordinator."
            problems.append(Problem(junctions[0].name, what))
    return problems


def wrong_ways(system: System) -> list[Problem]:
    """Ports that wires connect both ways, with signs by which both would take power."""
    problems = []
    for bond in bonds_of(system, Layout.of(system)):
        if bond.against:
            what = f"the wires between {bond.name} have signs by which both take power at once"
            way_out = "a port counts power inward, so one of the two wires needs gain=-1"
            problems.append(Problem(bond.name, f"{what}; {way_out}.", warning=True))
    return problems


def _for_iteration(
    names: list[str], algorithm: Algorithm, chosen: Mapping[str, EstimatorChoice], *, solves: bool
) -> list[Shortfall]:
    title = type(algorithm).__name__
    able = isinstance(algorithm, SolvesJunctions) and algorithm.solves_junctions
    if algorithm.inputs == "hermite" and able:
        title += " with hermite inputs"
    remedy = "use dv.Newton() or dv.Iterative(), or coordinator=dv.SlidingMode()"
    if not solves:
        return [
            Shortfall(names[0], f"has an iterated junction, which {title} cannot solve", remedy)
        ]
    lacks, remedy = "can step over a window only once", "use coordinator=dv.SlidingMode()"
    return [Shortfall(n, lacks, remedy) for n in names if not chosen[n].estimator.repeatable]


def _for_sliding(system: System, names: list[str]) -> list[Shortfall]:
    found = []
    for name in names:
        able = system.parts[name].description.capabilities
        if not (able.can_evaluate_now or able.can_linearize or able.can_restore):
            lacks = "gives no derivatives of its outputs, which its junction needs"
            found.append(Shortfall(name, lacks, _EXPORT))
    return found


_EXPORT = "export it with state saving or directional derivatives, or as model exchange"


def _method(service: Any) -> str:
    match service:
        case IteratedJunction():
            return "solved inside each window"
        case SlidingMode():
            return "served by sliding mode after each window"
        case PartCoordinator(part):
            return f"settled by the part '{part}' after each window"
    return repr(service)
