"""A drawing as a MasterSim project, as far as that can hold it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import fields
from math import inf
from pathlib import Path
from typing import Any

from ..algorithms import GaussSeidel, Jacobi, Newton
from ..controllers import Adaptive, ErrorCheck, FixedStep, StepDoubling
from ..core.calendar import UNITS, Calendar
from ..core.errors import DrawingError, FileError, Problem
from ..drawing.part import Part
from ..drawing.run_settings import RunSettings
from ..drawing.system import System
from ..fmi.model import Fmu
from ..models import Table
from ..results.patterns import chosen
from ..results.recorders import Sampling
from ..subsystems.subsystem import Model
from ..topology.components import Structure
from .equipped_model import EquippedModel
from .msim_losses import refused_junctions
from .msim_paper import paper_lines
from .msim_project import Edge, Parameter, Project, Simulator
from .reference import seen_from

_COLORS = ("#fa8072", "#0000cd", "#9400d3", "#008000", "#20b2aa", "#6a5acd", "#ff8c00", "#4682b4")
_WIDTH = 30  # of a keyword


def text_of(system: System, folder: Path) -> str:
    """The text of a project in this folder; files are referred to relative to it."""
    run = system.run_settings
    project = _settings(run)
    problems = list(refused_junctions(system))
    turns = _turns(system, run)
    ordered = sorted(system.parts.values(), key=lambda p: turns[p.name])
    for k, part in enumerate(ordered):
        try:
            path = _path(part, folder)
        except FileError as error:
            problems.append(Problem(part.name, str(error)))
            continue
        color = _COLORS[k % len(_COLORS)]
        project.simulators.append(Simulator(k, turns[part.name][0], part.name, color, path))
        project.parameters += _parameters(part)
        project.internals = project.internals or _has_internals(part.model)
    for c in system.connections:
        if c.source.variable.shape:
            what = f"'{c.source}' is an array, which a MasterSim project cannot connect."
            problems.append(Problem(str(c.target), what))
        if c.table:
            what = f"{c} has a table, which a MasterSim project cannot hold; save it as .yaml."
            problems.append(Problem(str(c.target), what))
        if c.target.variable.name in system.parts[c.target.part].tuned:
            what = f"'{c.target}' is a parameter, which MasterSim does not connect; use .yaml."
            problems.append(Problem(str(c.target), what))
        gain, offset = c.total
        project.edges.append(Edge(str(c.source), str(c.target), offset, gain))
    if problems:
        raise DrawingError(problems, system.name)
    _put_record(project, system, run)
    return _written(project, run.calendar, list(paper_lines(system)))


def _settings(run: RunSettings) -> Project:
    """The settings as keywords; what MasterSim does not have is refused."""
    p = Project()
    p.start = run.start if run.start is not None else p.start
    p.stop = run.stop if run.stop is not None else p.stop
    p.rtol, p.atol = run.rtol or p.rtol, run.atol or p.atol
    if run.calendar is not None:
        p.time_unit = run.calendar.unit
    if isinstance(run.recorder, Sampling):
        p.output_size = run.recorder.every
    _put_algorithm(p, run.algorithm)
    _put_controller(p, run.controller)
    if run.recorder is None and run.controller is not None:
        p.output_size = p.first_size
    return p


def _put_algorithm(p: Project, a: Any) -> None:
    if a is None:
        return
    known = {Jacobi: "GAUSS_JACOBI", GaussSeidel: "GAUSS_SEIDEL", Newton: "NEWTON"}
    plain = (
        type(a) in known and a.inputs == "hold" and (isinstance(a, Newton) or not a.extrapolation)
    )
    solved = isinstance(a, Jacobi | GaussSeidel) and a.solver is not None
    if not plain or solved or (isinstance(a, Jacobi) and a.repeats):
        raise _foreign(a)
    p.algorithm, p.max_iterations = known[type(a)], a.max_iterations
    p.fall_back_size = a.fall_back_size
    p.rtol, p.atol = a.rtol or p.rtol, a.atol or p.atol


def _put_controller(p: Project, c: Any) -> None:
    match c:
        case None:
            return
        case FixedStep(size, None):
            p.first_size = size
        case ErrorCheck(size, doubling=False, on_error="count"):
            p.first_size, p.error_mode = size, "CHECK"
        case Adaptive():
            p.adjust = True
        case StepDoubling(extrapolate=False):
            p.adjust, p.error_mode = True, "STEP_DOUBLING"
        case _:
            raise _foreign(c)
    if isinstance(c, Adaptive | StepDoubling):
        p.first_size, p.min_size = c.first_size, c.min_size
        p.max_size = c.max_size if c.max_size < inf else p.stop - p.start
    if isinstance(c, ErrorCheck | StepDoubling):
        p.rtol, p.atol = c.rtol, c.atol


def _put_record(p: Project, system: System, run: RunSettings) -> None:
    """Which variables are written: all, or those that are named."""
    used = {str(c.source) for c in system.connections}
    outputs = {
        f"{part.name}.{v.name}": isinstance(part.model, Table)
        for part in system.parts.values()
        for v in part.description.outputs
    }
    idle = {n for n, of_table in outputs.items() if of_table and n not in used}
    wanted = list(outputs) if run.record is None else chosen(run.record, outputs)
    p.unconnected = bool(idle.intersection(wanted))
    default = set(outputs) if p.unconnected else set(outputs) - idle
    if set(wanted) != default:
        p.only = wanted


def _foreign(value: Any) -> FileError:
    return FileError(".msim", f"MasterSim has nothing like {value!r}", "save it as YAML")


def _turns(system: System, run: RunSettings) -> dict[str, tuple[int, int]]:
    """Cycle and place in it, for each part."""
    order = run.algorithm.order_of_parts if isinstance(run.algorithm, GaussSeidel) else ()
    rank = {name: k for k, name in enumerate(order)}
    structure = Structure.of(system)
    names = structure.layout.names
    return {
        names[i]: (k, rank.get(names[i], len(rank) + i))
        for k, component in enumerate(structure.components)
        for i in component.parts
    }


def _path(part: Part, folder: Path) -> str:
    model = part.model.model if isinstance(part.model, EquippedModel) else part.model
    match model:
        case Fmu(path=path) if repr(model) == repr(Fmu(path, internals=model.internals is True)):
            return seen_from(folder, path)
        case Table(path=str(path)) if os.path.splitext(path)[1].lower() in (".csv", ".tsv"):
            _check_table(part.name, model)
            return seen_from(folder, path)
    what = f"part '{part.name}' is neither a plain FMU nor a table from a .csv or .tsv file"
    raise FileError(".msim", what, "save the system as YAML")


def _check_table(name: str, table: Table) -> None:
    """Refuse what MasterSim does not know of tables: it reads them plainly, and linear."""
    usual = {"hold": (), "interpolation": "linear", "outside": "hold"}
    told = [*table.reading, *(n for n, way in usual.items() if getattr(table, n) not in (way, []))]
    if told:
        what = f"the table of part '{name}' has the option '{told[0]}', and MasterSim has none"
        raise FileError(".msim", what, "save the system as YAML")


def _has_internals(model: Model) -> bool:
    model = model.model if isinstance(model, EquippedModel) else model
    return isinstance(model, Fmu) and model.internals is True


def _parameters(part: Part) -> list[Parameter]:
    own = part.model.folder if isinstance(part.model, EquippedModel) else None
    return [
        Parameter(part.name, name, _text(value))
        for name, value in part.values.items()
        if not (name == "ResultsRootDir" and value == own)
    ]


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value)
    text = str(value).replace("\\", "\\\\").replace("\n", "\\n")
    return f'"{text}"' if isinstance(value, str) and text != text.strip() else text


def _written(p: Project, calendar: Calendar | None, paper: Sequence[str]) -> str:
    lines = [f"# {line}" for line in p.comment]
    if calendar is not None and calendar.reference:
        lines += [f"# Reference date: {calendar.reference}", ""]
    for f in fields(p):
        if "keyword" in f.metadata:
            keyword, what = f.metadata["keyword"], f.metadata["what"]
            lines.append(f"{keyword:{_WIDTH}} {_field_text(what, getattr(p, f.name))}")
    lines += [""]
    for s in p.simulators:
        lines.append(f'simulator {s.priority} {s.cycle} {_quoted(s.name)} {s.color} "{s.path}"')
    lines += [""]
    for e in p.edges:
        line = f"graph {_quoted(e.source)} {_quoted(e.target)}"
        plain = e.offset == 0 and e.scale == 1
        lines.append(line if plain else f"{line} {e.offset!r} {e.scale!r}")
    lines += [""]
    lines += [f"parameter {q.part}.{q.variable} {q.value}" for q in p.parameters]
    lines += ["", *(f"outputOnly {name}" for name in p.only), "", *paper]
    return "\n".join(lines).rstrip() + "\n"


def _quoted(name: str) -> str:
    return f'"{name}"' if " " in name else name


def _field_text(what: str, value: Any) -> str:
    if what == "time":
        unit = next(
            (u for u in ("a", "d", "h", "min") if value and value % UNITS[u] == 0), "s"
        )  # the largest that divides it
        return f"{value / UNITS[unit]:.17g} {unit}" if unit != "s" else f"{value!r} s"
    if what == "flag":
        return "yes" if value else "no"
    return repr(value) if what == "number" else str(value)
