"""Junctions of a system that is exported: solved behind each window, by sliding mode."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..algorithms.base import Schedule
from ..assembly.consistent import Consistent
from ..assembly.live_parts import start_values
from ..core.obstacle import Obstacle
from ..core.signals import Vector
from ..drawing.connection import wires_of
from ..drawing.system import System
from ..fmi.model import Fmu
from ..junctions import PartCoordinator
from ..junctions.coordination import Coordination
from ..junctions.service import with_feedthrough
from ..junctions.sliding_mode import SlidingMode
from ..models import Algebraic, Dynamic, Source
from ..run.run_request import RunRequest
from ..run.terms import Terms
from ..topology.junction_groups import JunctionGroup
from .block import reals, wholes
from .junction_block import JunctionBlock
from .refusal import ExportRefused

Input = tuple[str, str]  # part, name


@dataclass(frozen=True, slots=True, eq=False)
class ExportedJunctions:
    """What junctions an export has beside its wires.

    `held`: the inputs that they decide. `orders`: how often outputs of parts are differentiated.
    """

    groups: tuple[JunctionGroup, ...]
    services: tuple[SlidingMode, ...]
    start: Vector
    indices: tuple[Vector, ...]
    again: tuple[int, ...]
    held: frozenset[Input]
    orders: Mapping[str, int]

    @staticmethod
    def of(system: System, request: RunRequest, size: float) -> ExportedJunctions | None:
        """The junctions of a system; None if it has none with unknowns.

        The live parts are asked once how often outputs have to be differentiated.
        """
        if not any(j.case != "wires" for j in system.junctions):
            return None
        terms = Terms.of(system, request, lambda _: None)
        groups = terms.blueprint.structure.groups
        services = _served(system, terms, groups)
        found, again = _started(terms, request.start, size)
        indices = tuple(memory.index for memory in found.memories)
        names, inputs = tuple(system.parts), terms.structure.layout.inputs
        held = {slot for g in groups for slot in g.targets.tolist()}
        orders = dict[str, int]()
        for group, index in zip(groups, indices, strict=True):
            for part in group.owners:
                orders[names[part]] = max(orders.get(names[part], 0), int(index.max()) - 1)
        start = _unknowns(system, groups)
        decided = frozenset(key for key, slot in inputs.place.items() if slot in held)
        return ExportedJunctions(groups, services, start, indices, again, decided, orders)

    def block(self) -> JunctionBlock:
        """As data."""
        g = self.groups

        def flat(name: str) -> Vector:
            return np.concatenate([np.ravel(getattr(one, name)) for one in g])

        return JunctionBlock(
            names=tuple(one.name for one in g),
            unknowns=wholes([one.unknowns.size for one in g]),
            targets=wholes([one.targets.size for one in g]),
            outputs=wholes([one.outputs.size for one in g]),
            time_scales=reals([s.time_scale or np.nan for s in self.services]),
            asked=reals([one.time_scale for one in g]),
            presolves=wholes([s.presolve for s in self.services]),
            target=wholes(flat("targets")),
            F=reals(flat("F")),
            shift=reals(flat("shift")),
            output=wholes(flat("outputs")),
            owner=wholes(flat("owners")),
            N=reals(flat("N")),
            D=reals(flat("D")),
            c=reals(flat("c")),
            nominal=reals(flat("nominal")),
            z=reals(self.start),
            index=wholes(np.concatenate(self.indices)),
            again=wholes(self.again),
        )


def without_junctions(system: System) -> System:
    """The same with plain wires: what unknowns of junctions feed is fed by nothing."""
    made = system.copy()
    for j in system.junctions:
        for e in j.ends[1:]:  # with one port left it is gone
            made.disconnect(str(e))
    adding = list[Obstacle]()
    for j in system.junctions:
        for wire in wires_of(j):
            if made.source_of(wire.target.part, wire.target.variable.name) is not None:
                what = f"adds up at '{wire.target.variable.name}' what others take at {j.name}"
                adding.append(Obstacle(what, wire.target.part, "add it up in a part of its own"))
                continue
            made.connect(str(wire.source), str(wire.target), gain=wire.gain)
    if adding:
        raise ExportRefused(system.name, adding)
    return made


def _served(
    system: System, terms: Terms, groups: Sequence[JunctionGroup]
) -> tuple[SlidingMode, ...]:
    """The services, if exports know them."""
    found, served = list[Obstacle](), list[SlidingMode]()
    for group, service in zip(groups, terms.blueprint.services, strict=True):
        where = f"the junction {group.name}"
        if not isinstance(service, SlidingMode):
            what = f"{where} is solved inside windows"
            change = "give it coordinator=dv.SlidingMode(), or take dv.GaussSeidel() or dv.Jacobi()"
            if isinstance(service, PartCoordinator):
                what = f"{where} is settled by the part '{service.part}'"
                change = "give it coordinator=dv.SlidingMode()"
            found.append(Obstacle(what, change=change))
        elif not service.automatic:
            what = f"{where} is moved as the thesis says"
            found.append(Obstacle(what, change="leave limit=, moves= and rate= out"))
        else:
            served.append(service)
        for name in dict.fromkeys(t.end.part for t in group.touches):
            if not isinstance(system.parts[name].adapted, Algebraic | Dynamic | Source):
                kind = "an FMU" if isinstance(system.parts[name].adapted, Fmu) else "no equations"
                what = f"is {kind}, and meets others at {where[4:]}"
                change = "join Python models only, or connect its variables by wires"
                found.append(Obstacle(what, name, change))
    if not _holds(terms.algorithm.schedule(terms.structure)):
        what = "beside junctions windows are made in one pass, with inputs that are held"
        found.append(Obstacle(what, change="use dv.GaussSeidel() or dv.Jacobi()"))
    if found:
        raise ExportRefused(system.name, found)
    return tuple(served)


def _holds(schedule: Any) -> bool:
    simple = isinstance(schedule, Schedule) and not schedule.iteration
    return simple and schedule.shape == "hold" and not schedule.extrapolation


def _started(terms: Terms, start: float, size: float) -> tuple[Coordination, tuple[int, ...]]:
    """Where the junctions of the live parts start, and the parts that feel unknowns at once."""
    assembly = terms.assembled(lambda _: None)
    try:
        values = {name: part.values for name, part in terms.system.parts.items()}
        assembly.initialize(start, values, derivatives=False)
        position = Consistent().position(assembly, start, size, derivatives=False)
        again = with_feedthrough(assembly.subsystems, terms.blueprint.structure)
        return position.coordination, tuple(again)
    finally:
        assembly.close()


def _unknowns(system: System, groups: Sequence[JunctionGroup]) -> Vector:
    """What the start values of inputs mean, as where a run begins."""
    start, found = start_values(system.parts.values()).reals, list[Vector]()
    for g in groups:
        values = start[g.targets[g.homes]]
        found.append((values - g.shift[g.homes]) / g.F[g.homes, np.arange(g.homes.size)])
    return np.concatenate(found)
