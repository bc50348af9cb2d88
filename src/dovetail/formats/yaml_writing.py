"""A system as YAML text."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np

from ..core.description import Port
from ..core.errors import DrawingError, FileError, OptionError, Problem
from ..drawing.connection import Connection
from ..drawing.junction import Junction
from ..drawing.part import Part
from ..drawing.system import System
from ..fmi.model import Fmu
from ..machines.remote_model import FILES, RemoteModel
from ..models import Merged, Nested, Table
from ..subsystems.subsystem import Model
from .families import as_data
from .layout import paper_data, plots_data
from .loading import options_of_table
from .reference import seen_from
from .referred_model import ReferredModel
from .run_data import run_data
from .scalars import written

WIDTH = 100  # of a line that need not be broken


def text_of(system: System, folder: Path) -> str:
    """The text of a file in this folder; models are referred to relative to it."""
    data: dict[str, Any] = {"dovetail": 1, **_Writer(folder).system(system)}
    settings = run_data(system.run_settings)
    if settings:
        data["run"] = settings
    data |= paper_data(system)
    if system.sketch.plots:
        data["plots"] = plots_data(system.sketch.plots)
    return "\n".join(_block(data, "")) + "\n"


def flow_text(data: Any) -> str:
    """Data as YAML in one line."""
    return _flow(data)


def part_data(part: Part, folder: Path) -> dict[str, Any]:
    """A part as plain data, for a file in this folder."""
    return _Writer(folder).part(part)


class _Writer:
    """Turns a system into plain data."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def system(self, system: System) -> dict[str, Any]:
        parts: dict[str, Any] = {}
        problems: list[Problem] = []
        for name, part in system.parts.items():
            try:
                parts[name] = self.part(part)
            except DrawingError as error:
                problems += error.problems
            except (FileError, OptionError) as error:
                problems.append(Problem(name, f"part '{name}': {error}"))
        if problems:
            raise DrawingError(problems, system.name)
        data: dict[str, Any] = {"name": system.name, "parts": parts}
        drawn = [c for c in system.connections if not c.junction]
        if drawn:
            data["connections"] = [connection_data(c) for c in drawn]
        if system.junctions:
            data["junctions"] = [junction_data(j) for j in system.junctions]
        return data

    def part(self, part: Part) -> dict[str, Any]:
        data = self._model(part.name, part.model)
        if part.values:
            data["values"] = {name: _plain(value) for name, value in part.values.items()}
        if part.forced:
            data["force"] = sorted(part.forced)
        return data

    def _model(self, name: str, model: Model) -> dict[str, Any]:
        match model:
            case ReferredModel():
                return {"model": model.reference.seen_from(self.folder)}
            case Nested():
                return self._nested(model)
            case Fmu(path=path, ports=ports):
                options = self._options(name, model)
                data: dict[str, Any] = {"model": seen_from(self.folder, path)}
                if options:
                    data["options"] = options
                if ports:
                    data["ports"] = {n: _port(p) for n, p in ports.items()}
                return data
            case Merged():
                return self._merged(name, model)
            case RemoteModel():
                return self._remote(name, model)
            case Table(path=str(path)):
                options = options_of_table(model)
                data = {"model": seen_from(self.folder, path)}
                return {**data, "options": options} if options else data
        what = (
            f"part '{name}' was made in Python and has no place to be read from again; put its "
            f'model into a file and load it from there: dv.load("models.py:{name}").'
        )
        raise DrawingError([Problem(name, what)])

    def _options(self, name: str, model: Fmu) -> dict[str, Any]:
        """What an FMU was loaded with, but for what is so by default."""
        if model.solver is not None and not isinstance(model.solver, str):
            raise DrawingError([Problem(name, _no_solver(name))])
        found: dict[str, Any] = {}
        for f in fields(model):
            value = getattr(model, f.name)
            if f.name not in ("path", "ports") and value not in (f.default, {}):
                found[f.name] = dict(value) if isinstance(value, Mapping) else value
        if "unpacked" in found:
            found["unpacked"] = seen_from(self.folder, found["unpacked"])
        return found

    def _remote(self, name: str, model: RemoteModel) -> dict[str, Any]:
        options = model.options()
        if "token" in options:
            what = f"part '{name}' is used with token=, which no file should hold"
            raise DrawingError([Problem(name, f"{what}; load it with token_file=.")])
        paths = {n: seen_from(self.folder, p) for n, p in options.items() if n in FILES}
        data: dict[str, Any] = {"model": str(model.address)}
        return data | {"options": options | paths} if options else data

    def _merged(self, name: str, model: Merged) -> dict[str, Any]:
        if model.solver is not None and not isinstance(model.solver, str):
            raise DrawingError([Problem(name, _no_solver(name))])
        default = Merged.__dataclass_fields__
        names = ("solver", "rtol", "atol", "step")
        options = {n: getattr(model, n) for n in names if getattr(model, n) != default[n].default}
        inner = self.system(model.system) | paper_data(model.system)
        data: dict[str, Any] = {"system": inner, "merge": options or True}
        if model.names:
            data["names"] = dict(model.names)
        return data

    def _nested(self, model: Nested) -> dict[str, Any]:
        default = Nested.__dataclass_fields__
        data: dict[str, Any] = {"system": self.system(model.system) | paper_data(model.system)}
        for name in ("algorithm", "controller"):
            value = getattr(model, name)
            if value != default[name].default:
                data[name] = as_data(value)
        if model.names:
            data["names"] = dict(model.names)
        for name in ("rtol", "atol", "share_events"):
            if getattr(model, name) != default[name].default:
                data[name] = getattr(model, name)
        return data


