"""How a run went: as one JSON object for programs, as text for people."""

from __future__ import annotations

import base64
from dataclasses import asdict
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.calendar import Calendar
from .streams import say

if TYPE_CHECKING:
    from ..core.statistics import Effort
    from ..formats.families import Family
    from ..results.result import Result

SHOWN = 40  # final values
COUNTS = (
    "windows",
    "native_windows",
    "evaluations",
    "iterations",
    "iteration_limit_reached",
    "rejected_by_convergence",
    "rejected_by_error",
    "wall_seconds",
)


def fields(
    result: Result | None = None, output: Path | None = None, error: str | None = None
) -> dict[str, Any]:
    """The fields of `--json`; null where nothing is known."""
    facts = {} if result is None else result.facts
    counts = {} if result is None else asdict(result.statistics)
    verdict = None if result is None else result.verdict
    found: dict[str, Any] = {
        **{name: facts.get(name) for name in ("system", "start", "stop")},
        **{name: facts.get(name) for name in ("algorithm", "controller")},
        **{name: counts.get(name) for name in COUNTS},
        "final": {} if result is None else result.final,
        "output": None if output is None else str(output),
        "verdict": None if verdict is None else {**asdict(verdict), "status": verdict.status},
    }
    if error is not None:
        found["error"] = error
    return {name: jsonable(value) for name, value in found.items()}


def summary(result: Result, output: Path | None) -> None:
    """Final values, cost and verdict, to be read."""
    from ..formats.families import ALGORITHMS, CONTROLLERS

    facts, s = result.facts, result.statistics
    calendar = Calendar(**facts.get("calendar", {}))
    begin, end = (calendar.lasting(facts[name]) for name in ("start", "reached"))
    stamp = calendar.stamp(facts["reached"])
    when = f" ({stamp})" if stamp else ""
    say(f"{facts.get('system')}: {begin} to {end}{when}", bold=True)
    for family in (ALGORITHMS, CONTROLLERS):
        say(f"  {family.title:10}  {_brief(family, str(facts.get(family.title)))}")
    say()
    finals(result, "Final values")
    say()
    say("What it cost", bold=True)
    rejected = s.rejected_by_convergence + s.rejected_by_error
    counts = ((s.windows, "window"), (s.evaluations, "evaluation"), (s.iterations, "iteration"))
    counted = ", ".join(_counted(*one) for one in counts)
    if s.native_windows:
        where = "all" if s.native_windows == s.windows else str(s.native_windows)
        counted = counted.replace(",", f" ({where} natively),", 1)
    say(f"  {counted}")
    counted = f"{_counted(rejected, 'window')} rejected, {_counted(s.events, 'event')}"
    say(f"  {counted}, {s.wall_seconds:.3g} s")
    for part, e in s.effort_by_part.items():
        if e.newton_iterations:
            say(f"  in '{part}': {_spent(e)}")
    if result.verdict is not None:
        say()
        say("How far to believe it", bold=True)
        for line in result.verdict.lines():
            say(f"  {line}")
    if output is not None:
        say()
        say(f"Written: {output} ({len(result)} rows, {len(result.names)} variables)")


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _spent(e: Effort) -> str:
    """What solving equations cost, in the terms of the tables in the literature."""
    more = f" and {e.jacobian_evaluations} in them" if e.jacobian_evaluations else ""
    return (
        f"{e.steps} steps, {e.evaluations} function evaluations, {e.jacobians} Jacobians{more}, "
        f"{e.newton_iterations} Newton iterations"
    )


def finals(result: Result, title: str) -> None:
    """The last value of every variable, with its unit."""
    say(title, bold=True)
    names, units = result.names[:SHOWN], result.units
    width = max((len(name) for name in names), default=0)
    for name in names:
        value = result.final.get(name)
        text = f"{value:.9g}" if isinstance(value, float) else str(value)
        say(f"  {name:{width}}  {text} {units.get(name, '')}".rstrip())
    if len(result.names) > SHOWN:
        say(f"  and {len(result.names) - SHOWN} more; choose with --record")


def _brief(family: Family, text: str) -> str:
    """An algorithm or controller with the options that are not the usual ones."""
    from ..core.errors import OptionError
    from ..formats.choices import from_text
    from ..formats.families import called

    try:
        return called(from_text(family, text))
    except OptionError:  # one that has no name in files
        return text


def jsonable(value: Any) -> Any:
    """As JSON can hold it: no infinities, no bytes."""
    match value:
        case float() if not isfinite(value):
            return None
        case bytes():
            return base64.b64encode(value).decode()
        case dict():
            return {str(k): jsonable(v) for k, v in value.items()}
        case list() | tuple():
            return [jsonable(v) for v in value]
    return value
