"""`dovetail check`: everything that can be said of a system before it runs."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import typer

from .failures import WRONG
from .options import Force, Json, SkipUnzip, Unsupported
from .run_options import SystemFile
from .streams import say

if TYPE_CHECKING:
    from ..check.report import Report


def check(
    context: typer.Context,
    system: SystemFile,
    skip_unzip: SkipUnzip = False,
    unsupported: Unsupported = "error",
    force: Force = False,
    json: Json = False,
) -> int:
    """List every problem of a system, and which algorithms it can be run with and why."""
    from ..drawing.limits import limits_lifted
    from ..fmi.archive.archive import extracted_beside
    from ..formats import read

    with extracted_beside(wanted=skip_unzip), limits_lifted(wanted=force):
        report = read(system, unsupported=unsupported).check()  # type: ignore[arg-type]
    if json:
        context.obj.append(_fields(report))
        return 0 if report.ok else WRONG
    for line in report.lines():
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
        "recommendation": _recommended(report),
    }


def _recommended(report: Report) -> dict[str, Any] | None:
    """As `--algorithm` and `--controller` take it."""
    from ..formats.families import called

    found = report.recommendation
    if found is None:
        return None
    windows = None if found.controller is None else called(found.controller)
    return {"algorithm": called(found.algorithm), "controller": windows, "why": found.why}
