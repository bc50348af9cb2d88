"""Values for one run: the drawing with them, beside the one that stays as it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..core.errors import DrawingError, OptionError, Problem
from ..drawing.given_values import variable_of
from ..drawing.system import System


def with_values(system: System, values: Mapping[str, Any], *, force: bool = False) -> System:
    """A copy of the system that has these values; all that cannot be set is refused at once."""
    if not isinstance(values, Mapping):
        example = "{'part.name': 3.0}"
        raise OptionError(f"values must be values by name, as in {example}, not {values!r}")
    made, problems = system.copy(), list[Problem]()
    for name, value in values.items():
        try:
            made.set(full_name(made, name), value, force=force)
        except DrawingError as error:
            problems += error.problems
    if problems:
        raise DrawingError(problems, system.name)
    return made


def full_name(system: System, name: str) -> str:
    """The name with its part, which may be left out where there is only one.

    `name` itself where that is what it says, or cannot be found.
    """
    try:
        variable_of(system, name)
    except DrawingError:
        if len(system.parts) != 1:
            return name
    else:
        return name
    whole = f"{next(iter(system.parts))}.{name}"
    try:
        variable_of(system, whole)
    except DrawingError as error:
        return whole if "." not in name or "Did you mean" in str(error) else name
    return whole
