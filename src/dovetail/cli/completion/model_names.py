"""The variables of a model, read off its file without loading it."""

from __future__ import annotations

import ast
import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from zipfile import ZipFile

LARGEST = 20_000_000  # bytes that are read of a file
_VARIABLES = {"output": "outputs", "input": "inputs", "parameter": "parameters"}


@dataclass(frozen=True, slots=True)
class VariableNames:
    """Names by what can be done with them."""

    outputs: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()

    @property
    def recordable(self) -> tuple[str, ...]:
        """What a run can record."""
        return (*self.outputs, *self.inputs)

    @property
    def settable(self) -> tuple[str, ...]:
        """What can be given a value."""
        return (*self.parameters, *self.inputs)


def names_of_model(text: str, folder: Path) -> VariableNames:
    """The variables of a model as a system file refers to it."""
    home, colon, name = text.rpartition(":")
    if colon and home.endswith(".py"):
        return python_models(folder / home).get(name, VariableNames())
    path = folder / text
    if path.suffix.lower() == ".fmu" or path.is_dir():
        return _fmu(path)
    if path.suffix.lower() in (".csv", ".tsv"):
        return VariableNames(outputs=tuple(columns(path)))
    return VariableNames()


def columns(path: Path) -> list[str]:
    """The headers of a table but that of time, without their units."""
    if not path.is_file():  # a pipe would be waited for
        return []
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        first = file.readline(LARGEST)
    tabs = path.suffix.lower() == ".tsv" or "\t" in first
    mark = "\t" if tabs else ";" if first.count(";") > first.count(",") else ","
    row = next(csv.reader([first], delimiter=mark), [])
    return [word.split(" [")[0].strip() for word in row[1:]]


def python_models(path: Path) -> dict[str, VariableNames]:
    """The models that a Python file defines at its top, as far as they are written out."""
    if not path.is_file():
        return {}
    tree = ast.parse(path.read_bytes()[:LARGEST])
    found: dict[str, VariableNames] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    found[target.id] = _called(node.value)
        elif isinstance(node, ast.FunctionDef) and not node.args.args:
            found[node.name] = _returned(node)
    return found


def _returned(function: ast.FunctionDef) -> VariableNames:
    for node in ast.walk(function):
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Call):
            return _called(node.value)
    return VariableNames()


def _called(call: ast.Call) -> VariableNames:
    """The names in `dv.Dynamic(states={"x": 1.0}, outputs=["y"])` and its like."""
    given = {k.arg: tuple(_texts(k.value)) for k in call.keywords if k.arg}
    settable = (*given.get("parameters", ()), *given.get("states", ()))
    return VariableNames(given.get("outputs", ()), given.get("inputs", ()), settable)


def _texts(node: ast.expr) -> Iterator[str]:
    keys = node.keys if isinstance(node, ast.Dict) else getattr(node, "elts", [])
    for key in keys:
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            yield key.value


def _fmu(path: Path) -> VariableNames:
    if path.is_dir():
        data = (path / "modelDescription.xml").read_bytes()[:LARGEST]
    else:
        with ZipFile(path) as archive, archive.open("modelDescription.xml") as file:
            data = file.read(LARGEST)
    variables = ElementTree.fromstring(data).find("ModelVariables")
    found: dict[str, list[str]] = {field: [] for field in _VARIABLES.values()}
    for variable in variables if variables is not None else ():
        field = _VARIABLES.get(variable.get("causality", ""))
        name: Any = variable.get("name")
        if field is not None and name:
            found[field].append(name)
    return VariableNames(**{field: tuple(names) for field, names in found.items()})
