"""`dovetail check`: everything that can be said of a system before it runs."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .completion.completers import files
from .failures import WRONG
from .guard import culprit_hint
from .native_plan import block_of, facts, shown, written
from .options import Force, Json, SkipUnzip, Unsupported
from .plan import isolated, named, rhythm
from .run_options import Algorithm, Controller, Isolate, Sandbox, Start, Step, Stop, SystemFile
from .streams import say
from .watch import watched

if TYPE_CHECKING:
    from ..check.report import Report


Plan = Annotated[
    bool,
    typer.Option(
        "--plan",
        help="Print what native code is told for a run, instead of the report: members, wires, "
        "order, solver, recorded columns, with sizes and a hash.",
    ),
]

PlanFile = Annotated[
    Path | None,
    typer.Option(
        "--plan-file",
        metavar="FILE",
        help="Write that plan to a file, as the block of bytes that native code reads.",
        autocompletion=files(),
    ),
]


def check(
    context: typer.Context,
    system: SystemFile,
    start: Start = None,
    stop: Stop = None,
    step: Step = None,
    algorithm: Algorithm = None,
    controller: Controller = None,
    isolate: Isolate = None,
    sandbox: Sandbox = False,
    plan: Plan = False,
    plan_file: PlanFile = None,
    skip_unzip: SkipUnzip = False,
    unsupported: Unsupported = "error",
    force: Force = False,
    json: Json = False,
) -> int:
    """List every problem of a system, and which algorithms it can be run with and why."""
    from ..drawing.limits import limits_lifted
    from ..drawing.run_settings import RunSettings
    from ..fmi.archive.archive import extracted_beside
    from ..formats import read

    with extracted_beside(wanted=skip_unzip), limits_lifted(wanted=force):
        drawn = read(system, unsupported=unsupported)  # type: ignore[arg-type]
        ways = named("algorithm", algorithm), rhythm(step, controller)
        places = isolated(isolate, sandbox=sandbox)
        asked = RunSettings(start, stop, *ways, placement=places)
        drawn.run_settings = asked.over(drawn.run_settings)
        with watched(
            hint=culprit_hint("check")
        ):  # FMUs are asked where they start, some only for what is shown
            report = drawn.check()
            answer: Any = None
            if json:
                answer = _fields(report) | {"plan": facts(drawn)}
            if report.ok and (plan or plan_file is not None):
                block = block_of(drawn)
                answer = shown(block) if plan and not json else answer
                if plan_file is not None:
                    written(block, plan_file)
            answer = report.lines() if answer is None else answer
    if json:
        context.obj.append(answer)
        return 0 if report.ok else WRONG
    for line in answer:
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
