"""A system drawn from what an SSP says."""
# Over 250 lines: every step on the way from a flattened system to a drawing, in their order.

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ...core.errors import InputError, Problem
from ...drawing.connection import Connection
from ...drawing.junction import Junction
from ...drawing.system import System
from ...subsystems.subsystem import Model
from ...units import UnitError
from ..layout import plots_of, with_look
from ..loading import shared_folders
from .complaints import Complaints, Place
from .document import Component, Element, Group
from .flattening import Flat, Hop, Key, Path, collect, connect
from .own import OwnEntry, own_of
from .parameters import ParameterValue, applied
from .part_models import PartModels
from .part_names import cleaned, part_name
from .parts import PartDraft, check_connectors
from .sketching import Sketcher
from .ways import Fact, Way, WayStep, carried, suited

_HIDDEN = ("local", "calculatedParameter")  # what may feed others, though it is no output


def draw(group: Group, name: str, complaints: Complaints, *, whole: bool = True) -> System:
    """The system of a group; `whole` unless it is a part of another one."""
    return _Drawer(group, name, complaints).system(whole)


class _Drawer:
    """Draws one flattened system."""

    def __init__(self, group: Group, name: str, complaints: Complaints) -> None:
        self.group, self.complaints, self.root = group, complaints, (group.name,)
        self.drawn = System(name)
        self.own: dict[int, OwnEntry] = {}
        self.flat: Flat = collect(group, lambda e: self._own(e).is_part)
        self.drafts: dict[Path, PartDraft] = {}
        self.models = PartModels(self.flat, self._own, complaints)

    def system(self, whole: bool) -> System:
        names: set[str] = set()
        for path, element in self.flat.components.items():
            name = part_name(path, names)
            self.drafts[path] = PartDraft(path, name, element, self._model(path, element))
        connect(self.flat, self._kind_of, self.complaints)
        given = self._given(applied(self.flat, self._has, self.complaints))
        for sizes in (True, False):  # of arrays first, as they decide what else there is
            for target, one in given.items():
                if (self._kind_of(target.path, target.name) == "structuralParameter") == sizes:
                    self._give(*one)
            for draft in self.drafts.values() if sizes else ():
                self._resize(draft)
        for draft in self.drafts.values():
            check_connectors(draft, self.complaints)
        wires = [w for w in map(self._wire, list(self.flat.targets())) if w is not None]
        for draft in self.drafts.values():
            self._add(draft)
        for part, what in shared_folders(self.drawn):
            self.complaints.problem(self.group.place, what, part)
        for wire in wires:
            self._connect(*wire)
        for path, group in self.flat.groups.items():
            self._join(path, group)
        sketcher = Sketcher(self.flat, self.drafts, self.root, self._fact)
        sketch = sketcher.sketch(self.group, self.drawn, whole)
        own = self._own(self.group)
        plots = plots_of(((p.signals, p.over) for p in own.plots), self.drawn.parts)
        self.drawn.sketch = replace(with_look(sketch, own.look, self.drawn), plots=plots)
        return self.drawn

    # parts ----------------------------------------------------------------------------------------

    def _model(self, path: Path, element: Element) -> Model | None:
        if isinstance(element, Group):
            return self._inner(element)
        assert isinstance(element, Component)
        return self.models.of(path, element)

    def _inner(self, group: Group) -> Model | None:
        """A system that stays one part."""
        before = self.complaints.count
        inner = draw(group, self._own(group).name or group.name, self.complaints, whole=False)
        if self.complaints.count > before:
            return None
        try:
            return self._own(group).as_part(inner)
        except InputError as error:
            self.complaints.problem(group.place, str(error))
            return None

    def _resize(self, draft: PartDraft) -> None:
        """Take over options; they may change what variables there are."""
        try:
            draft.settle()
        except InputError as error:
            self.complaints.problem(draft.element.place, str(error), draft.name)
            draft.model = None

    def _add(self, draft: PartDraft) -> None:
        self._resize(draft)
        model = draft.paced()
        if model is None:
            return
        values = {name: value for name, (value, _) in draft.values.items()}
        force = [n for n in self._own(draft.element).force if n in values]
        part, found = self.drawn.checked_part(draft.name, model, values, force)
        settable = _settable(model) if found else set()
        for problem in found:
            name = problem.where.removeprefix(f"{draft.name}.")
            report = self.complaints.problem if name in settable else self.complaints.unsupported
            report(draft.values[name][1], problem.what, draft.name)
        if part is not None:
            self.drawn.put(part)  # with the values that fit

    # values ---------------------------------------------------------------------------------------

    def _given(
        self, given: dict[Key, ParameterValue]
    ) -> dict[Key, tuple[Key, ParameterValue, list[Hop]]]:
        """What each variable of a part is given, where, and the way from there."""
        found: dict[Key, tuple[Key, ParameterValue, list[Hop]]] = {
            key: (key, one, []) for key, one in given.items() if key.path in self.drafts
        }
        for target in self.flat.targets():
            hops = self.flat.way(target)
            chain = [hops[0].source, *(hop.target for hop in hops)]
            if chain[0].path in self.drafts:
                continue  # a part decides
            start = next((k for k, key in enumerate(chain[:-1]) if key in given), None)
            if start is not None:
                found[target] = (chain[start], given[chain[start]], hops[start:])
        return found

    def _give(self, key: Key, given: ParameterValue, hops: Sequence[Hop]) -> None:
        """Carry a value along its way, and give it to the variable at the end."""
        target = hops[-1].target if hops else key
        draft = self.drafts[target.path]
        variable = draft.variable(target.name)
        if variable is None:
            return  # reported where connectors are checked
        p = given.parameter
        steps = [WayStep(self._fact(key), given.convert, given.change), *map(self._step, hops)]
        try:
            value, fact = carried(p, Fact.of(p.sort), steps)
            draft.give(target.name, suited(value, fact, variable), p.place)
        except (ValueError, UnitError) as error:
            self.complaints.problem(p.place, f"cannot be given to '{target}': {error}")

    # wires ----------------------------------------------------------------------------------------

    def _wire(self, target: Key) -> tuple[str, str, dict[str, Any], Place] | None:
        """Source, target and options of a connection; None where there is none."""
        hops = self.flat.way(target)
        source, place = hops[0].source, hops[-1].wire.place
        end = self.drafts[target.path]
        if source in self.flat.hops and source.path not in self.drafts:
            self.complaints.problem(place, f"what feeds '{target}' goes round in circles")
            return None
        if source.path not in self.drafts:
            if source.path != self.root or source.dictionary:
                what = f"'{target}' keeps its start value, as nothing feeds '{source}'"
                self.complaints.note(place, what)
            return None
        begin = self.drafts[source.path]
        a, b = begin.variable(source.name), end.variable(target.name)
        if a is None or b is None:
            self._lost(source if a is None else target, begin if a is None else end, place)
            return None
        causality, taken = begin.causality(a.name), end.causality(b.name)
        able = taken == "input" or (taken == "parameter" and b.is_tunable)
        if not able or causality not in ("output", *_HIDDEN):
            self._parameter(source, target, place)
            return None
        if causality in _HIDDEN:
            begin.show(a.name, causality)
        try:
            way = Way.along(self._fact(source), [*map(self._step, hops)])
        except (ValueError, UnitError) as error:
            self.complaints.problem(place, f"'{source}' cannot feed '{target}': {error}")
            return None
        return f"{begin.name}.{a.name}", f"{end.name}.{b.name}", way.drawn(a, b), place

    def _parameter(self, source: Key, target: Key, place: Place) -> None:
        begin, end = self.drafts[source.path], self.drafts[target.path]
        kind = f"{begin.causality(source.name)} to {end.causality(target.name)}"
        what = f"'{source}' would set '{target}' once, when the run starts ({kind})"
        self.complaints.unsupported(place, f"{what}, which is not supported")

    def _lost(self, key: Key, draft: PartDraft, place: Place) -> None:
        if draft.model is not None:
            self.complaints.problem(place, f"the model of '{draft.name}' has no '{key.name}'")

    def _connect(self, source: str, target: str, options: dict[str, Any], place: Place) -> None:
        absent = [n for n in (source, target) if n.partition(".")[0] not in self.drawn.parts]
        if absent:
            return  # that has been said
        full = {"gain": 1.0, "offset": 0.0, **options}
        self._draw(*self.drawn.checked_connection(source, target, **full), place)

    def _join(self, path: Path, group: Group) -> None:
        """Connections and junctions that only we know; names count from that system."""
        prefix = "".join(f"{cleaned(step)}/" for step in path[1:])
        for c in self._own(group).connections:
            options = {"gain": c.gain, "offset": c.offset, "convert": c.convert}
            ends = f"{prefix}{c.source}", f"{prefix}{c.target}"
            self._connect(*ends, {**options, "table": dict(c.table)}, group.place)
        for j in self._own(group).junctions:
            ports = [f"{prefix}{port}" for port in j.ports]
            made = self.drawn.checked_junction(ports, j.kind, j.level, j.coordinator)
            self._draw(*made, group.place)

    def _draw(
        self, made: Connection | Junction | None, found: Sequence[Problem], place: Place
    ) -> None:
        for problem in found:
            self.complaints.problem(place, problem.what, problem.where)
        if made is not None and not found:
            self.drawn.put(made)

    # facts ----------------------------------------------------------------------------------------

    def _own(self, element: Element) -> OwnEntry:
        if id(element) not in self.own:
            self.own[id(element)] = own_of(element.annotations, self.complaints)
        return self.own[id(element)]

    def _kind_of(self, path: Path, name: str) -> str | None:
        return self.drafts[path].causality(self.drafts[path].name_of(name) or name)

    def _has(self, path: Path, name: str) -> bool:
        return self.drafts[path].name_of(name) is not None

    def _fact(self, key: Key) -> Fact:
        draft = self.drafts.get(key.path)
        if draft is None:
            return Fact.of(self.flat.sorts.get(key))
        known = (draft.variable(key.name), draft.unit_name(key.name), draft.items(key.name))
        return Fact.of(self.flat.sorts.get(key), *known)

    def _step(self, hop: Hop) -> WayStep:
        wire = hop.wire
        return WayStep(self._fact(hop.target), wire.convert, wire.change, wire.table)


def _settable(model: Model) -> set[str]:
    d = model.description
    return {v.name for v in (*d.inputs, *d.parameters)}
