"""The variable that `part.variable` names, where a connection may end there."""

from __future__ import annotations

from collections.abc import Mapping

from ..core.errors import Problem, did_you_mean
from .connection import Endpoint
from .part import Part
from .tuning import unsuitable


def endpoint(
    parts: Mapping[str, Part], text: str, causality: str, problems: list[Problem]
) -> Endpoint | None:
    """An input, an output or a tunable parameter; None, and a problem more, if it is none."""
    part_name, dot, variable = str(text).partition(".")
    if not dot:
        what = f"'{text}' names no variable; write 'part.variable'."
        problems.append(Problem(str(text), what))
        return None
    part = parts.get(part_name)
    if part is None:
        what = f"there is no part '{part_name}'.{did_you_mean(part_name, parts)}"
        problems.append(Problem(text, what))
        return None
    d = part.description
    variable = d.aliases.get(variable, variable)
    wanted, others = (d.inputs, d.outputs) if causality == "input" else (d.outputs, d.inputs)
    for v in wanted:
        if v.name == variable:
            return Endpoint(part_name, v)
    settable = {v.name: v for v in d.parameters} if causality == "input" else {}
    if variable in settable and all(v.name != variable for v in others):
        hint = unsuitable(part.model, part_name, variable)
        if hint is None:
            return Endpoint(part_name, settable[variable])
        problems.append(Problem(text, f"'{text}' cannot be connected:{hint}"))
        return None
    article = "an input" if causality == "input" else "an output"
    if any(v.name == variable for v in others):
        other = "an output" if causality == "input" else "an input"
        hint = f" It is {other}; connect outputs to inputs."
    else:
        near = did_you_mean(variable, [v.name for v in wanted]).replace("'", f"'{part_name}.", 1)
        hint = near or f" It has: {', '.join(v.name for v in wanted) or 'none'}."
    what = f"'{text}' is not {article} of '{part_name}'.{hint}"
    problems.append(Problem(text, what))
    return None
