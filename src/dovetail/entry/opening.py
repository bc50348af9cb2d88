"""Whatever can be run, as a system."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

from ..core.errors import OptionError
from ..drawing.system import System
from ..subsystems.subsystem import Model

Runnable: TypeAlias = System | Model | str | PathLike[str]


def system_from(given: Runnable, values: Mapping[str, Any] | None = None) -> System:
    """The system itself, one from a file, or a system of a single model.

    With `values` it is a copy that has them, so that what was given stays as it is.
    """
    found = _opened(given)
    if values is None:
        return found
    if not isinstance(values, Mapping):
        example = "{'part.name': 3.0}"
        raise OptionError(f"values must be values by name, as in {example}, not {values!r}")
    changed = found.copy()
    for name, value in values.items():
        changed.set(name, value)
    return changed


def _opened(given: Any) -> System:
    if isinstance(given, System):
        return given
    if isinstance(given, str | PathLike):
        from ..formats import open

        return open(Path(given))
    from ..formats.loading import is_model
    from ..formats.single_model import system_of

    if is_model(given):
        return system_of(given)
    title = f"the class {given.__name__}" if isinstance(given, type) else type(given).__name__
    what = "a dv.System, a model such as dv.load('x.fmu'), or the path of a file"
    raise OptionError(f"dv.simulate runs {what}, not {title}")
