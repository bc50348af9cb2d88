"""How a result looks where it is printed."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING, Any

from .recorders.base import Column

if TYPE_CHECKING:
    from .result import Result

SHOWN = 12  # variables in a short description


def as_text(result: Result) -> str:
    """Final values, a line each."""
    lines, columns = [_headline(result)], result.table.columns
    width = max((len(c.name) for c in columns[:SHOWN]), default=0)
    for column in columns[:SHOWN]:
        unit = "" if column.unit is None else f" {column.unit}"
        lines.append(f"  {column.name:{width}}  ends at {_short(result.final, column)}{unit}")
    if len(columns) > SHOWN:
        lines.append(f"  and {len(columns) - SHOWN} more")
    return "\n".join(lines)


def as_html(result: Result) -> str:
    """The same as a table for notebooks."""
    columns = result.table.columns
    rows = "".join(
        f"<tr><td style='text-align:left'>{escape(c.name)}</td>"
        f"<td>{escape(_short(result.final, c))}</td><td>{escape(c.unit or '')}</td></tr>"
        for c in columns[:SHOWN]
    )
    more = len(columns) - SHOWN
    note = f"<p>and {more} more</p>" if more > 0 else ""
    return (
        f"<div><p>{escape(_headline(result))}</p><table><thead><tr><th>variable</th>"
        f"<th>final value</th><th>unit</th></tr></thead><tbody>{rows}</tbody></table>"
        f"{note}</div>"
    )


def _headline(result: Result) -> str:
    name = result.facts.get("system")
    of = f" of '{name}'" if name else ""
    number = len(result.table.columns)
    count = f"{number} variable{'s' * (number != 1)}"
    if not len(result):
        return f"Result{of}: {count}, no rows"
    rows = f"{len(result)} row{'s' * (len(result) != 1)}"
    end = "" if result.finished else "; the run did not reach its end"
    return f"Result{of}: {count}, {rows} from {result.time[0]:g} to {result.time[-1]:g} s{end}"


def _short(final: Mapping[str, Any], column: Column) -> str:
    value = final.get(column.name)
    if value is None:
        return "nothing"
    text = f"{value:.6g}" if column.is_real else str(value)
    return text if len(text) <= 40 else text[:37] + "..."
