"""A multi-model of Maestro as a drawing with its run settings."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from ...core.description import Kind
from ...core.errors import InputError, Problem, did_you_mean
from ...drawing.system import System
from ...fmi.model import Fmu
from ..ssp.complaints import Complaints, Place, Unsupported
from .configuration import Configuration, read_configuration
from .names import InstanceName, PortName, instance_of, part_names, port_of
from .settings import RunReader, ports_of

_REFUSED = {
    "modelSwaps": "models are not swapped during a run",
    "modelTransfers": "models are not taken over from another run",
    "faultInjectInstances": "faults are not injected",
}
_FREE = ("simulationProgramDelay", "the run is not slowed down to the clock on the wall")


def read_maestro(path: Path, unsupported: Unsupported = "error") -> System:
    """The system of a multi-model, with its run settings."""
    return _Reader(read_configuration(path), Complaints(unsupported)).drawing()


class _Reader:
    """Draws what the files say, and collects what cannot be drawn."""

    def __init__(self, files: Configuration, complaints: Complaints) -> None:
        self.files, self.complaints, self.data = files, complaints, files.data
        self.system = System(files.path.name.partition(".")[0])
        self.wires = list(self._wires())
        self.values: dict[InstanceName, dict[str, Any]] = defaultdict(dict)
        for port, value in self._entries("parameters", port_of):
            self.values[port.instance][port.variable] = value
        self.logged = [
            PortName(instance, str(name))
            for instance, names in self._entries("logVariables", instance_of)
            for name in (names if isinstance(names, list) else ())
        ]
        watched = [port_of(text) for text in ports_of(self.data.get("algorithm"))]
        ends = (port for wire in self.wires for port in wire)
        self.used = list(dict.fromkeys([*ends, *self.logged, *watched]))
        named = dict.fromkeys([*(port.instance for port in self.used), *self.values])
        self.parts = part_names(named)
        self.models: dict[InstanceName, Fmu] = {}

    def drawing(self) -> System:
        self._remarks()
        homes = self._homes()
        for instance, part in self.parts.items():
            if instance.fmu not in homes:
                self._note(str(instance), f"there is no FMU '{{{instance.fmu}}}'", homes)
            elif (home := homes[instance.fmu]) is not None:
                self._add(instance, part, home)
        for source, target in self.wires:
            if source.instance in self.models and target.instance in self.models:
                self._connect(source, target)
        able = all(p.description.capabilities.can_restore for p in self.system.parts.values())
        run = RunReader(self.data, self._place(), self.complaints, self._signal, able)
        settings = run.settings()
        self.system.run_settings = replace(settings, record=self._recorded())
        self.complaints.settle(self.system.name)
        return self.system

    def _remarks(self) -> None:
        if self.files.others:
            names = ", ".join(sorted(p.name for p in self.files.others))
            self.complaints.note(self._place(), f"may be run as {names} say: open one of them")
        for key, what in _REFUSED.items():
            if self.data.get(key):
                self.complaints.unsupported(self._place(key), what)
        if self.data.get(_FREE[0]):
            self.complaints.note(self._place(_FREE[0]), _FREE[1])

    # what the files say ---------------------------------------------------------------------------

    def _entries(self, key: str, parse: Any) -> Iterator[tuple[Any, Any]]:
        given = self.data.get(key) or {}
        if not isinstance(given, dict):
            self.complaints.problem(self._place(key), "must be a mapping")
            return
        for name, value in given.items():
            try:
                yield parse(name), value
            except ValueError as error:
                self.complaints.problem(self._place(key), str(error))

    def _wires(self) -> Iterator[tuple[PortName, PortName]]:
        for source, targets in self._entries("connections", port_of):
            for target in targets if isinstance(targets, list) else [targets]:
                try:
                    yield source, port_of(str(target))
                except ValueError as error:
                    self.complaints.problem(self._place("connections"), str(error))

    def _homes(self) -> dict[str, Path | None]:
        """Where the FMUs are; None for those that were not found, which is said."""
        found: dict[str, Path | None] = {}
        given = self.data.get("fmus")
        for key, address in given.items() if isinstance(given, dict) else ():
            name = key.strip().removeprefix("{").removesuffix("}")
            found[name] = self._found(str(address))
            if found[name] is None:
                what = f"'{address}' was not found: beside the file, or in a folder above it"
                self.complaints.problem(self._place(key), what)
        return found

    def _found(self, address: str) -> Path | None:
        """A file by a path or file: address, from the multi-model's folder or one above."""
        parts = urlsplit(address)
        text = unquote(parts.path) if parts.scheme == "file" else address.replace("\\", "/")
        folder = Path(os.path.abspath(self.files.folder))
        places = [folder / text]
        for above in (folder, *folder.parents):
            places += [above / text, above / "FMUs" / text, above / "fmus" / text]
        return next((place for place in places if place.exists()), None)

    # parts ----------------------------------------------------------------------------------------

    def _add(self, instance: InstanceName, name: str, home: Path) -> None:
        place = self._place(str(instance))
        try:
            model = self._model(instance, home)
        except InputError as error:
            self.complaints.problem(place, str(error), name)
            return
        self.models[instance] = model
        kinds = {v.name: v.kind for v in (*model.description.parameters, *model.description.inputs)}
        values = self._starts(model)
        for variable, value in self.values[instance].items():
            if variable not in kinds:
                hint = did_you_mean(variable, kinds)
                what = f"has no parameter '{variable}', which Maestro passes over.{hint}"
                self.complaints.unsupported(place, what, name)
            else:
                values[variable] = suited(value, kinds[variable])
        part, problems = self.system.checked_part(name, model, values)
        self._report(problems, place)
        if part is not None:
            self.system.put(part)

    def _model(self, instance: InstanceName, home: Path) -> Fmu:
        """The FMU, with those of its local variables as outputs that are used."""
        model = Fmu(os.path.abspath(home))
        shown = {v.name for v in model.description.outputs}
        hidden = {
            v.name for v in model.fmu.variables if v.causality in ("local", "calculatedParameter")
        }
        wanted = {p.variable for p in self.used if p.instance == instance} & (hidden - shown)
        return Fmu(os.path.abspath(home), internals=sorted(wanted)) if wanted else model

    def _starts(self, model: Fmu) -> dict[str, Any]:
        """Start values of parameters: Maestro sets them all, which FMUs may have come to need."""
        listed = (v for v in model.description.parameters if v.start is not None)
        return {v.name: v.start for v in listed}

    # connections ----------------------------------------------------------------------------------

    def _connect(self, source: PortName, target: PortName) -> None:
        ends = self._name(source), self._name(target)
        made, problems = self.system.checked_connection(*ends, 1.0, 0.0, False)
        self._report(problems, self._place("connections"))
        if made is not None and not problems:
            self.system.put(made)

    def _recorded(self) -> tuple[str, ...]:
        """What is connected and what is logged, as in Maestro; all if there is neither."""
        known = {
            f"{part.name}.{v.name}"
            for part in self.system.parts.values()
            for v in part.description.outputs
        }
        wanted = [source for source, _ in self.wires] + self.logged
        names = dict.fromkeys(self._name(p) for p in wanted if p.instance in self.models)
        return tuple(name for name in names if name in known) or ("*",)

    def _signal(self, text: str) -> str:
        port = port_of(text)
        if port.instance not in self.parts:
            raise ValueError(f"there is no instance '{port.instance}'")
        return self._name(port)

    def _name(self, port: PortName) -> str:
        return f"{self.parts[port.instance]}.{port.variable}"

    # words ----------------------------------------------------------------------------------------

    def _report(self, problems: Iterable[Problem], place: Place) -> None:
        for problem in problems:
            self.complaints.problem(place, problem.what, problem.where)

    def _note(self, where: str, what: str, known: Iterable[str]) -> None:
        hint = did_you_mean(where, known)
        self.complaints.problem(self._place(where), f"{what}.{hint}" if hint else what)

    def _place(self, path: str = "") -> Place:
        return Place(str(self.files.path), path=path)


def suited(value: Any, kind: Kind) -> Any:
    """JSON has one sort of numbers, and booleans stand for one and zero in Maestro."""
    if kind is Kind.REAL and isinstance(value, int):
        return float(value)
    if kind is Kind.BOOLEAN and isinstance(value, int | float):
        return bool(value)
    if kind in (Kind.INTEGER, Kind.ENUMERATION) and isinstance(value, float | bool):
        return int(value) if int(value) == value else value
    return value
