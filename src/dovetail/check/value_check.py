"""Values of a drawing that do not fit their variables, or lie beyond declared limits."""

from __future__ import annotations

from ..core.errors import Problem
from ..drawing.given_values import far_values, fitting_values
from ..drawing.limits import beyond
from ..drawing.part import Part
from ..drawing.system import System

_MOST = 3  # names in a remark


def value_problems(system: System) -> list[Problem]:
    """What cannot be given to a part, and what is given to it by force or by its own model."""
    return [p for part in system.parts.values() for p in _of(system, part)]


def _of(system: System, part: Part) -> list[Problem]:
    d, name = part.description, part.name
    found = fitting_values(name, d, part.values, force=part.forced)[1] if part.values else []
    for variable, far in far_values(d, part.values).items():
        if variable in part.forced:
            where = f"{name}.{variable}"
            found.append(Problem(where, f"'{where}' {far}; it was forced.", warning=True))
    return found + _by_declaration(system, part)


def _by_declaration(system: System, part: Part) -> list[Problem]:
    """Start values that a model declares beyond its own limits: those are its own matter."""
    d, odd = part.description, []
    for v in (*d.inputs, *d.parameters):
        given = v.start is None or v.name in part.values or system.is_fed(part.name, v.name)
        far = None if given else beyond(v, v.start)
        if far is not None:
            odd.append(f"'{part.name}.{v.name}' {far}")
    if not odd:
        return []
    more = f"; and {len(odd) - _MOST} more" if len(odd) > _MOST else ""
    what = f"start values that '{part.name}' declares beyond its own limits are kept"
    return [Problem(part.name, f"{what}: {'; '.join(odd[:_MOST])}{more}.", warning=True)]
