"""A drawing as text: the YAML of its file, and the Python that makes and runs it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..core.errors import DovetailError
from ..drawing.system import System
from ..formats.families import called
from ..formats.run_data import run_data
from ..formats.yaml_writing import connection_data, junction_data, part_data
from ..formats.yaml_writing import text_of as yaml_text
from .document import EditedDocument

_RUN = {"start", "stop", "rtol", "atol", "algorithm", "controller", "record"}


def as_yaml(document: EditedDocument) -> str:
    """The text of its file, or why it has none."""
    try:
        return yaml_text(document.system, _folder(document))
    except DovetailError as error:
        return f"# {error}".replace("\n", "\n# ") + "\n"


def as_python(document: EditedDocument) -> str:
    """A script for the folder of the file: it draws the system, or opens it where that is short."""
    system = document.system
    try:
        lines = _drawn(system, _folder(document))
    except (DovetailError, _Longer):
        name = "car.yaml" if document.path is None else document.path.name
        saved = f"system = dv.open({name!r})  # once it is saved"
        end = "result = dv.simulate(system)"
        return "\n".join(["import dovetail as dv", "", saved, end, ""])
    return "\n".join(["import dovetail as dv", "", *lines, ""])


class _Longer(Exception):
    """Something takes more than a line of Python."""


def _folder(document: EditedDocument) -> Path:
    return document.folder.root if document.path is None else document.path.parent


def _drawn(system: System, folder: Path) -> list[str]:
    lines = [f"system = dv.System({system.name!r})"]
    forced = list[str]()
    for name, part in system.parts.items():
        data = part_data(part, folder)
        if not set(data) <= {"model", "options", "values", "force"}:
            raise _Longer
        options = "".join(f", {n}={v!r}" for n, v in data.get("options", {}).items())
        values = dict(data.get("values", {}))
        for key in data.get("force", ()):
            forced.append(f"system.set({f'{name}.{key}'!r}, {values.pop(key)!r}, force=True)")
        given = f", {values!r}" if values else ""
        lines.append(f"system.add({name!r}, dv.load({data['model']!r}{options}){given})")
    for c in system.connections:
        if not c.junction:
            lines.append(f"system.connect({str(c.source)!r}, {str(c.target)!r}{_way(c)})")
    for j in system.junctions:
        data = junction_data(j)
        if isinstance(data, dict) and "coordinator" in data:
            raise _Longer
        more = {k: v for k, v in data.items() if k != "ports"} if isinstance(data, dict) else {}
        ports = [repr(str(end)) for end in j.ends]
        lines.append(f"system.join({', '.join(ports + [f'{k}={v!r}' for k, v in more.items()])})")
    return [*lines, *forced, f"result = dv.simulate(system{_run(system)})"]


def _way(c: Any) -> str:
    data = connection_data(c)
    if isinstance(data, str):
        return ""
    table = {"table": dict(data.pop("table"))} if "table" in data else {}
    more = {k: v for k, v in {**data, **table}.items() if k not in ("from", "to")}
    return "".join(f", {k}={v!r}" for k, v in more.items())


def _run(system: System) -> str:
    settings = run_data(system.run_settings)
    if not set(settings) <= _RUN:
        raise _Longer
    for name in ("algorithm", "controller"):
        value = getattr(system.run_settings, name)
        if value is not None:
            settings[name] = called(value)
    return "".join(f", {name}={value!r}" for name, value in settings.items())
