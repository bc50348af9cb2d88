"""A hash that tells whether two drawings are the same."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType
from typing import Any

import numpy as np


def digest(value: Any) -> str:
    """A hash of a model or value that is equal in another process for an equal one.

    Functions count by what they do (byte code, constants, defaults, closure), not by where they
    are. Fields that do not count in comparisons, such as where a table was read, do not count
    here either. Objects that are no data count by their type.
    """
    return hashlib.sha256(repr(_plain(value, 0)).encode()).hexdigest()


def _plain(value: Any, depth: int) -> Any:
    if depth > 12:
        return "..."
    match value:
        case None | bool() | int() | float() | str() | bytes() | complex():
            return value
        case Enum():
            return str(value)
        case Path():
            return str(value)
        case np.ndarray():
            return value.dtype.str, value.shape, value.tobytes()
        case Mapping():
            return sorted((str(k), _plain(v, depth + 1)) for k, v in value.items())
        case set() | frozenset():
            return sorted(repr(_plain(v, depth + 1)) for v in value)
        case list() | tuple():
            return [_plain(v, depth + 1) for v in value]
        case FunctionType():
            cells = [_cell(c, depth) for c in value.__closure__ or ()]
            return _code(value.__code__), _plain(value.__defaults__, depth + 1), cells
        case BuiltinFunctionType():
            return value.__qualname__
        case _ if hasattr(value, "fingerprint"):
            return value.fingerprint()
        case _ if is_dataclass(value) and not isinstance(value, type):
            counted = (f.name for f in fields(value) if f.compare)
            data = [(name, _plain(getattr(value, name), depth + 1)) for name in counted]
            return type(value).__qualname__, data
        case _:
            return type(value).__qualname__


def _code(code: CodeType) -> Any:
    constants = [_code(c) if isinstance(c, CodeType) else repr(c) for c in code.co_consts]
    return code.co_code, code.co_names, constants


def _cell(cell: Any, depth: int) -> Any:
    try:
        return _plain(cell.cell_contents, depth + 1)
    except ValueError:  # an empty cell
        return None
