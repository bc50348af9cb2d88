"""Values that are no reals: how parts that have them run natively, and which wires carry them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ..controllers.fixed_step import FixedStep
from ..core.description import Variable
from ..core.obstacle import Obstacle
from ..drawing.system import System
from ..fmi.model import Fmu
from ..fmi.native.obstacles import own_obstacles
from ..run.terms import Terms
from ..topology.layout import Slots
from ..topology.routing import Table
from .inner_exchange import InnerExchange
from .inner_part import CODES, InnerPart
from .windows import ExportedWindows

CARRIED = frozenset(CODES) - {"Float64"}


class CarryingFmu(Fmu):
    """An FMU whose inputs and outputs that are no reals are set and read between its steps."""

    @staticmethod
    def of(model: Fmu) -> CarryingFmu:
        """The same FMU; what was read of it needs no second reading."""
        made: CarryingFmu = object.__new__(CarryingFmu)
        made.__dict__.update({k: v for k, v in model.__dict__.items() if k != "_own_obstacles"})
        return made

    @cached_property
    def _own_obstacles(self) -> tuple[Obstacle, ...]:
        return own_obstacles(self, CARRIED)


def with_carrying(system: System) -> System:
    """The drawing with such FMUs in the place of those that have values that are no reals.

    Those for model exchange become what an export solves.
    """
    made = system.copy()
    for name, part in system.parts.items():
        model = part.adapted
        if not isinstance(model, Fmu) or part.tuned or model.may_stop_early:
            continue
        if model.is_exchange:
            made.replace(name, InnerExchange.of(model))
            continue
        if any(v.type in CARRIED for v in (*model.inputs, *model.outputs)):
            made.replace(name, CarryingFmu.of(model))
    return made


def against_carrying(terms: Terms, has_junctions: bool, window: ExportedWindows) -> list[Obstacle]:
    """What stands against the wires between parts that carry them."""
    system, structure, schedule = terms.system, terms.structure, terms.native.schedule
    wires = [c for c in system.connections if not c.source.variable.is_real]
    if not wires or schedule is None:
        return []
    found, name = list[Obstacle](), wires[0].source.part
    moves = schedule.shape != "hold" or schedule.extrapolation or schedule.iteration is not None
    if moves:
        what = f"gives '{wires[0].source.variable.name}', which is no real, to other parts, "
        what += "and an export carries that in single passes only, with inputs that are held"
        found.append(Obstacle(what, name, "use dv.GaussSeidel() or dv.Jacobi()"))
    if any(group.cyclic and group.discrete for group in structure.instant):
        what = "has an output that is no real in an algebraic loop"
        found.append(Obstacle(what, name, "break the loop"))
    for c in wires:
        if any(isinstance(x, str | bytes) for pair in c.table for x in pair):
            found.append(Obstacle(f"feeds '{c.target}' through a table of texts", c.source.part))
    if not isinstance(window, FixedStep):
        what = "gives a value that is no real to other parts, in windows that are not of one size"
        found.append(Obstacle(what, name, "give their size, such as step=0.01"))
    if has_junctions:
        what = "gives a value that is no real to other parts, beside junctions"
        found.append(Obstacle(what, name))
    return found


@dataclass(frozen=True, slots=True)
class CarriedWire:
    """A wire from a value of a part, which is no real, to another one, or to a real input.

    `target` is the value; below zero, `input` is the place of the real input.
    """

    source: int
    source_element: int
    target: int
    target_element: int
    input: int
    gain: float
    offset: float
    table: tuple[tuple[float, float], ...]


def carried_wires(terms: Terms, parts: Sequence[InnerPart]) -> list[CarriedWire]:
    """All of them, in the order of their targets; values by number as in the export."""
    layout, routing = terms.structure.layout, terms.structure.routing
    values, made = _numbered(parts), list[CarriedWire]()
    described = [one.model.description for one in parts]
    sources = _places(parts, [d.outputs for d in described], layout.outputs, values)
    targets = _places(parts, [d.inputs for d in described], layout.inputs, values)
    for target, source in zip(
        routing.discrete_target.tolist(), routing.discrete_source.tolist(), strict=True
    ):
        table = _numbers(routing.discrete_tables.get(target))
        made.append(CarriedWire(*sources[source], *targets[target], -1, 1.0, 0.0, table))
    for target, source, gain, offset in zip(
        routing.widened_target.tolist(), routing.widened_source.tolist(),
        routing.widened_gain.tolist(), routing.widened_offset.tolist(), strict=True,
    ):  # fmt: skip
        table = _numbers(routing.widened_tables.get(target))
        made.append(CarriedWire(*sources[source], -1, 0, target, gain, offset, table))
    return made


def _numbered(parts: Sequence[InnerPart]) -> dict[tuple[str, str], int]:
    """The number of each value, by part and name."""
    values = ((one.name, v.variable.name) for one in parts for v in one.values)
    return {name: k for k, name in enumerate(values)}


def _places(
    parts: Sequence[InnerPart],
    described: Sequence[Sequence[Variable]],
    slots: Slots,
    values: Mapping[tuple[str, str], int],
) -> dict[int, tuple[int, int]]:
    """The value and element at each place among inputs, or outputs, that are no reals."""
    found = dict[int, tuple[int, int]]()
    for one, variables in zip(parts, described, strict=True):
        for v in variables:
            if not v.is_real:
                place, number = slots.place[one.name, v.name], values[one.name, v.name]
                found |= {place + k: (number, k) for k in range(v.size)}
    return found


def _numbers(table: Table | None) -> tuple[tuple[float, float], ...]:
    """Strings are refused before."""
    return tuple((float(a), float(b)) for a, b in (table or {}).items())
