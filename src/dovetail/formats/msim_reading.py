"""A MasterSim project as a drawing with its run settings."""

from __future__ import annotations

import os
from collections import defaultdict
from dataclasses import replace
from math import ceil
from pathlib import Path
from typing import Any

from ..algorithms import Algorithm, GaussSeidel, Jacobi, Newton
from ..calendar import Calendar
from ..controllers import Adaptive, Checked, Controller, FixedStep, StepDoubling
from ..description import Kind, Variable
from ..errors import DrawingError, FileError, InputError, OptionError, Problem
from ..fmi.model import Fmu
from ..models import Table
from ..recorders import Sampled
from ..subsystem import Model
from ..system import System
from .drawing import Drawing, RunSettings
from .equipped import Equipped
from .msim_project import Parameter, Project, Simulator, read_project

FOLDER, DATE = "ResultsRootDir", "ReferenceTimeStamp"  # parameters that the master fills in


def read_msim(
    path: Path, working_folder: str | Path | None = None, reference: str | None = None
) -> Drawing:
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
        self.reference = reference or self._told()
        self.system = System(path.stem)

    def drawing(self) -> Drawing:
        settings = self._settings()
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
        return Drawing(self.system, replace(settings, record=self._recorded()))

    # how it is run --------------------------------------------------------------------------------

    def _settings(self) -> RunSettings:
        p = self.project
        if not p.stop > p.start:
            raise self._wrong("tEnd", "the end must lie behind the start")
        if not p.output_size > 0:
            raise self._wrong("hOutputMin", "must be above zero")
        first = p.first_size or (p.stop - p.start) / 1000
        stop = p.stop
        adjusting = p.adjust and p.error_mode != "CHECK"
        if not p.hit_end and not adjusting:  # the last window may go beyond the end
            stop = p.start + ceil((p.stop - p.start) / first - 1e-9) * first
        try:
            return RunSettings(
                start=p.start,
                stop=stop,
                algorithm=self._algorithm(adjusting),
                controller=self._controller(first),
                rtol=p.rtol,
                atol=p.atol,
                recorder=Sampled(p.output_size),
                calendar=Calendar(p.time_unit, self.reference),
            )
        except OptionError as error:
            raise FileError(self.path, str(error)) from None

    def _algorithm(self, adjusting: bool) -> Algorithm:
        p = self.project
        common: dict[str, Any] = {
            "max_iterations": p.max_iterations,
            "fall_back_size": p.fall_back_size,
            "on_limit": "stop" if adjusting else "accept",
        }
        if p.algorithm == "GAUSS_JACOBI":
            return Jacobi(**common)
        if p.algorithm == "NEWTON":
            return Newton(**common)
        turns = sorted(p.simulators, key=lambda s: (s.cycle, s.priority))
        return GaussSeidel(**common, order_of_parts=tuple(s.name for s in turns))

    def _controller(self, first: float) -> Controller:
        p = self.project
        if p.error_mode == "CHECK":
            return Checked(first, p.rtol, p.atol)
        if not p.adjust:
            if p.error_mode == "STEP_DOUBLING":
                what = "STEP_DOUBLING adjusts step sizes; write 'adjustStepSize yes' as well"
                raise self._wrong("ErrorControlMode", what)
            return FixedStep(first)
        first = min(first, p.max_size)
        least = min(p.min_size, first)
        if p.error_mode == "STEP_DOUBLING":
            return StepDoubling(p.rtol, p.atol, first, least, p.max_size)
        if p.max_iterations == 1:
            what = "without iteration or error control there is nothing to adjust sizes by"
            raise self._wrong("adjustStepSize", what)
        return Adaptive(first, least, p.max_size)

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
            raise FileError(self.path, f"outputOnly names '{min(missing)}', which is no output")
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
            what = f"'{s.path}' is no part: an .fmu, a .csv or a .tsv file"
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
        return _typed(table, wanted, self._kinds())

    def _kinds(self) -> dict[str, Kind]:
        """The types of all inputs of FMUs."""
        found: dict[str, Kind] = {}
        for s in self.project.simulators:
            path = self.path.parent / s.path
            if path.suffix.lower() == ".fmu":
                try:
                    inputs = Fmu(os.path.abspath(path)).description.inputs
                except InputError:
                    continue  # told where that part is added
                found |= {f"{s.name}.{v.name}": v.kind for v in inputs}
        return found

    def _add(self, s: Simulator, model: Model) -> None:
        known = {v.name: v for v in (*model.description.inputs, *model.description.parameters)}
        values: dict[str, Any] = {}
        for name, p in self.values[s.name].items():
            try:
                values[name] = _value(known.get(name), p.value)
            except ValueError as error:
                self._note(s.name, f"'{s.name}.{name}' {error}.", p.line)
        for name, value in self._given(s.name, known).items():
            if name not in values:
                values[name] = value
        if values.get(FOLDER) == self._own_folder(s.name):
            model = Equipped(model, self._own_folder(s.name))
        part, found = self.system.checked_part(s.name, model, values)
        for problem in found:
            variable = problem.where.removeprefix(f"{s.name}.")
            at = self.values[s.name].get(variable)
            self._note(problem.where, problem.what, s.line if at is None else at.line)
        if part is not None and not found:
            self.system.add(s.name, model, values)

    def _given(self, name: str, known: dict[str, Variable]) -> dict[str, str]:
        """What the master tells its parts without being asked."""
        found = {}
        if FOLDER in known and known[FOLDER].kind is Kind.STRING:
            found[FOLDER] = self._own_folder(name)
        if self.reference and DATE in known and known[DATE].kind is Kind.STRING:
            found[DATE] = self.reference
        return found

    def _own_folder(self, name: str) -> str:
        return os.path.join(self.folder, "slaves", name)

    def _told(self) -> str | None:
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

    def _wrong(self, keyword: str, what: str) -> FileError:
        line = self.project.lines.get(keyword)
        where = str(self.path) if line is None else f"{self.path}:{line}"
        return FileError(where, f"{keyword}: {what}")


