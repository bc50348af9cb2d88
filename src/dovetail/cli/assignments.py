"""`--set part.name=value`: values of a drawing, given on the command line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..core.errors import DrawingError, Problem

if TYPE_CHECKING:
    from ..drawing.system import System


def assign(system: System, texts: Iterable[str], *, force: bool) -> None:
    """Set every value; all that cannot be set is refused at once.

    The name of the part may be left out where there is only one.
    """
    problems: list[Problem] = []
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign or not name.strip():
            what = f"--set '{text}': write part.name=value, such as pid.Kp=3."
            problems.append(Problem(text, what))
            continue
        try:
            _set(system, name.strip(), value, force=force)
        except DrawingError as error:
            found = error.problems
            problems += [Problem(p.where, f"--set '{text}': {p.what}") for p in found]
    if problems:
        raise DrawingError(problems, system.name)


def _set(system: System, name: str, text: str, *, force: bool) -> None:
    from ..drawing.given_values import variable_of
    from ..entry.values import full_name
    from ..formats.value_text import value_from_text

    name = full_name(system, name)
    variable = variable_of(system, name)
    try:
        value = value_from_text(variable, text)
    except ValueError as error:
        raise DrawingError([Problem(name, f"'{name}' {error}.")]) from None
    system.set(name, value, force=force)
