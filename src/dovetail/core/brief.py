"""An algorithm or the like as its user would write it."""

from __future__ import annotations

from dataclasses import MISSING, fields, is_dataclass
from typing import Any


def brief(thing: Any) -> str:
    """The class with the options that are not the usual ones: `GaussSeidel(50, inputs='ramp')`."""
    if not is_dataclass(thing) or isinstance(thing, type):
        return repr(thing)
    words = []
    for k, f in enumerate(fields(thing)):
        value = getattr(thing, f.name)
        usual = f.default if f.default_factory is MISSING else f.default_factory()
        if f.init and f.repr and not (type(value) is type(usual) and value == usual):
            words.append(brief(value) if k == 0 else f"{f.name}={brief(value)}")
    return f"{type(thing).__name__}({', '.join(words)})"