def _no_solver(name: str) -> str:
    return (
        f"part '{name}' has a solver without a name, which YAML cannot hold; load it in a Python "
        f'file and refer to that: dv.load("models.py:{name}").'
    )


def connection_data(c: Connection) -> Any:
    """A connection as plain data."""
    source, target = str(c.source), str(c.target)
    plain = c.gain == 1.0 and c.offset == 0.0 and c.convert and not c.table
    if plain and _arrow_holds(source) and _arrow_holds(target):
        return f"{source} -> {target}"
    data: dict[str, Any] = {"from": source, "to": target}
    if c.gain != 1.0:
        data["gain"] = c.gain
    if c.offset != 0.0:
        data["offset"] = c.offset
    if not c.convert:
        data["convert"] = False
    if c.table:
        data["table"] = [list(pair) for pair in c.table]
    return data


def _port(port: Port) -> dict[str, Any]:
    return {k: v for k, v in asdict(port).items() if v is not None}


def junction_data(j: Junction) -> Any:
    """A junction as plain data."""
    ports: list[str] = [str(e) for e in j.ends]
    data: dict[str, Any] = {"ports": ports}
    if j.common != j.ends[0].domain.common:
        data["kind"] = j.common
    if j.level == "flow" and all(e.displacement is not None for e in j.compared):
        data["level"] = j.level
    if j.coordinator is not None:
        data["coordinator"] = as_data(j.coordinator)
    return data if len(data) > 1 else ports


def _arrow_holds(name: str) -> bool:
    """Whether a name survives on one side of an arrow."""
    return "->" not in name and name == name.strip() and name[-1] != "-" and name[0] != ">"


def _plain(value: Any) -> Any:
    """A value as YAML can hold it."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return [_plain(v) for v in value] if isinstance(value, tuple) else value


def _block(data: Any, indent: str) -> list[str]:
    """Lines, one entry each; an entry that fits on one line is not broken up."""
    lines: list[str] = []
    items = data.items() if isinstance(data, dict) else ((None, v) for v in data)
    for key, value in items:
        head = f"{indent}- " if key is None else f"{indent}{written(str(key))}:"
        flow = _flow(value)
        line = head + flow if key is None else f"{head} {flow}"
        breakable = isinstance(value, dict | list) and value and key is not None
        if breakable and (not indent or len(line) > WIDTH) and not _numbers(value):
            lines += [head, *_block(value, indent + "  ")]
        else:
            lines.append(line)
    return lines


def _flow(data: Any) -> str:
    match data:
        case dict():
            return "{" + ", ".join(f"{written(str(k))}: {_flow(v)}" for k, v in data.items()) + "}"
        case list() | tuple():
            return "[" + ", ".join(map(_flow, data)) + "]"
    return written(data)


def _numbers(value: Any) -> bool:
    return isinstance(value, list) and not any(isinstance(v, dict | list | str) for v in value)
