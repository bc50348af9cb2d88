"""Directional derivatives of a system: its states and their derivatives are shown as well."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..drawing.system import System
from ..topology.components import Structure
from .inner_part import InnerPart
from .interface import OUTPUT, RATE, STATE, VALUE, ExportedVariable, ExportInterface
from .part_derivatives import ContinuousState, DerivativeVariable, Name, PartDerivatives


@dataclass(frozen=True, slots=True)
class DerivedEntry:
    """A variable of a part among the knowns or unknowns of all; `place` is that of its scalars."""

    part: int
    reference: int
    count: int
    place: int


@dataclass(frozen=True, slots=True, eq=False)
class SystemDerivatives:
    """How the chain rule goes through an export: states, knowns, unknowns of all its parts."""

    states: int
    knowns: tuple[DerivedEntry, ...]
    unknowns: tuple[DerivedEntry, ...]
    are_exact: bool


def with_derivatives(
    made: ExportInterface, parts: Sequence[InnerPart], structure: Structure, system: System
) -> tuple[ExportInterface, SystemDerivatives | None]:
    """The same with states and their derivatives, and with dependencies on them.

    As it was if a part has no derivatives, or if a state has no variable of its own, since an
    output has its name.
    """
    found = [PartDerivatives.of(one) for one in parts]
    every = [one for one in found if one is not None]
    alone = is_alone(parts, structure)
    if len(every) < len(found) or not any(one.unknowns for one in every):
        return made, None
    if not (alone or all(one.is_exact for one in every)):
        return made, None
    listed = [(i, state) for i, one in enumerate(every) for state in one.states]
    variables = _shown(made, parts, listed)
    if variables is None:
        return made, None
    names = [v.name for v in variables]
    added = [v for v in variables if v.name not in made.by_name]
    first = len(made.variables) + len(added)
    rates = [
        ExportedVariable(
            f"der({name})", first + k, "Float64", "local", "continuous", "calculated",
            inner=state.rate, part=i, role=RATE, place=k, element=state.element, state=name,
        )
        for k, (name, (i, state)) in enumerate(zip(names, listed, strict=True))
    ]  # fmt: skip
    every_one = (*made.variables, *added, *rates)
    chain = _Chain(every, parts, structure, _carried(system, parts))
    if len({v.name for v in every_one}) < len(every_one):
        return made, None
    depends = chain.dependencies(names, made, rates)
    shown = replace(
        made,
        variables=every_one,
        depends=depends,
        has_jacobian=all(one.is_exact for one in every),
        exchanges=alone and bool(names),
        states=tuple(names),
    )
    return shown, chain.derivatives()


def is_alone(parts: Sequence[InnerPart], structure: Structure) -> bool:
    """Whether equations are all there is, which an importer may solve by itself."""
    return len(parts) == 1 and parts[0].is_equations and not structure.routing.target.size


def _shown(
    made: ExportInterface,
    parts: Sequence[InnerPart],
    states: Sequence[tuple[int, ContinuousState]],
) -> list[ExportedVariable] | None:
    """The variable of each state: one that is there, else a new one. None if there is none."""
    known = {
        (v.part, v.inner.name, v.element): v
        for v in made.variables
        if v.inner is not None and v.role in (OUTPUT, VALUE) and not _hides(v, parts[v.part])
    }
    found, number = list[ExportedVariable](), len(made.variables)
    for place, (i, state) in enumerate(states):
        v = known.get((i, state.variable.name, state.element))
        if v is None:
            if state.name in made.by_name:
                return None
            v = ExportedVariable(
                state.name, number, "Float64", "local", "continuous", "calculated",
                inner=state.variable, part=i, role=STATE, place=place, element=state.element,
            )  # fmt: skip
            number += 1
        found.append(v)
    return found


def _hides(v: ExportedVariable, part: InnerPart) -> bool:
    """An output of a compiled model that has the name of a state, and is not that state."""
    return part.is_equations and v.role == OUTPUT and v.value < 0


_Row = tuple[int, Name]  # a variable of a part


def _carried(system: System, parts: Sequence[InnerPart]) -> dict[_Row, _Row]:
    """What feeds each input whose source is no real."""
    place = {one.name: i for i, one in enumerate(parts)}
    return {
        (place[c.target.part], (c.target.variable.name, k)): (
            place[c.source.part],
            (c.source.variable.name, k),
        )
        for c in system.connections
        if not c.source.variable.is_real
        for k in range(c.target.variable.size)
    }


class _Chain:
    """Which states and inputs of the system its outputs and rates depend on."""

    def __init__(
        self,
        parts: list[PartDerivatives],
        inner: Sequence[InnerPart],
        structure: Structure,
        carried: Mapping[_Row, _Row],
    ) -> None:
        self._parts, self._inner, self._layout = parts, inner, structure.layout
        self._carried = carried
        self._first = np.cumsum([0, *(len(one.states) for one in parts)]).tolist()
        self._fed = dict[int, list[int]]()
        routing = structure.routing
        for target, source in zip(routing.target.tolist(), routing.source.tolist(), strict=True):
            self._fed.setdefault(target, []).append(source)
        self._sources = dict[int, tuple[int, Name]]()
        for i, one in enumerate(inner):
            for v in one.model.outputs:
                at = self._layout.outputs.place.get((one.name, v.name))
                for k in range(v.size() if at is not None and v.type == "Float64" else 0):
                    self._sources[(at or 0) + k] = i, (v.name, k)

    def dependencies(
        self, names: Sequence[str], made: ExportInterface, rates: Sequence[ExportedVariable]
    ) -> dict[str, tuple[str, ...]]:
        """Of outputs and rates, by name; `names` are those of the states."""
        inputs = {
            (v.part, (v.inner.name, v.element)): v.name
            for v in made.variables
            if v.causality == "input" and v.inner is not None
        }
        found = dict[str, tuple[str, ...]]()
        for v in made.outputs:
            assert v.inner is not None, "outputs are of parts"
            found[v.name] = self._named(v.part, (v.inner.name, v.element), names, inputs)
        for v in rates:
            found[v.name] = self._named(v.part, v.place - self._first[v.part], names, inputs)
        return found

    def _named(
        self, part: int, row: int | Name, names: Sequence[str], inputs: Mapping[_Row, str]
    ) -> tuple[str, ...]:
        found, seen, todo = dict[str, None](), set[_Row](), [(part, row)]
        while todo:
            i, row = todo.pop()
            for known in self._parts[i].depends[row]:
                if isinstance(known, int):
                    found[names[self._first[i] + known]] = None
                elif (i, known) not in seen:
                    seen.add((i, known))
                    if (i, known) in inputs:
                        found[inputs[i, known]] = None
                    todo += self._feeding(i, known)
        return tuple(found)

    def _feeding(self, part: int, name: Name) -> list[_Row]:
        """The outputs that feed an input of a part."""
        if (part, name) in self._carried:
            return [self._carried[part, name]]
        described = self._inner[part].model.description.inputs
        if not next(v.is_real for v in described if v.name == name[0]):
            return []
        place = self._layout.inputs.place[self._inner[part].name, name[0]] + name[1]
        return [self._sources[source] for source in self._fed.get(place, ())]

    def derivatives(self) -> SystemDerivatives:
        """What the shim asks the parts."""
        every = self._layout.inputs.place, self._layout.outputs.place
        knowns = (self._entries(i, one.knowns, every[0]) for i, one in enumerate(self._parts))
        unknowns = (self._entries(i, one.unknowns, every[1]) for i, one in enumerate(self._parts))
        return SystemDerivatives(
            self._first[-1],
            tuple(entry for entries in knowns for entry in entries),
            tuple(entry for entries in unknowns for entry in entries),
            all(one.is_exact for one in self._parts),
        )

    def _entries(
        self, i: int, listed: Sequence[DerivativeVariable], places: dict[tuple[str, str], int]
    ) -> Iterator[DerivedEntry]:
        for one in listed:
            place = self._first[i] + one.first
            if one.first < 0:
                name, element = one.name
                place = self._first[-1] + places[self._inner[i].name, name] + element
            yield DerivedEntry(i, one.reference, one.count, place)
