"""The models of a folder: what there is to place, and how one is loaded."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..core.errors import DovetailError, FileError
from ..core.file_kinds import TABLES
from ..formats.loading import load_from
from ..formats.opening import read
from ..formats.python_files import PythonFiles
from ..formats.python_permission import python_forbidden
from ..formats.reference import Reference
from ..machines.address import is_address
from ..models import Nested
from ..subsystems.subsystem import Model
from .folder import WorkFolder
from .servers import PartServers

_GROUPS = {"Dynamic": "Dynamic", "Discrete": "Dynamic", "Algebraic": "Algebraic",
           "Source": "Sources", "Clock": "Sources", "Table": "Data", "Nested": "Systems",
           "Fmu": "FMUs", "load": "Python", "merge": "Systems", "split": "Python"}  # fmt: skip
_LARGEST = 2**20  # bytes of a Python file that is looked into


class TrustNeeded(DovetailError):
    """Python would have to run in a folder that is not trusted; nothing was run."""

    def __init__(self, places: tuple[str, ...]) -> None:
        super().__init__()
        self.places = places

    def __str__(self) -> str:
        files = ", ".join(dict.fromkeys(place.rpartition("/")[2] for place in self.places))
        return (
            f"models in {files} are Python code, which runs only in a folder that you trust: "
            "say so in the page, or with 'dovetail studio --trust'"
        )


@dataclass(frozen=True, slots=True)
class Offer:
    """Something to place: its group in the list, how a command names it, what is shown."""

    group: str
    model: str
    name: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class FolderLibrary:
    """Models of a folder; Python is run only if the folder is trusted."""

    folder: WorkFolder
    is_trusted: bool

    def offers(self) -> list[Offer]:
        """Everything that can be placed. Nothing is run for it: Python files are only read."""
        found = list[Offer]()
        for file in self.folder.files():
            path = Path(file.name)
            match file.kind:
                case "FMU":
                    found.append(Offer("FMUs", file.name, path.stem, str(path.parent)))
                case "table":
                    found.append(Offer("Data", file.name, path.stem, path.name))
                case "Python":
                    found += self._python(file.name)
                case "YAML" | "SSP" | "MasterSim":
                    found.append(Offer("Systems", file.name, path.stem, path.name))
        return found

    def model(self, text: str, options: Mapping[str, Any] | None = None) -> Model:
        """The model that a text names: `x.fmu`, `data.csv`, `models.py:mass`, `other.yaml`.

        Or `dovetail://HOST:PORT/NAME`, with the files in the folder that show who asks.
        """
        if is_address(text):
            ways = PartServers(self.folder).checked(options or {})
            return load_from(text, self.folder.root, PythonFiles(), ways)
        reference = Reference.parse(text)
        if reference is not None and not reference.is_file:
            raise FileError(text, "is no file of this folder", "write it as 'file.py:name'")
        path = self.folder.inside(text if reference is None else reference.home)
        suffix = path.suffix.lower()
        with self.permission():
            if reference is None and suffix not in (".fmu", ".py", *TABLES):
                return Nested(read(path))
            where = self.folder.name_of(path)
            named = where if reference is None else f"{where}:{reference.name}"
            return load_from(named, self.folder.root, PythonFiles(), dict(options or {}))

    @contextmanager
    def permission(self) -> Iterator[None]:
        """What surrounds everything that may run Python of users; TrustNeeded if it would."""
        with python_forbidden(wanted=not self.is_trusted) as refused:
            try:
                yield
            except DovetailError as error:
                if refused:
                    raise TrustNeeded(tuple(refused)) from error
                raise

    def _python(self, name: str) -> list[Offer]:
        """The models that a Python file seems to define at its top level."""
        path = self.folder.inside(name)
        try:
            if path.stat().st_size > _LARGEST:
                return []
            tree = ast.parse(path.read_bytes())
        except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
            return [Offer("Python", "", name, "this is not Python")]
        found = []
        for node in tree.body:
            targets, value = list[ast.expr](), None
            if isinstance(node, ast.Assign):
                targets, value = node.targets, node.value
            elif isinstance(node, ast.AnnAssign):
                targets, value = [node.target], node.value
            for target in targets:
                group = _made(value)
                if isinstance(target, ast.Name) and group:
                    found.append(Offer(group, f"{name}:{target.id}", target.id, name))
            if isinstance(node, ast.FunctionDef) and (group := _given(node)):
                found.append(Offer(group, f"{name}:{node.name}", node.name, name))
        return [offer for offer in found if offer.name[0] != "_"]


def _made(value: ast.expr | None) -> str:
    """The group of the model that an expression makes, as far as its text shows; else empty."""
    match value:
        case ast.Call(func=ast.Attribute(attr=called) | ast.Name(id=called)):
            return _GROUPS.get(called, "")
    return ""


def _given(node: ast.FunctionDef) -> str:
    """The same of a function that needs no arguments: by what it returns, or says to return."""
    needed = len(node.args.args) - len(node.args.defaults) + len(node.args.posonlyargs)
    if needed > 0 or None in node.args.kw_defaults:
        return ""
    match node.returns:
        case ast.Attribute(attr=said) | ast.Name(id=said) if said in _GROUPS:
            return _GROUPS[said]
    found = [_made(n.value) for n in ast.walk(node) if isinstance(n, ast.Return)]
    return next(filter(None, found), "")
