"""What the check says of a drawing, as the page shows it. No part is started for it."""

from __future__ import annotations

from typing import Any

from ..check.checking import check
from ..core.errors import DovetailError, DrawingError, Problem
from ..drawing.system import System


def check_of(system: System, shown: System | None = None) -> dict[str, Any]:
    """Problems with their places, and the cycles: after every edit.

    With the drawing of a group that is shown, the cycles are those in it.
    """
    if shown is not None:
        return {**check_of(system), "cycles": check_of(shown)["cycles"]}
    asked = system.run_settings
    span = None if asked.stop is None else (asked.start or 0.0, asked.stop)
    try:
        report = check(
            system, asked.algorithm, asked.controller, span=span, live=False, choices=False
        )
    except DovetailError as error:
        return {"ok": False, "problems": [_problem(system, p) for p in _listed(error)],
                "cycles": [], "loops": []}  # fmt: skip
    return {
        "ok": report.ok,
        "problems": [_problem(system, p) for p in report.problems],
        "cycles": [list(c) for c in report.cycles],
        "loops": [list(loop) for loop in report.loops],
    }


def ways_of(system: System) -> list[dict[str, Any]]:
    """Which algorithms can run it, and why the others cannot; takes longer than the rest."""
    try:
        return [{"able": able, "what": what} for able, what in
                check(system, live=False).ways()]  # fmt: skip
    except DovetailError as error:
        return [{"able": False, "what": str(error)}]


def unsuitable_ends(system: System, end: str) -> dict[str, str]:
    """For a wire that begins or ends at `end`: why each other end does not fit; empty if it does.

    `end` is an output, an input or a power port; the answer names inputs, outputs or ports.
    """
    part, _, name = end.partition(".")
    d = system.parts[part].description if part in system.parts else None
    if d is None:
        return {}
    outputs, inputs = [v.name for v in d.outputs], [v.name for v in d.inputs]
    found: dict[str, str] = {}
    for other, one in system.parts.items():
        there = one.description
        if name in d.ports:
            for port in there.ports:
                to = f"{other}.{port}"
                if to != end:
                    found[to] = _reason(system.checked_junction((end, to), None, None, None)[1])
        elif name in outputs:
            for v in there.inputs:
                to = f"{other}.{v.name}"
                found[to] = _reason(system.checked_connection(end, to, 1.0, 0.0)[1])
        elif name in inputs:
            for v in there.outputs:
                to = f"{other}.{v.name}"
                found[to] = _reason(system.checked_connection(to, end, 1.0, 0.0)[1])
    return found


def _reason(problems: list[Problem]) -> str:
    return str(problems[0]) if problems else ""


def _listed(error: DovetailError) -> tuple[Problem, ...]:
    return error.problems if isinstance(error, DrawingError) else (Problem("", str(error)),)


def _problem(system: System, problem: Problem) -> dict[str, Any]:
    """With the part and the variable that it is about, as far as it names some."""
    part, _, variable = problem.where.partition(".")
    known = part in system.parts
    return {
        "what": problem.what,
        "warning": problem.warning,
        "part": part if known else "",
        "variable": variable if known else "",
    }
