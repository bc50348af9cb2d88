"""The variables of an export: inputs that nothing feeds, chosen outputs, values of parts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Any

from ..core.signals import Vector
from ..drawing.system import System
from ..fmi.description import FmuVariable
from ..results.patterns import chosen
from ..topology.components import Structure
from .inner_part import CODES, InnerPart, PartValue, shown_type

TIME, INPUT, OUTPUT, VALUE, RATE, STATE, OTHER_INPUT, OTHER_OUTPUT = range(8)
_NAME = r"[A-Za-z_]\w*(\[\d+(,\d+)*\])?(\.[A-Za-z_]\w*(\[\d+(,\d+)*\])?)*"
_STRUCTURED = re.compile(rf"{_NAME}|der\({_NAME}\)", re.ASCII)


@dataclass(frozen=True, slots=True, eq=False)
class ExportedVariable:
    """One scalar variable. `inner` is what it is inside, in the part of this number."""

    name: str
    reference: int
    type: str
    causality: str
    variability: str
    initial: str | None = None
    start: Any = None
    inner: FmuVariable | None = None
    part: int = -1
    role: int = VALUE
    place: int = 0
    value: int = -1
    element: int = 0
    state: str = ""  # it is the derivative of


@dataclass(frozen=True, eq=False)
class ExportInterface:
    """All variables, and what outputs and derivatives depend on at once, by name.

    `has_jacobian`: it has directional derivatives, by `states`, which are names. `exchanges`: it is
    equations alone, which an importer may solve.
    """

    variables: tuple[ExportedVariable, ...]
    depends: Mapping[str, tuple[str, ...]]
    has_jacobian: bool = False
    states: tuple[str, ...] = ()
    exchanges: bool = False

    @cached_property
    def by_name(self) -> Mapping[str, ExportedVariable]:
        """Variables by name."""
        return {v.name: v for v in self.variables}

    @property
    def outputs(self) -> list[ExportedVariable]:
        """Its outputs."""
        return [v for v in self.variables if v.causality == "output"]

    @property
    def rates(self) -> list[ExportedVariable]:
        """The derivatives of its states, where it shows them."""
        return [v for v in self.variables if v.state]

    @property
    def unknowns(self) -> list[ExportedVariable]:
        """What it computes at the start."""
        kept = [v for v in self.variables if v.role == STATE]
        return [v for v in (*self.outputs, *kept, *self.rates) if v.initial != "exact"]

    @property
    def is_structured(self) -> bool:
        """Whether all names keep the rules of structured naming."""
        return all(_STRUCTURED.fullmatch(v.name) for v in self.variables)


def interface_of(
    system: System,
    structure: Structure,
    parts: Sequence[InnerPart],
    start: Vector,
    outputs: str | Sequence[str],
    joined: frozenset[tuple[str, str]] = frozenset(),
) -> ExportInterface:
    """The variables of the export of a drawing; junctions decide the inputs `joined`."""
    numbers, layout = count(), structure.layout
    wanted = set(chosen(outputs, (*layout.outputs.reals, *layout.outputs.discrete)))
    slots = _slots(parts)
    found = [
        ExportedVariable("time", next(numbers), "Float64", "independent", "continuous", role=TIME)
    ]
    for i, one in enumerate(parts):
        for v in one.model.inputs:
            if not system.is_fed(one.name, v.name) and (one.name, v.name) not in joined:
                place = layout.inputs.place[one.name, v.name]
                slot = slots.get((i, v.name))
                found += _inputs(i, one, v, place, start, slot, numbers)
    for i, one in enumerate(parts):
        for v in one.model.outputs:
            at = layout.outputs.place.get((one.name, v.name))
            slot = slots.get((i, v.name))
            if (v.type != "Float64" and slot is None) or at is None:
                continue
            for k, name in enumerate(_scalars(one, v)):
                if name in wanted:
                    found.append(_output(i, v, name, at + k, slot, k, numbers))
    shown = {v.name for v in found}
    for (i, _), (number, given) in slots.items():
        one, v = parts[i], given.variable
        if not given.can_be_set:
            continue  # an input, or an output that was not chosen
        for k, name in enumerate(_scalars(one, v)):
            if name not in shown:
                made = given.elements[k], number, k
                found.append(_value(i, v, name, made, next(numbers)))
    every = [v.name for v in found if v.causality == "input"]
    depends = {
        v.name: _reached(system, parts, parts[v.part].name, v.inner.name, joined, every)
        for v in found
        if v.causality == "output" and v.inner is not None
    }
    return ExportInterface(tuple(found), depends)


def _slots(parts: Sequence[InnerPart]) -> dict[tuple[int, str], tuple[int, PartValue]]:
    """Values by part and name, with their number."""
    numbers = count()
    return {
        (i, given.variable.name): (next(numbers), given)
        for i, one in enumerate(parts)
        for given in one.values
    }


def _scalars(one: InnerPart, v: FmuVariable) -> list[str]:
    described = one.model.description
    known = (*described.inputs, *described.outputs, *described.parameters)
    variable = next(d for d in known if d.name == v.name)
    return [f"{one.name}.{scalar}" for scalar in variable.scalars()]


def _inputs(
    i: int,
    one: InnerPart,
    v: FmuVariable,
    place: int,
    start: Vector,
    slot: tuple[int, PartValue] | None,
    numbers: Iterator[int],
) -> Iterator[ExportedVariable]:
    variability = v.variability if v.variability == "discrete" else "continuous"
    for k, name in enumerate(_scalars(one, v)):
        number = next(numbers)
        role, at, value, changes = INPUT, place + k, -1, variability
        given: Any = float(start[place + k]) if slot is None else slot[1].elements[k]
        if slot is not None:  # it is no real
            role, at, value, changes = OTHER_INPUT, 0, slot[0], "discrete"
        where = role, at, value, k
        what = name, number, shown_type(v), "input", changes
        yield ExportedVariable(*what, None, given, v, i, *where)


def _output(
    i: int,
    v: FmuVariable,
    name: str,
    place: int,
    slot: tuple[int, PartValue] | None,
    element: int,
    numbers: Iterator[int],
) -> ExportedVariable:
    """An output; of one that is a state the start value can be set."""
    value, start, initial = -1, None, "calculated"
    variability = v.variability if v.variability == "discrete" else "continuous"
    can_be_set = slot is not None and v.initial in ("exact", "approx")
    if slot is not None and can_be_set:
        value, initial = slot[0], v.initial or initial
        start = slot[1].elements[element]
    at = OUTPUT, place, value, element
    if slot is not None and v.type != "Float64":
        at = OTHER_OUTPUT, int(can_be_set), slot[0], element
        variability = "discrete"
    number, kind = next(numbers), shown_type(v)
    return ExportedVariable(name, number, kind, "output", variability, initial, start, v, i, *at)


def _value(
    i: int, v: FmuVariable, name: str, given: tuple[Any, int, int], number: int
) -> ExportedVariable:
    start, value, element = given
    causality, variability, initial = "parameter", "fixed", "exact"
    if v.causality == "parameter":
        variability = "tunable" if v.variability == "tunable" else "fixed"
    else:
        causality, initial = "local", v.initial or "exact"
        variability = v.variability
        if v.type != "Float64" and variability == "continuous":
            variability = "discrete"
    at = VALUE, 0, value, element
    what = name, number, shown_type(v), causality, variability
    return ExportedVariable(*what, initial, start, v, i, *at)


def _reached(
    system: System,
    parts: Sequence[InnerPart],
    part: str,
    output: str,
    joined: frozenset[tuple[str, str]],
    every: Sequence[str],
) -> tuple[str, ...]:
    """Inputs of the export that an output depends on at once, through parts and wires.

    The unknowns of junctions are found from all that there is: `every` input.
    """
    described = {one.name: one.model.description for one in parts}
    names, seen, todo = dict[str, None](), set[tuple[str, str]](), [(part, output)]
    while todo:
        part, output = todo.pop()
        for v in described[part].inputs:
            if v.name not in described[part].depends(output) or (part, v.name) in seen:
                continue
            seen.add((part, v.name))
            wire = system.source_of(part, v.name)
            if (part, v.name) in joined:
                names.update(dict.fromkeys(every))
            elif wire is None:
                names.update(dict.fromkeys(f"{part}.{scalar}" for scalar in v.scalars()))
            else:
                todo.append((wire.source.part, wire.source.variable.name))
    return tuple(names)


def code_of(v: ExportedVariable) -> int:
    """Its type as the shim knows it."""
    return CODES[v.type]
