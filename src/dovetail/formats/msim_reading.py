"""A MasterSim project as a drawing with its run settings."""

from __future__ import annotations

import os
from collections import defaultdict
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from ..core.description import Kind, Variable
from ..core.errors import DrawingError, FileError, InputError, Problem
from ..drawing.system import System
from ..fmi.model import Fmu
from ..models import Table
from ..subsystems.subsystem import Model
from .equipped_model import EquippedModel
from .msim_paper import put_paper
from .msim_project import Parameter, Project, Simulator, read_project
from .msim_settings import run_settings
from .msim_values import typed, value_of

FOLDER, DATE = "ResultsRootDir", "ReferenceTimeStamp"  # parameters that the master fills in


def read_msim(
    path: Path, working_folder: str | Path | None = None, reference: str | None = None
) -> System:
    """A project with the run it describes.

    Parts that write files of their own do so below `working_folder`, the project's path without
    suffix if none is given. `reference` is the date at which time is zero.
    """
    return _Reader(path, read_project(path), working_folder, reference).drawing()


class _Reader:
    """Draws what a project says, and collects what cannot be drawn."""

    def __init__(
        self, path: Path, project: Project, folder: str | Path | None, reference: str | None
    ) -> None:
        self.path, self.project = path, project
        self.folder = os.path.abspath(folder or path.with_suffix(""))
        self.problems: list[Problem] = []
        self.values: dict[str, dict[str, Parameter]] = defaultdict(dict)
        for p in project.parameters:
            self.values[p.part][p.variable] = p
        self.reference = reference or self._reference_date()
        self.system = System(path.stem)

    def drawing(self) -> System:
        settings = run_settings(self.project, self.path, self.reference)
        models = {s.name: self._model(s) for s in self.project.simulators}
        names = [s.name for s in self.project.simulators]
        for s in self.project.simulators:
            model = models[s.name]
            if names.count(s.name) > 1 and names.index(s.name) != self.project.simulators.index(s):
                self._note(s.name, f"there is a part '{s.name}' already.", s.line)
            elif model is not None:
                self._add(s, model)
        for p in self.project.parameters:
            if p.part not in names:
                self._note(p.part, f"there is no part '{p.part}' to set '{p.variable}' of.", p.line)
        self._connect({n for n, model in models.items() if model is None})
        if self.problems:
            raise DrawingError(self.problems, self.path.stem)
        self.system.run_settings = replace(settings, record=self._recorded())
        put_paper(self.system, self.project.paper, str(self.path))
        return self.system

    # how it is run --------------------------------------------------------------------------------

    def _recorded(self) -> tuple[str, ...]:
        """All outputs, table columns only if something uses them; inputs beside internals."""
        used = {str(c.source) for c in self.system.connections}
        found = [
            name
            for part in self.system.parts.values()
            for v in part.description.outputs
            for name in [f"{part.name}.{v.name}"]
            if name in used or self.project.unconnected or not isinstance(part.model, Table)
        ]
        if self.project.internals:
            found += [str(c.target) for c in self.system.connections]
        only = set(self.project.only)
        missing = only.difference(found)
        if missing:
            raise FileError(self.path, f"outputOnly names '{min(missing)}', which is not an output")
        return tuple(
            f"{name}*" if _is_array(self.system, name) else name
            for name in found
            if not only or name in only
        )

    # parts ----------------------------------------------------------------------------------------

    def _model(self, s: Simulator) -> Model | None:
        path = self.path.parent / s.path
        try:
            match path.suffix.lower():
                case ".fmu":
                    return Fmu(os.path.abspath(path), internals=self.project.internals)
                case ".csv" | ".tsv":
                    return self._table(s, path)
            what = f"'{s.path}' is not a part: an .fmu, a .csv or a .tsv file"
            raise FileError(self.path, what)
        except InputError as error:
            self._note(s.name, f"part '{s.name}': {error}.", s.line)
            return None

    def _table(self, s: Simulator, path: Path) -> Table:
        """A table whose columns have the types of the inputs they feed; later rows win."""
        table = replace(Table.read(path), path=os.path.abspath(path))
        wanted: dict[str, str] = {}
        for edge in self.project.edges:
            part, _, column = edge.source.partition(".")
            if part == s.name and column in table.columns:
                wanted[column] = edge.target
        return typed(table, wanted, self._kinds)

    @cached_property
    def _kinds(self) -> dict[str, Kind]:
        """The types of all inputs of FMUs."""
        found: dict[str, Kind] = {}
        for s in self.project.simulators:
            path = self.path.parent / s.path
            if path.suffix.lower() == ".fmu":
                try:
                    inputs = Fmu(os.path.abspath(path)).description.inputs
                except InputError:
                    continue  # reported where that part is added
                found |= {f"{s.name}.{v.name}": v.kind for v in inputs}
        return found

    def _add(self, s: Simulator, model: Model) -> None:
        known = {v.name: v for v in (*model.description.inputs, *model.description.parameters)}
        values: dict[str, Any] = {}
        for name, p in self.values[s.name].items():
            try:
                values[name] = value_of(known.get(name), p.value)
            except ValueError as error:
                self._note(s.name, f"'{s.name}.{name}' {error}.", p.line)
        for name, value in self._given(s.name, known).items():
            if name not in values:
                values[name] = value
        if values.get(FOLDER) == self._own_folder(s.name):
            model = EquippedModel(model, self._own_folder(s.name))
        part, found = self.system.checked_part(s.name, model, values)
        for problem in found:
            variable = problem.where.removeprefix(f"{s.name}.")
            at = self.values[s.name].get(variable)
            self._note(problem.where, problem.what, s.line if at is None else at.line)
        if part is not None:
            self.system.put(part)  # with the values that fit

    def _given(self, name: str, known: dict[str, Variable]) -> dict[str, str]:
        """What the master gives its parts without being asked."""
        found = {}
        if FOLDER in known and known[FOLDER].kind is Kind.STRING:
            found[FOLDER] = self._own_folder(name)
        if self.reference and DATE in known and known[DATE].kind is Kind.STRING:
            found[DATE] = self.reference
        return found

    def _own_folder(self, name: str) -> str:
        return os.path.join(self.folder, "slaves", name)

    def _reference_date(self) -> str | None:
        """The reference date: of a comment, or of a part that has been given one."""
        for line in self.project.comment:
            name, colon, value = line.partition(":")
            if colon and name.strip().lower() in ("reference date", "referencedate"):
                return value.strip()
        dates = {p.value for p in self.project.parameters if p.variable == DATE}
        if len(dates) > 1:
            raise FileError(self.path, f"parts have different dates as '{DATE}'", "give all one")
        return next(iter(dates), None)

    # connections ----------------------------------------------------------------------------------

    def _connect(self, broken: set[str]) -> None:
        for e in self.project.edges:
            ends = {e.source.partition(".")[0], e.target.partition(".")[0]}
            if ends & broken:
                continue  # that has been said
            _, found = self.system.checked_connection(e.source, e.target, e.scale, e.offset, False)
            for problem in found:
                self._note(problem.where, problem.what, e.line)
            if not found:
                self.system.connect(
                    e.source, e.target, gain=e.scale, offset=e.offset, convert=False
                )

    def _note(self, where: str, what: str, line: int) -> None:
        what = what.removesuffix(".") + "."
        self.problems.append(Problem(where, f"{self.path}:{line}: {what}"))


def _is_array(system: System, name: str) -> bool:
    """Whether a variable has several scalars."""
    part, _, variable = name.partition(".")
    d = system.parts[part].description
    return any(v.name == variable and v.shape for v in (*d.outputs, *d.inputs))
