"""The parts and variables of a system, read off its file without opening it."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from zipfile import ZipFile

from .model_names import LARGEST, VariableNames, names_of_model, python_models

_CONNECTORS = {"output": "outputs", "input": "inputs", "parameter": "parameters"}
_DEEPEST = 3  # files inside each other


def parts_of(path: Path, deep: int = _DEEPEST) -> dict[str, VariableNames]:
    """The variables of each part; nothing for what cannot be read, or lies too deep inside."""
    if deep == 0 or not (path.is_file() or path.is_dir()):  # a pipe would be waited for
        return {}
    match path.suffix.lower():
        case ".yaml" | ".yml":
            return _yaml(path, deep)
        case ".fmu":
            return {_part_name(path.stem): names_of_model(path.name, path.parent)}
        case ".msim":
            return _msim(path)
        case ".ssp":
            with ZipFile(path) as archive, archive.open("SystemStructure.ssd") as file:
                return _ssd(file.read(LARGEST))
        case ".ssd":
            return _ssd(path.read_bytes()[:LARGEST])
        case ".py":
            return _python(path)
    return {}


def _part_name(stem: str) -> str:
    return stem.replace(".", "_").strip() or "fmu"


def _yaml(path: Path, deep: int) -> dict[str, VariableNames]:
    import yaml

    loader: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    data = yaml.load(path.read_bytes()[:LARGEST], Loader=loader)
    return {name: _entry(part, path.parent, deep) for name, part in data["parts"].items()}


def _entry(part: Any, folder: Path, deep: int) -> VariableNames:
    """A part as a YAML file has it: a text, or a mapping with `model` or `system`."""
    if isinstance(part, str):
        return _looked_up(part, folder)
    if "model" in part:
        return _looked_up(part["model"], folder)
    inner = part.get("system", {})
    if isinstance(inner, str):
        parts = parts_of(folder / inner, deep - 1)
    else:
        below = inner.get("parts", {}).items()
        parts = {name: _entry(one, folder, deep) for name, one in below}
    return VariableNames(
        *(
            tuple(f"{name}.{v}" for name, names in parts.items() for v in getattr(names, field))
            for field in ("outputs", "inputs", "parameters")
        )
    )


def _looked_up(model: str, folder: Path) -> VariableNames:
    """Its names, or none: one bad file does not spoil the others."""
    try:
        return names_of_model(model, folder)
    except Exception:
        return VariableNames()


def _msim(path: Path) -> dict[str, VariableNames]:
    found = {}
    for line in path.read_text(encoding="utf-8-sig", errors="replace").splitlines():
        words = [a or b for a, b in re.findall(r'"([^"]*)"|(\S+)', line)]
        if len(words) == 6 and words[0] == "simulator":
            found[words[3]] = _looked_up(words[5].replace("\\", "/"), path.parent)
    return found


def _ssd(data: bytes) -> dict[str, VariableNames]:
    found = {}
    for element in ElementTree.fromstring(data).iter():
        if element.tag.rpartition("}")[2] not in ("Component", "SignalDictionaryReference"):
            continue
        names: dict[str, list[str]] = {field: [] for field in _CONNECTORS.values()}
        for connector in element.iter():
            field = _CONNECTORS.get(connector.get("kind", ""))
            if connector.tag.endswith("}Connector") and field is not None:
                names[field].append(connector.get("name", ""))
        found[element.get("name", "")] = VariableNames(**{f: tuple(n) for f, n in names.items()})
    return found


def _python(path: Path) -> dict[str, VariableNames]:
    """What `system.add("name", model)` adds in a file, wherever that stands in it."""
    models = python_models(path)
    found = {}
    for node in ast.walk(ast.parse(path.read_bytes()[:LARGEST])):
        match node:
            case ast.Call(
                func=ast.Attribute(attr="add"), args=[ast.Constant(value=str(name)), model, *_]
            ):
                known = models.get(model.id) if isinstance(model, ast.Name) else None
                found[name] = known or VariableNames()
    return found
