"""A hash that is the same for equal drawings."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from functools import partial
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .connection import Connection
    from .junction import Junction
    from .part import Part


def digest(value: Any) -> str:
    """A hash of a model or value that is equal in another process for an equal one.

    Functions count by what they do (byte code, constants, defaults, closure), not by where they
    are. Fields that do not count in comparisons, such as where a table was read, do not count
    here either, nor do those that are as usual: a later version may have more of them. Objects
    that are no data count by their type.
    """
    return hashlib.sha256(repr(_plain(value, 0)).encode()).hexdigest()


def identity(value: Any) -> Any:
    """What `digest` is made of: plain data whose repr is complete."""
    return _plain(value, 0)


def drawing_digest(
    parts: Iterable[Part], connections: Iterable[Connection], junctions: Iterable[Junction]
) -> str:
    """The same of a whole drawing."""
    models = [(p.name, digest(p.model), digest(dict(sorted(p.values.items())))) for p in parts]
    wires = sorted(
        (str(c), c.total, c.table) if c.table else (str(c), c.total) for c in connections
    )
    joints = [(j.name, j.common, j.level, repr(j.coordinator)) for j in junctions]
    drawn = (models, wires, joints) if joints else (models, wires)
    return hashlib.sha256(repr(drawn).encode()).hexdigest()


def _plain(value: Any, depth: int) -> Any:
    """A value as data whose repr is complete, the same in every process."""
    if depth > 12:
        return "..."
    match value:
        case None | bool() | int() | float() | str() | bytes() | complex():
            return value
        case Enum() | Path():
            return str(value)
        case np.ndarray():
            return value.dtype.str, value.shape, value.tobytes()
        case Mapping():
            return [(str(k), _plain(v, depth + 1)) for k, v in value.items()]
        case set() | frozenset():
            return sorted(repr(_plain(v, depth + 1)) for v in value)
        case list() | tuple():
            return [_plain(v, depth + 1) for v in value]
        case _ if hasattr(value, "fingerprint") and not isinstance(value, type):
            return value.fingerprint()
        case _ if is_dataclass(value) and not isinstance(value, type):
            data = [(f, _plain(getattr(value, f.name), depth + 1)) for f in compared(value)]
            changed = [(f.name, seen) for f, seen in data if seen != _usual(f, depth)]
            return type(value).__qualname__, changed
        case _ if callable(value):
            return _callable(value, depth)
        case _:
            return type(value).__qualname__


def compared(value: Any) -> list[Any]:
    """The fields of a dataclass that say what it is."""
    return [f for f in fields(value) if f.compare]


def _usual(field: Field[Any], depth: int) -> Any:
    """What a field is when it is not given, as data."""
    made = field.default if field.default_factory is MISSING else field.default_factory()
    return _plain(made, depth + 1)


def _callable(function: Any, depth: int) -> Any:
    """A function by what it does, wherever it is."""
    match function:
        case FunctionType():
            cells = [_cell(c, depth) for c in function.__closure__ or ()]
            given = function.__defaults__, function.__kwdefaults__
            return _code(function.__code__, depth), _plain(given, depth + 1), cells
        case MethodType():
            owner = _plain(_state(function.__self__), depth + 1)
            return _callable(function.__func__, depth + 1), owner
        case partial():
            given = function.args, function.keywords
            return "partial", _plain(function.func, depth + 1), _plain(given, depth + 1)
        case type() | BuiltinFunctionType():
            return function.__qualname__
        case _:
            call = type(function).__call__
            body = _callable(call, depth + 1) if isinstance(call, FunctionType) else ""
            return type(function).__qualname__, body, _plain(_state(function), depth + 1)


def _state(value: Any) -> Any:
    return getattr(value, "__dict__", None) or type(value).__qualname__


def _code(code: CodeType, depth: int) -> Any:
    constants = [
        _code(c, depth) if isinstance(c, CodeType) else _plain(c, depth + 1) for c in code.co_consts
    ]
    return code.co_code, code.co_names, constants


def _cell(cell: Any, depth: int) -> Any:
    try:
        return _plain(cell.cell_contents, depth + 1)
    except ValueError:  # an empty cell
        return None
