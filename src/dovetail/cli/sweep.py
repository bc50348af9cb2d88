"""`dovetail sweep`: many runs of one system."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import run_options as option
from .failures import DOUBTFUL, FAILED
from .options import Json, Unsupported
from .streams import say

if TYPE_CHECKING:
    from ..studies.study import Study


def sweep(
    context: typer.Context,
    system: option.SystemFile,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FOLDER",
            help="Where the study is kept; there is no default. The same command goes on where it "
            "was stopped.",
        ),
    ],
    assignments: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="PART.NAME=VALUES",
            help="What is varied: a list, 'car.m=900,1200', a range to draw from, "
            "'damper.d=500:5000', or 'pid.Kp=normal(3,0.1)', 'k=log_uniform(1,1e4)'; may be given "
            "several times. Lists make a grid, and so do algorithm, controller, step, rtol and "
            "atol, and parts over FMUs, 'motor=a.fmu,b.fmu'; ranges are drawn together, --samples "
            "times. Without --points there is no default.",
        ),
    ] = None,
    points: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="What is varied together, from a CSV file: its first line has names, each other "
            "one is a run; with --set a run for each of its values. By default no file is read.",
        ),
    ] = None,
    samples: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="How often ranges are drawn; needed for them, and there is no default.",
        ),
    ] = None,
    method: Annotated[
        str, typer.Option(metavar="NAME", help="How: latin, sobol or random.")
    ] = "latin",
    seed: Annotated[
        int, typer.Option(metavar="N", help="The same number draws the same samples.")
    ] = 0,
    stop: option.Stop = None,
    start: option.Start = None,
    step: option.Step = None,
    algorithm: option.Algorithm = None,
    controller: option.Controller = None,
    record: option.Record = None,
    times: Annotated[
        int, typer.Option(metavar="N", help="At how many times signals are kept.")
    ] = 501,
    jobs: Annotated[
        int | None,
        typer.Option(metavar="N", help="How many processes; by default one for each core."),
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option(
            metavar="S", help="How long one run may take, in s. Without it there is no limit."
        ),
    ] = None,
    isolate: option.Isolate = None,
    sandbox: option.Sandbox = False,
    explain: Annotated[
        bool,
        typer.Option("--explain", help="Make one run, and say what all of them will take."),
    ] = False,
    unsupported: Unsupported = "error",
    json: Json = False,
    quiet: option.Quiet = False,
) -> int:
    """Run a system many times with other values; a run that fails or crashes is one row."""
    # Over 60 lines: half of it is the options of the command, which typer reads off it.
    from ..formats import read
    from ..run.run_request import no_stop
    from ..studies.rows_file import write_rows
    from ..studies.sweep import sweep as made
    from .plan import isolated
    from .varied import varied

    drawn = read(system, unsupported=unsupported)  # type: ignore[arg-type]
    if stop is None and drawn.run_settings.stop is None:
        raise no_stop(drawn, drawn.run_settings, "--stop %g")
    given: dict[str, Any] = {"stop": stop, "start": start, "step": step, "algorithm": algorithm}
    given |= {"controller": controller, "record": tuple(record) if record else None}
    given |= {"samples": samples, "method": method, "seed": seed, "times": times}
    given |= {"store": output, "jobs": jobs, "time_limit": time_limit, "explain": explain}
    given["placement"] = isolated(isolate, sandbox=sandbox)
    study = made(
        drawn, varied(drawn, assignments or (), points), progress=False if quiet else None, **given
    )
    if explain:
        say(str(study.estimate))
        return 0
    table = write_rows(study, output / "runs.csv")
    if json:
        context.obj.append(_fields(study, table))
    elif not quiet:
        for line in study.lines():
            say(line)
        say(f"Written: {table} (values, what became of each run, final values)")
    return _code(study)


def _code(study: Study) -> int:
    """1 if no run reached its end, 3 if any did not or is doubtful."""
    rows = study.rows
    if not any(row.done for row in rows):
        return FAILED
    return DOUBTFUL if study.failed or study.doubtful else 0


def _fields(study: Study, table: Path) -> dict[str, Any]:
    rows = study.rows
    counts: dict[str, int] = {}
    for row in rows:
        counts[row.status] = counts.get(row.status, 0) + 1
    return {
        "system": study.system,
        "runs": len(rows),
        "status": counts,
        "doubtful": len(study.doubtful),
        "table": str(table),
        "failed": [
            {"run": row.number, "values": row.values, "status": row.status, "reason": row.reason}
            for row in study.failed
        ],
    }
