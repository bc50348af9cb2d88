"""How a result looks where it is printed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..core.harmless import harmless
from ..core.markup import card, folded, paragraph, table
from .recorders.base import Column

if TYPE_CHECKING:
    from .result import Result

SHOWN = 12  # variables in a short description
MOST = 500  # variables in a table


def as_text(result: Result) -> str:
    """Final values, a line each."""
    lines, columns = [_headline(result)], result.table.columns
    width = max((len(c.name) for c in columns[:SHOWN]), default=0)
    for column in columns[:SHOWN]:
        unit = "" if column.unit is None else f" {column.unit}"
        lines.append(f"  {column.name:{width}}  ends at {_short(result.final, column)}{unit}")
    if len(columns) > SHOWN:
        lines.append(f"  and {len(columns) - SHOWN} more")
    return harmless("\n".join(lines))


def as_html(result: Result) -> str:
    """For notebooks: how it was run, how far it can be believed, and final values."""
    heads = ("variable", "final value", "unit")
    rows = [(c.name, _short(result.final, c), c.unit or "") for c in result.table.columns]
    shown = [_run(result), table(heads, rows[:SHOWN], numbers=(1,))]
    if len(rows) > SHOWN:
        rest = table(heads, rows[SHOWN:MOST], numbers=(1,))
        if len(rows) > MOST:
            rest += paragraph(f"The other {len(rows) - MOST} are in result.names.")
        shown.append(folded(f"and {len(rows) - SHOWN} more", rest))
    return card(_headline(result), *shown)


def _run(result: Result) -> str:
    """What the run was, in a line, and its verdict, to be unfolded."""
    facts = result.facts
    counts = facts.get("statistics") or {}
    chosen = [str(facts[name]) for name in ("algorithm", "controller") if facts.get(name)]
    words = [text.partition("(")[0] for text in chosen]
    if windows := counts.get("windows"):
        words.append(f"{windows:,} windows in {counts.get('wall_seconds', 0.0):.3g} s")
    line = paragraph(", ".join(words)) if words else ""
    verdict = result.verdict
    return line if verdict is None else line + verdict._repr_html_()


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
