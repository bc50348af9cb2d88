"""A configuration of CoFmuPy as a drawing: FMUs, what they start with, wires, and sources of data.

Neither the stop time nor the step is in such a file: CoFmuPy is given them in Python.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from ..algorithms import Algorithm, GaussSeidel, Jacobi
from ..core.description import Kind
from ..core.errors import FileError, InputError, Problem, did_you_mean
from ..drawing.run_settings import RunSettings
from ..drawing.system import System
from ..fmi.model import Fmu
from ..models import Table
from .maestro.configuration import read_json
from .maestro.reading import suited
from .ssp.complaints import Complaints, Place, Unsupported

_ALGORITHMS: dict[str, Callable[[int], Algorithm]] = {"jacobi": Jacobi, "gauss_seidel": GaussSeidel}
_FOLDERS = 2000  # that a file is looked for in
_SWEEPS = 10  # of CoFmuPy in a loop
_SHAPES = {"previous": "hold", "linear": "linear"}
_TYPES = {Kind.INTEGER: "integer", Kind.ENUMERATION: "integer", Kind.BOOLEAN: "boolean"}


def is_cofmupy(path: Path) -> bool:
    """Whether the FMUs of a JSON file are a list, where Maestro has a mapping."""
    return isinstance(read_json(path).get("fmus"), list)


def read_cofmupy(path: Path, unsupported: Unsupported = "error") -> System:
    """The system of a configuration, with the algorithm that it names."""
    return _Reader(path, Complaints(unsupported)).drawing()


class _Reader:
    """Draws what the file says, and collects what cannot be drawn."""

    def __init__(self, path: Path, complaints: Complaints) -> None:
        self.path, self.complaints, self.data = path, complaints, read_json(path)
        self.system = System(path.name.partition(".")[0])

    def drawing(self) -> System:
        for entry in self._mappings("fmus", self.data):
            self._add(entry)
        for wire in self._mappings("connections", self.data):
            targets = wire.get("target")
            for target in targets if isinstance(targets, list) else [targets]:
                self._connect(wire.get("source"), target)
        self.system.run_settings = RunSettings(algorithm=self._algorithm())
        self.complaints.settle(self.system.name)
        return self.system

    def _mappings(self, key: str, data: dict[str, Any]) -> Iterator[dict[str, Any]]:
        given = data.get(key, [])
        for one in given if isinstance(given, list) else [given]:
            if isinstance(one, dict):
                yield one
            else:
                self._problem(key, f"must be a list of mappings, not {one!r}")

    def _algorithm(self) -> Algorithm:
        name = str(self.data.get("cosim_method", "jacobi"))
        if name not in _ALGORITHMS:
            known = ", ".join(_ALGORITHMS)
            self._problem("cosim_method", f"must be one of {known}, not {name!r}")
            return Jacobi()
        return _ALGORITHMS[name](_SWEEPS if self.data.get("iterative") is True else 1)

    # parts ----------------------------------------------------------------------------------------

    def _add(self, entry: dict[str, Any]) -> None:
        name, address = str(entry.get("id", "")), str(entry.get("path", ""))
        if "::" in address:
            what = f"'{address}' is a class for CoFmuPy; make it a Python model of Dovetail"
            self._problem(name, what)
            return
        try:
            model = Fmu(os.path.abspath(self._found(address)))
        except InputError as error:
            self._problem(name, str(error))
            return
        kinds = {v.name: v.kind for v in (*model.description.parameters, *model.description.inputs)}
        given = entry.get("initialization") or {}
        values = given if isinstance(given, dict) else {}
        for variable in (v for v in values if v not in kinds):
            hint = did_you_mean(variable, kinds)
            self._problem(name, f"has no parameter and no input '{variable}' to initialize.{hint}")
        known = {n: suited(value, kinds[n]) for n, value in values.items() if n in kinds}
        part, problems = self.system.checked_part(name, model, known)
        self._report(problems)
        if part is not None:
            self.system.put(part)

    def _found(self, address: str) -> Path:
        """A path from here or from the file, else the first file of that name below it."""
        folder = Path(os.path.abspath(self.path)).parent
        path = Path(address.replace("\\", "/"))
        places = [folder / path, Path(os.path.abspath(path))]
        found = next((p for p in places if p.is_file()), None) or _below(folder, path.name)
        if found is None:
            raise FileError(address, f"was not found from {folder}, and no file of its name below")
        return found

    # connections ----------------------------------------------------------------------------------

    def _connect(self, source: Any, target: Any) -> None:
        if not (isinstance(source, dict) and isinstance(target, dict)):
            self._problem("connections", "each needs a source and a target, which are mappings")
        elif target.get("type", "fmu") != "fmu":
            what = f"{target['type']} is not written to: all outputs are in the result"
            self.complaints.note(self._place("connections"), what)
        else:
            end = f"{target.get('id')}.{target.get('variable')}"
            start = self._start(source, end)
            if start:
                self._report(self._wired(start, end))

    def _wired(self, start: str, end: str) -> Iterable[Problem]:
        made, problems = self.system.checked_connection(start, end, 1.0, 0.0, False)
        if made is not None and not problems:
            self.system.put(made)
        return problems

    def _start(self, source: dict[str, Any], end: str) -> str:
        """The output at the start of a wire, of a table where data come from outside."""
        kind = str(source.get("type", "fmu"))
        if kind == "fmu":
            return f"{source.get('id')}.{source.get('variable')}"
        shape = _SHAPES.get(str(source.get("interpolation", "previous")))
        if shape is None or kind not in ("csv", "literal"):
            what = f"interpolation '{source['interpolation']}'" if shape is None else f"'{kind}'"
            self.complaints.unsupported(self._place(end), f"{what} is not read as a source of data")
            return ""
        name = f"{kind}_{end.replace('.', '_')}"
        try:
            column, table = _table(source, kind, self._found)
            kind_there = _TYPES.get(self._kind(end))
            if kind_there is None:
                table = replace(table, interpolation=shape)
            else:
                table = replace(table, types={column: kind_there})
            part, problems = self.system.checked_part(name, table, {})
        except (InputError, ValueError, TypeError) as error:
            self._problem(end, str(error))
            return ""
        self._report(problems)
        if part is not None:
            self.system.put(part)
        return f"{name}.{column}"

    def _kind(self, end: str) -> Kind:
        part, _, variable = end.partition(".")
        there = self.system.parts.get(part)
        inputs = there.description.inputs if there is not None else ()
        return next((v.kind for v in inputs if v.name == variable), Kind.REAL)

    # words ----------------------------------------------------------------------------------------

    def _report(self, problems: Iterable[Problem]) -> None:
        for problem in problems:
            self.complaints.problem(self._place(problem.where), problem.what, problem.where)

    def _problem(self, where: str, what: str) -> None:
        self.complaints.problem(self._place(where), what)

    def _place(self, path: str = "") -> Place:
        return Place(str(self.path), path=path)


def _below(folder: Path, name: str) -> Path | None:
    """The first file of that name in a folder or below it, where that is no whole disk."""
    for home, _, files in islice(os.walk(folder), _FOLDERS):
        if name in files:
            return Path(home) / name
    return None


def _table(source: dict[str, Any], kind: str, found: Callable[[str], Path]) -> tuple[str, Table]:
    """The name of the column, and a table of it alone."""
    if kind == "csv":
        column = str(source.get("variable"))
        path = os.path.abspath(found(str(source.get("path"))))
        whole = Table.read(path)
        if column not in whole.columns:
            hint = did_you_mean(column, whole.columns)
            raise FileError(path, f"has no column '{column}'.{hint}")
        return column, Table(time=whole.time, columns={column: whole.columns[column]})
    values = source.get("values")
    if not (isinstance(values, dict) and values):
        raise ValueError('values must be a mapping such as {"0": 1.5, "2": 3}')
    rows = sorted((float(time), value) for time, value in values.items())
    return "value", Table(time=[t for t, _ in rows], columns={"value": [v for _, v in rows]})
