"""`dovetail benchmark`: which algorithm and windows serve a system best."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import run_options as option
from .failures import DOUBTFUL
from .options import Json, Unsupported
from .streams import say

if TYPE_CHECKING:
    from ..studies.benchmarking.race import BenchmarkRow
    from ..studies.benchmarking.table import Benchmark


def benchmark(
    context: typer.Context,
    system: option.SystemFile,
    stop: option.Stop = None,
    start: option.Start = None,
    tolerance: Annotated[
        float,
        typer.Option(metavar="X", help="How large errors may be, as a share of each range."),
    ] = 1e-3,
    cost: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="What is to be little: seconds of process time, or evaluations, advances of "
            "all parts.",
        ),
    ] = "seconds",
    record: option.Record = None,
    budget: Annotated[
        float, typer.Option(metavar="S", help="About how long it may take, in s.")
    ] = 60.0,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="PICTURE",
            help="Where error over cost is drawn: a .png, .svg or .pdf. Without it nothing is.",
        ),
    ] = None,
    apply: Annotated[
        bool,
        typer.Option("--apply", help="Write the recommendation into the file, under run."),
    ] = False,
    unsupported: Unsupported = "error",
    json: Json = False,
    quiet: option.Quiet = False,
) -> int:
    """Run a system with every algorithm and controller that can, and recommend one of them."""
    # Over 60 lines: half of it is the options of the command, which typer reads off it.
    from ..drawing.run_settings import RunSettings
    from ..formats import read
    from ..formats.yaml_ways import write_ways
    from ..run.run_request import no_stop
    from ..studies.benchmark import benchmark as made

    drawn = read(system, unsupported=unsupported)  # type: ignore[arg-type]
    if stop is None and drawn.run_settings.stop is None:
        raise no_stop(drawn, drawn.run_settings, "--stop %g")
    given: dict[str, Any] = {"stop": stop, "start": start, "tolerance": tolerance, "cost": cost}
    given |= {"record": tuple(record) if record else None, "budget": budget}
    found = made(drawn, progress=False if quiet else None, **given)
    if output is not None:
        found.plot(output)
    if apply:
        found.apply(drawn)
        ways = drawn.run_settings
        chosen = RunSettings(None, None, ways.algorithm, ways.controller, ways.estimators)
        write_ways(system, chosen)
    if json:
        context.obj.append(_fields(found))
    elif not quiet:
        for line in found.lines():
            say(line)
        if output is not None:
            say(f"Written: {output}")
        if apply:
            say(f"Written into {system}")
    return 0 if found.recommended.error <= tolerance else DOUBTFUL


def _fields(found: Benchmark) -> dict[str, Any]:
    return {
        "system": found.system,
        "tolerance": found.tolerance,
        "reference": found.reference.way,
        "recommended": _row(found.recommended),
        "why": found.why,
        "runs": [_row(row) for row in found.rows],
        "ended": [{"algorithm": e.candidate.title, "why": e.ended} for e in found.entrants],
    }


def _row(row: BenchmarkRow) -> dict[str, Any]:
    from ..core.brief import brief

    numbers = {"error": row.error, "seconds": row.seconds} if row.done else {}
    return {
        "algorithm": row.candidate.title,
        "controller": brief(row.controller),
        "status": row.status,
        **numbers,
        "evaluations": row.evaluations,
        "windows": row.windows,
        "reason": row.reason,
    }
