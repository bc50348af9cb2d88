"""Values of a MasterSim project: text as what a variable takes, tables as what they feed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..core.description import Kind, Variable
from ..models import Table


def typed(table: Table, wanted: dict[str, str], kinds: dict[str, Kind]) -> Table:
    """The table with the types of the inputs it feeds; of rows with equal times the last."""
    plain = (Kind.INTEGER, Kind.BOOLEAN, Kind.STRING)
    types = {c: str(kinds[t]) for c, t in wanted.items() if kinds.get(t) in plain}
    times = table.times
    last = [*(times[1:] != times[:-1]), True]
    if all(last) and not types:
        return table
    columns = {name: values[last] for name, values in table.data.items()}
    return replace(table, time=times[last], columns=columns, types=types)


def value_of(variable: Variable | None, text: str) -> Any:
    """Text as a value of this variable; ValueError says why it is none."""
    if variable is None:
        return text  # refused later, with a hint
    match variable.kind:
        case Kind.REAL:
            words = text.split() or [""]
            return float(words[0]) if _is(float, words[0]) else _no(variable, text)
        case Kind.INTEGER:
            return int(text) if _is(int, text) else _no(variable, text)
        case Kind.ENUMERATION:
            return int(text) if _is(int, text) else text
        case Kind.BOOLEAN:
            if text.lower() not in ("true", "false", "1", "0", "yes", "no"):
                return _no(variable, text)
            return text.lower() in ("true", "1", "yes")
    return text


def _is(kind: type, text: str) -> bool:
    try:
        kind(text)
    except ValueError:
        return False
    return True


def _no(variable: Variable, text: str) -> Any:
    raise ValueError(f"must be a {variable.kind} value, not {text!r}")
