"""A model from a file."""

from __future__ import annotations

import inspect
import os
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from ..core.errors import FileError, OptionError, did_you_mean
from ..core.file_kinds import TABLES, system_kind
from ..core.guard import guarded
from ..core.options import check_path
from ..drawing.fingerprint import digest
from ..drawing.system import System
from ..machines.address import is_address
from ..subsystems.subsystem import Model
from .python_files import PythonFiles, imported, suitable
from .reference import Reference
from .referred_model import ReferredModel

_A_MODEL = "a model such as dv.Dynamic(...)"


def is_fmu(path: Path) -> bool:
    """Whether this is an FMU: by its suffix, or a folder that one was unpacked into."""
    return path.suffix.lower() == ".fmu" or (path / "modelDescription.xml").is_file()


def load(path: str | Path, **options: Any) -> Model:
    """A model from a file.

    `engine.fmu` is an FMU, with the options of `Fmu`, and so is a folder that one was unpacked
    into; `road.csv` (also .tsv, .txt, .xlsx and .parquet) is a table, with the options of
    `Table.read`; `models.py:prey` the model of that name in a Python file, or what the function
    of that name returns; `package.module:prey` the same in a module that can be imported.
    `dovetail://lab.example:4850/pump` is a part that a server offers; it takes `ca`, `cert`, `key`,
    `token` or `token_file`, and `timeout`. With `listen=True` it is waited for, `wait` seconds,
    until it dials in at that address.
    """
    check_path("a model", path)
    return load_from(path, Path(), PythonFiles(), options)


def load_from(
    path: str | Path, folder: Path, files: PythonFiles, options: Mapping[str, Any] | None = None
) -> Model:
    """As `load`, with paths relative to a folder, and Python files executed at most once."""
    with guarded(path, "cannot be read as a model"):
        return _loaded(path, folder, files, options)


def _loaded(
    path: str | Path, folder: Path, files: PythonFiles, options: Mapping[str, Any] | None
) -> Model:
    if is_address(path):
        return _remote(str(path), folder, dict(options or {}))
    if is_fmu(folder / path):
        return _fmu(folder / path, folder, dict(options or {}))
    if options and Path(path).suffix.lower() not in TABLES:
        raise OptionError(f"{path} takes no options such as {next(iter(options))}")
    reference = Reference.parse(str(path))
    if reference is not None:
        return _python(reference, folder, files)
    path = folder / path
    suffix = path.suffix.lower()
    if suffix in TABLES:
        return table_of_file(path, options or {})
    if suffix == ".py":
        raise _nameless(path, files)
    if system_kind(suffix) is not None:
        remedy = "open it with dv.open(...), and use it as a part with dv.Nested(...)"
        raise FileError(path, "this is a system, not a model", remedy)
    if path.is_dir():
        raise FileError(path, "is a folder", "name a file in it")
    known = (*TABLES, ".fmu", ".py")
    hint = did_you_mean(suffix, known)
    what = f"'{path.suffix}' is not a kind of model" if suffix else "has no suffix"
    kinds = f"an .fmu, a table ({', '.join(TABLES)}) or a name in Python (models.py:name)"
    remedy = f"a model is {kinds}.{hint}"
    raise FileError(path, what, remedy)


def _remote(address: str, folder: Path, options: dict[str, Any]) -> Model:
    from ..machines.remote_model import FILES, RemoteModel

    for name in FILES:
        if isinstance(options.get(name), str):
            options[name] = os.path.abspath(folder / options[name])
    return RemoteModel.load(address, **options)


def _python(reference: Reference, folder: Path, files: PythonFiles) -> ReferredModel:
    if not reference.is_file:
        model = imported(reference.home, reference.name, is_model, _A_MODEL)
    else:
        path = folder / reference.home
        model = files.named(path, reference.name, is_model, _A_MODEL)
        reference = replace(reference, home=os.path.abspath(path))
    return model if isinstance(model, ReferredModel) else ReferredModel(reference, model)


def _fmu(path: Path, folder: Path, options: dict[str, Any]) -> Model:
    from ..fmi.model import Fmu

    known = [f.name for f in fields(Fmu) if f.name != "path"]
    for name in options:
        if name not in known:
            hint = did_you_mean(name, known)
            raise OptionError(f"'{name}' is no option of an FMU.{hint}")
    if options.get("unpacked") is not None:
        options["unpacked"] = os.path.abspath(folder / options["unpacked"])
    return Fmu(os.path.abspath(path), **options)


def shared_folders(system: System) -> list[tuple[str, str]]:
    """Parts that are said to be extracted where another FMU is, and what is wrong with that."""
    from ..fmi.model import Fmu
    from ..fmi.parts.occupancy import shared

    homes: dict[Path, str] = {}
    found = []
    for name, part in system.parts.items():
        if isinstance(part.model, Fmu) and part.model.unpacked is not None:
            folder, path = part.model.archive.directory, part.model.path
            if homes.setdefault(folder, path) != path:
                found.append((name, f"part '{name}': {shared(homes[folder], path)}: {folder}."))
    return found


def table_of_file(path: Path, options: Mapping[str, Any]) -> Model:
    """The table in a file, read and played as the options say."""
    from ..models import Table

    known = [name for name in inspect.signature(Table.read).parameters if name != "path"]
    for name in options:
        if name not in known:
            hint = did_you_mean(name, known)
            raise OptionError(f"'{name}' is no option of a table.{hint}")
    return replace(Table.read(path, **options), path=os.path.abspath(path))


def options_of_table(model: Model) -> dict[str, Any]:
    """What a table was loaded with, but for what is so by default; OptionError if it changed."""
    from ..models import Table

    assert isinstance(model, Table) and model.path is not None
    usual = {f.name: f for f in fields(Table)}
    played = {
        name: getattr(model, name)
        for name in ("hold", "types", "interpolation", "outside")
        if getattr(model, name) not in (usual[name].default, {}, [], ())
    }
    options = {**model.reading, **played}
    if digest(table_of_file(Path(model.path), options)) != digest(model):
        what = f"it is no longer what '{model.path}' holds; save its columns as a file"
        raise OptionError(what)
    return {name: _listed(value) for name, value in options.items()}


def _listed(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    return value if isinstance(value, str | int | float | bool) else list(value)


def _nameless(path: Path, files: PythonFiles) -> FileError:
    names = suitable(files.module(path), is_model)
    remedy = f"name the model in it: {path.name}:{names[0] if names else 'name'}"
    others = f"; there are {', '.join(names)}" if len(names) > 1 else ""
    return FileError(path, "a Python file may hold several models", remedy + others)


def is_model(value: Any) -> bool:
    """Whether a value is a model, and not the class of one."""
    if inspect.isclass(value):
        return False
    return callable(getattr(value, "instantiate", None)) and hasattr(value, "description")
