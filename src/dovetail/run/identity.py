"""An algorithm or the like as data, to check whether a run goes on with the same one."""

from __future__ import annotations

from dataclasses import MISSING, fields, is_dataclass
from typing import Any


def identity(thing: Any) -> Any:
    """Its class and its options; the text of what is no dataclass."""
    if not is_dataclass(thing) or isinstance(thing, type):
        return repr(thing)
    counted = (f for f in fields(thing) if f.repr and f.compare)
    return [type(thing).__name__, {f.name: identity(getattr(thing, f.name)) for f in counted}]


def shown(found: Any) -> str:
    """It as text, as its class would show it."""
    if not _is_whole(found):
        return str(found)
    name, options = found
    return f"{name}({', '.join(f'{n}={shown(v)}' for n, v in options.items())})"


def is_same(found: Any, thing: Any) -> bool:
    """Whether data from a file is that of this thing.

    An option that the file does not have is newer than the file, and must be as usual.
    """
    if not is_dataclass(thing) or isinstance(thing, type):
        return bool(found == repr(thing))
    if not _is_whole(found) or found[0] != type(thing).__name__:
        return False
    counted = {f.name: f for f in fields(thing) if f.repr and f.compare}
    return set(found[1]) <= set(counted) and all(
        is_same(found[1][name], getattr(thing, name))
        if name in found[1]
        else getattr(thing, name) == (f.default if f.default is not MISSING else _made(f))
        for name, f in counted.items()
    )


def _made(field: Any) -> Any:
    return MISSING if field.default_factory is MISSING else field.default_factory()


def _is_whole(found: Any) -> bool:
    return isinstance(found, list) and len(found) == 2 and isinstance(found[1], dict)
