"""By what a run is known: the same key means the same run, in another process and next week.

The fingerprint of a drawing knows functions by their code. A study that goes on tomorrow also has
to notice that a global value has changed which such a function reads.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import partial
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from .. import __version__
from ..drawing.fingerprint import digest
from ..drawing.run_settings import RunSettings
from ..drawing.system import System
from ..run.identity import identity
from .space import Point

_KEPT_ELSEWHERE = ("recorder", "calendar", "placement")  # they do not change values


def base_key(system: System, settings: RunSettings, more: Any) -> str:
    """What all runs of a study have in common."""
    asked = settings.over(system.run_settings).options()
    ways = {n: _way(v) for n, v in sorted(asked.items()) if n not in _KEPT_ELSEWHERE}
    read = {name: globals_read(part.model) for name, part in sorted(system.parts.items())}
    return digest([__version__, system.fingerprint(), repr(ways), read, more])


def run_key(base: str, point: Point) -> str:
    """One run: what it has in common with the others, and its own values."""
    own = [(name, _value(value)) for name, value in sorted(point.items())]
    return hashlib.sha256(f"{base} {own!r}".encode()).hexdigest()


def _value(value: Any) -> Any:
    if isinstance(value, bool | int | float | str):
        return value
    return digest([value, globals_read(value)])


def _way(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: identity(one) for name, one in sorted(value.items())}
    return identity(value)


def globals_read(value: Any) -> dict[str, Any]:
    """The global values that functions inside of `value` read, by their names."""
    found: dict[str, Any] = {}
    for function in _functions(value, 0, set()):
        for name in _names(function.__code__):
            known = function.__globals__.get(name, found)
            if known is not found and not isinstance(known, ModuleType | type):
                found[f"{function.__module__}.{name}"] = known
    return found


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _functions(value: Any, depth: int, seen: set[int]) -> Iterator[FunctionType]:
    """The functions in a model or value, and those that they call by a global name."""
    if depth > 12 or id(value) in seen:
        return
    seen.add(id(value))
    inner: list[Any] = []
    match value:
        case FunctionType():
            yield value
            named = (value.__globals__.get(name) for name in _names(value.__code__))
            inner = [one for one in named if isinstance(one, FunctionType)]
            inner += [c.cell_contents for c in value.__closure__ or () if _is_filled(c)]
        case MethodType():
            inner = [value.__func__, value.__self__]
        case partial():
            inner = [value.func, *value.args, *value.keywords.values()]
        case Mapping():
            inner = list(value.values())
        case list() | tuple() | set() | frozenset():
            inner = list(value)
        case System():
            inner = [part.model for part in value.parts.values()]
        case _ if is_dataclass(value) and not isinstance(value, type):
            inner = [getattr(value, f.name) for f in fields(value)]
    for one in inner:
        yield from _functions(one, depth + 1, seen)


def _is_filled(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True
