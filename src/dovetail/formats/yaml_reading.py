"""A drawing from a YAML file: first its shape is checked, then what it says.

Both times everything that is wrong is reported at once, each with its line.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..core.description import Description, Kind, Port
from ..core.errors import DrawingError, FileError, InputError, Problem
from ..drawing.sketch import PlotPanel
from ..drawing.system import System
from ..fmi.model import Fmu
from ..models import Nested, merge
from ..subsystems.subsystem import Model
from .allowance import TooMuch, count_part
from .layout import sketch_of
from .loading import load_from, shared_folders
from .python_files import PythonFiles
from .scalars import binary, truth
from .schema import PartEntry, SystemEntry
from .yaml_shape import Shape, shaped
from .yaml_text import Place, read_text


def read_yaml(path: Path, opened: tuple[Path, ...] = ()) -> System:
    """A drawing from a file, with its run settings; `opened` are the files around it."""
    if path.resolve() in opened:
        raise FileError(path, "this system would contain itself", "take it out")
    tree = read_text(path)
    if tree.data is None:
        raise FileError(path, "the file is empty", "a drawing begins with 'dovetail: 1'")
    shape = shaped(tree)
    if shape.entry is None:
        raise _misshapen(path, shape.found)
    reader = _Reader(path, shape, (*opened, path.resolve()))
    system = reader.system(shape.entry, shape.entry.name or path.stem, ())
    if shape.found and not reader.problems:
        raise _misshapen(path, shape.found)
    if reader.problems:
        for line, sentence in shape.found:
            reader.note(Problem("", sentence), line)
        raise DrawingError(reader.listed(), system.name)
    system.run_settings = shape.entry.run.settings()
    plots = tuple(PlotPanel(tuple(p.signals), p.over) for p in shape.entry.plots)
    system.sketch = replace(system.sketch, plots=plots)
    return system


def _misshapen(path: Path, found: list[tuple[int, str]]) -> FileError:
    lines = [f"{path}:{line}: {sentence}" for line, sentence in sorted(found)]
    if len(lines) == 1:
        return FileError(f"{path}:{found[0][0]}", found[0][1])
    return FileError(path, f"{len(lines)} problems:\n  " + "\n  ".join(lines))


class _Reader:
    """Draws what a file says, and collects what cannot be drawn."""

    def __init__(self, path: Path, shape: Shape, opened: tuple[Path, ...]) -> None:
        self.path, self.shape, self.opened = path, shape, opened
        self.files = PythonFiles()
        self.fmus: dict[str, Fmu] = {}  # each file with the same options is opened once
        self.problems: list[tuple[int, Problem]] = []

    def listed(self) -> list[Problem]:
        """All problems, in the order of their lines."""
        return [problem for _, problem in sorted(self.problems, key=lambda one: one[0])]

    def system(self, entry: SystemEntry, name: str, place: Place) -> System:
        """The system of an entry, as far as it can be drawn."""
        system, broken = System(name), self.shape.lost(place)
        for key, part in entry.parts.items():
            where = (*place, "parts", key)
            if not self._add(system, key, part, where):
                broken.add(key)
        for key, what in shared_folders(system):
            self._note(Problem(key, what), (*place, "parts", key))
        for k, c in enumerate(entry.connections):
            drawn = (c.source, c.target, c.gain, c.offset, c.convert, dict(c.table))
            connection, found = system.checked_connection(*drawn)
            for problem in found:
                if problem.where.partition(".")[0] not in broken:  # that has been said
                    self._note(problem, (*place, "connections", k))
            if connection is not None and not found:
                system.put(connection)
        for k, j in enumerate(entry.junctions):
            junction, found = system.checked_junction(j.ports, j.kind, j.level, j.coordinator)
            for problem in found:
                if problem.where.partition(".")[0] not in broken:
                    self._note(problem, (*place, "junctions", k))
            if junction is not None and not found:
                system.put(junction)
        system.sketch = sketch_of(entry.layout, entry.look, system)
        return system

    def _add(self, system: System, name: str, entry: PartEntry, place: Place) -> bool:
        """Add a part; whether there is something to connect to."""
        count_part(self.path)
        try:
            model = self._model(entry, name, place)
        except TooMuch:
            raise
        except InputError as error:
            self._note(Problem(name, str(error)), (*place, "model" if entry.model else "system"))
            return False
        if model is None:
            return False
        values = _adapted(entry.values, model.description)
        part, found = system.checked_part(name, model, values, entry.force)
        for problem in found:
            key = problem.where.removeprefix(f"{name}.")
            group = "values" if key in values else "force"
            self._note(problem, (*place, group, key))
        if part is not None:
            system.put(part)  # with the values that fit
        return part is not None

    def _model(self, entry: PartEntry, name: str, place: Place) -> Model | None:
        """The model of a part; None if what is wrong with it has been noted."""
        if entry.model is not None:
            options = dict(entry.options)
            if entry.ports:
                options["ports"] = {n: Port(**p.model_dump()) for n, p in entry.ports.items()}
            return self._loaded(entry.model, options)
        if isinstance(entry.system, SystemEntry):
            noted = len(self.problems)
            inner = self.system(entry.system, entry.system.name or name, (*place, "system"))
            if len(self.problems) > noted:
                return None
        else:
            from .opening import read

            assert entry.system is not None
            inner = read(self.path.parent / entry.system, self.opened)
        if entry.merge is not False:
            return merge(inner, **entry.merging())
        return Nested(inner, **entry.nesting())

    def _loaded(self, model: str, options: dict[str, Any]) -> Model:
        key = repr((model, options))
        if key in self.fmus:
            return self.fmus[key]
        loaded = load_from(model, self.path.parent, self.files, options)
        if isinstance(loaded, Fmu):
            self.fmus[key] = loaded
        return loaded

    def _note(self, problem: Problem, place: Place) -> None:
        self.note(problem, self.shape.tree.line(place))

    def note(self, problem: Problem, line: int) -> None:
        """Keep a problem with its line."""
        what = f"{self.path}:{line}: {problem.what}"
        self.problems.append((line, Problem(problem.where, what)))


def _adapted(values: Mapping[str, Any], description: Description) -> dict[str, Any]:
    """Values as their variables want them: `on` as true, binaries from base64."""
    kinds = {v.name: v.kind for v in (*description.inputs, *description.parameters)}
    adapt = {Kind.BOOLEAN: truth, Kind.CLOCK: truth, Kind.BINARY: binary}
    return {n: _each(adapt.get(kinds.get(n, Kind.REAL), _as_it_is), v) for n, v in values.items()}


def _as_it_is(given: Any) -> Any:
    return given


def _each(adapt: Callable[[Any], Any], given: Any) -> Any:
    return [_each(adapt, v) for v in given] if isinstance(given, list) else adapt(given)
