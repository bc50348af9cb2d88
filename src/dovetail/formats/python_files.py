"""Python files of users: executed once, their failures reported with file and line."""

from __future__ import annotations

import hashlib
import importlib
import inspect
import os
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from ..core.errors import DovetailError, FileError, did_you_mean
from ..core.guard import check_file
from .python_permission import check_permitted


class PythonFiles:
    """The Python files that one reading needs; each is executed once."""

    def __init__(self) -> None:
        self._executed: dict[str, ModuleType] = {}

    def module(self, path: Path) -> ModuleType:
        """What a file defines."""
        place = os.path.abspath(path)
        if place not in self._executed:
            self._executed[place] = _execute(path)
        return self._executed[place]

    def named(self, path: Path, name: str, fits: Callable[[Any], bool], what: str) -> Any:
        """The object of this name in a file, or what the function of this name returns."""
        module = self.module(path)
        return _found(module, str(path), name, fits, what)


def imported(module: str, name: str, fits: Callable[[Any], bool], what: str) -> Any:
    """The object of this name in a module that can be imported."""
    check_permitted(module)
    with _reporting(module, "importing it failed"):
        found = importlib.import_module(module)
    return _found(found, getattr(found, "__file__", None) or module, name, fits, what)


def suitable(module: ModuleType, fits: Callable[[Any], bool]) -> list[str]:
    """The names in a module whose objects fit."""
    return [name for name, value in vars(module).items() if name[0] != "_" and fits(value)]


def _execute(path: Path) -> ModuleType:
    check_file(path)
    check_permitted(path)
    try:
        source = path.read_bytes()
    except OSError as error:
        raise FileError(path, f"it cannot be read: {error.strerror}") from error
    mark = hashlib.sha256(os.path.abspath(path).encode()).hexdigest()[:8]
    module = ModuleType(f"_dovetail_{path.stem}_{mark}")
    module.__file__ = str(path)
    with _reporting(str(path), "executing it failed"), _importing_from(path.parent):
        code = compile(source, str(path), "exec", dont_inherit=True)
        sys.modules[module.__name__] = module  # dataclasses and pickle look there
        try:
            exec(code, module.__dict__)
        except BaseException:
            del sys.modules[module.__name__]
            raise
    return module


def _found(
    module: ModuleType, place: str, name: str, fits: Callable[[Any], bool], what: str
) -> Any:
    if not hasattr(module, name):
        near = did_you_mean(name, vars(module))
        there = ", ".join(suitable(module, fits))
        hint = near or (f" It has {there}." if there else "")
        raise FileError(place, f"there is no '{name}' in it.{hint}")
    value = getattr(module, name)
    if fits(value):
        return value
    if inspect.isfunction(value):
        needed = [p.name for p in inspect.signature(value).parameters.values() if _needed(p)]
        if needed:
            remedy = f"a function that makes {what} takes none"
            raise FileError(place, f"{name}() needs arguments ({', '.join(needed)})", remedy)
        with _reporting(place, f"calling {name}() failed"):
            value = value()
        if fits(value):
            return value
        raise FileError(place, f"{name}() returns {_kind(value)}, not {what}")
    raise FileError(place, f"'{name}' is {_kind(value)}, not {what}")


def _needed(parameter: inspect.Parameter) -> bool:
    empty = parameter.default is inspect.Parameter.empty
    return empty and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)


def _kind(value: Any) -> str:
    if inspect.isclass(value):
        return f"the class {value.__name__}"
    title = type(value).__name__
    article = "an" if title[0] in "aeiouAEIOU" else "a"
    return "None" if value is None else f"{article} {title}"


@contextmanager
def _reporting(place: str, what: str) -> Iterator[None]:
    """Make whatever goes wrong in a user's file a FileError that names file and line."""
    try:
        yield
    except SyntaxError as error:
        where = f"{error.filename or place}:{error.lineno}"
        raise FileError(where, f"this is not Python: {error.msg}") from error
    except FileError:
        raise
    except (Exception, SystemExit) as error:
        line = _line(error, place)
        where = f"{place}:{line}" if line else place
        kind = "" if isinstance(error, DovetailError) else f"{type(error).__name__}: "
        raise FileError(where, f"{what}: {kind}{error}") from error


def _line(error: BaseException, place: str) -> int | None:
    """The line in this file where it happened, or where the rest was called from."""
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == place]
    return lines[-1] if lines else None


@contextmanager
def _importing_from(folder: Path) -> Iterator[None]:
    """Let a file import its neighbours, as it would when run by Python."""
    place = os.path.abspath(folder)
    sys.path.insert(0, place)
    try:
        yield
    finally:
        if place in sys.path:
            sys.path.remove(place)