def _typed(table: Table, wanted: dict[str, str], kinds: dict[str, Kind]) -> Table:
    """The table with the types of the inputs it feeds; of rows with equal times the last."""
    plain = (Kind.INTEGER, Kind.BOOLEAN, Kind.STRING)
    types = {c: str(kinds[t]) for c, t in wanted.items() if kinds.get(t) in plain}
    times = table.times
    last = [*(times[1:] != times[:-1]), True]
    if all(last) and not types:
        return table
    columns = {name: values[last] for name, values in table.data.items()}
    return replace(table, time=times[last], columns=columns, types=types)


def _is_array(system: System, name: str) -> bool:
    """Whether a variable has several scalars."""
    part, _, variable = name.partition(".")
    d = system.parts[part].description
    return any(v.name == variable and v.shape for v in (*d.outputs, *d.inputs))


def _value(variable: Variable | None, text: str) -> Any:
    """Text as a value of this variable; ValueError says why it is none."""
    if variable is None:
        return text  # refused later, with a hint
    match variable.kind:
        case Kind.REAL:
            words = text.split() or [""]
            return float(words[0]) if _is(float, words[0]) else _no(variable, text)
        case Kind.INTEGER:
            return int(text) if _is(int, text) else _no(variable, text)
        case Kind.ENUMERATION:
            return int(text) if _is(int, text) else text
        case Kind.BOOLEAN:
            if text.lower() not in ("true", "false", "1", "0", "yes", "no"):
                return _no(variable, text)
            return text.lower() in ("true", "1", "yes")
    return text


def _is(kind: type, text: str) -> bool:
    try:
        kind(text)
    except ValueError:
        return False
    return True


def _no(variable: Variable, text: str) -> Any:
    raise ValueError(f"must be a {variable.kind} value, not {text!r}")
