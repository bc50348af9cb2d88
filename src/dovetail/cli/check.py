"""`dovetail check`: everything that can be said of a system before it runs."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .failures import WRONG
from .options import SYSTEM, Json, SkipUnzip, Unsupported
from .streams import say

if TYPE_CHECKING:
    from ..check.report import Report


def check(
    context: typer.Context,
    system: Annotated[Path, typer.Argument(metavar="SYSTEM", help=SYSTEM)],
    skip_unzip: SkipUnzip = False,
    unsupported: Unsupported = "error",
    json: Json = False,
) -> int:
    """List every problem of a system, and which algorithms it can be run with and why."""
    from ..fmi.archive.archive import extracted_beside
    from ..formats import read

    with extracted_beside(wanted=skip_unzip):
        drawing = read(system, unsupported=unsupported)  # type: ignore[arg-type]
    run = drawing.run
    span = None if run.stop is None else (run.start or 0.0, run.stop)
    report = drawing.system.check(run.algorithm, run.controller, span)
    if json:
        context.obj.append(_fields(report))
        return 0 if report.ok else WRONG
    for line in report.lines():
        say(line)
    if report.ok:
        from ..check.advice import advice_lines

        pilot = drawing.run.controller
        for line in advice_lines(drawing.system, None if pilot is None else pilot.first_size):
            say(line)
    return 0 if report.ok else WRONG


def _fields(report: Report) -> dict[str, Any]:
    """The report as JSON values."""
    native = report.native
    return {
        "system": report.system,
        "ok": report.ok,
        "problems": [asdict(p) for p in report.problems],
        "cycles": report.cycles,
        "loops": report.loops,
        "native": None
        if native is None
        else {
            "level": native.level,
            "coupling": report.coupling,
            "obstacles": [asdict(o) for o in native.obstacles],
        },
        "choices": [
            {
                "algorithm": repr(c.algorithm),
                "controller": c.controller,
                "possible": c.possible,
                "reason": c.reason,
            }
            for c in report.choices
        ],
    }
