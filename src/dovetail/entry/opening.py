"""Whatever can be run, as a system."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

from ..core.errors import OptionError
from ..core.options import check_truth
from ..drawing.limits import limits_lifted
from ..drawing.system import System
from ..subsystems.subsystem import Model
from .values import with_values

Runnable: TypeAlias = System | Model | str | PathLike[str]


def system_from(
    given: Runnable, values: Mapping[str, Any] | None = None, *, force: bool = False
) -> System:
    """The system itself, one from a file, or a system of a single model.

    With `values` it is a copy that has them, so that what was given stays as it is. With `force`
    values beyond the limits that models declare are taken all the same.
    """
    check_truth("force", force)
    with limits_lifted(wanted=force):
        found = _opened(given)
    return found if values is None else with_values(found, values, force=force)


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
