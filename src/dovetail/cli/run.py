"""`dovetail run`: run a system."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .integrator import use
from .options import SYSTEM, SkipUnzip, Unsupported
from .plan import Plan, complete, merged, named, positive, rhythm
from .watch import watched

if TYPE_CHECKING:
    from ..result import Result


def run(
    context: typer.Context,
    system: Annotated[Path, typer.Argument(metavar="SYSTEM", help=SYSTEM)],
    stop: Annotated[float | None, typer.Option(metavar="T", help="When to stop, in s.")] = None,
    step: Annotated[
        float | None, typer.Option(metavar="H", help="Windows of this size, in s.")
    ] = None,
    algorithm: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="'jacobi', 'gauss_seidel(max_iterations=20)', ..."),
    ] = None,
    controller: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="'fixed_step(0.01)', 'step_doubling(rtol=1e-4)', ..."),
    ] = None,
    rtol: Annotated[
        float | None, typer.Option(metavar="X", help="Relative tolerance of iterations.")
    ] = None,
    atol: Annotated[
        float | None, typer.Option(metavar="X", help="Absolute tolerance of iterations.")
    ] = None,
    integrator: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Inside the parts: 'radau', 'mixed', 'mixed(0.04)', ..."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Results: .parquet, .csv, .h5, .mat, ..."
        ),
    ] = None,
    record: Annotated[
        list[str] | None,
        typer.Option(metavar="PATTERN", help="Which variables: 'prey.*'; may be repeated."),
    ] = None,
    skip_unzip: SkipUnzip = False,
    unsupported: Unsupported = "error",
    kind: Annotated[
        str | None,
        typer.Option(metavar="KIND", help="Of a single .fmu: 'co-simulation', 'model exchange'."),
    ] = None,
    merge: Annotated[
        bool, typer.Option("--merge", help="Solve the system as one, with one integrator.")
    ] = False,
    every: Annotated[
        float | None, typer.Option(metavar="H", help="Keep rows this far apart, in s.")
    ] = None,
    interpolate: Annotated[
        bool, typer.Option("--interpolate", help="Rows exactly there, by straight lines.")
    ] = False,
    thin: Annotated[
        float | None,
        typer.Option(metavar="X", help="Leave out rows that lines tell up to this relative bound."),
    ] = None,
    working_dir: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Also write values.csv, summary.txt, as MasterSim does."),
    ] = None,
    reference_date: Annotated[
        str | None, typer.Option(metavar="DATE", help="When time is zero: 2026-01-01T00:00:00.")
    ] = None,
    test_init: Annotated[
        bool, typer.Option("--test-init", help="Find consistent start values, tell them, and stop.")
    ] = False,
    json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object on standard output.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but errors.")] = False,
    resume: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Go on from a checkpoint.")
    ] = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write checkpoints to this file, and one at the end."),
    ] = None,
    checkpoint_every: Annotated[
        float, typer.Option(metavar="SECONDS", help="How often, in seconds of waiting.")
    ] = 60.0,
) -> int:
    """Run a system. What is given here goes before what the file says."""
    from ..errors import RunError
    from ..fmi.archive import extracted_beside
    from ..formats import RunSettings, read
    from ..recorders.runfiles import check_place
    from .rows import Rows

    told: dict[str, Any] = {"working_folder": working_dir, "reference": reference_date}
    told |= {"kind": kind, "unsupported": unsupported}
    with extracted_beside(wanted=skip_unzip):
        drawing = read(system, **{name: v for name, v in told.items() if v is not None})
    drawing = merged(drawing) if merge else drawing
    here = RunSettings(
        stop=stop,
        algorithm=named("algorithm", algorithm),
        controller=rhythm(step, controller),
        rtol=positive("rtol", rtol),
        atol=positive("atol", atol),
        record=tuple(record) if record else None,
    )
    settings = complete(here.over(drawing.run), system, needs_stop=not test_init)
    if integrator is not None:
        use(drawing.system, integrator, getattr(settings.controller, "first_size", None))
    output = None if test_init else output
    if output is not None:
        check_place(output)
    # where they are now: a part may change the working directory on the way
    place, checkpoint, working_dir = map(_absolute, (output, checkpoint, working_dir))
    recorder = Rows(place, every, thin, interpolate).recorder(settings.recorder)
    extra = {"recorder": recorder, "quiet": quiet, "resume": resume}
    options = {**settings.options(), **extra}
    plan = Plan(drawing.system, options, checkpoint, checkpoint_every, working_dir)
    report = Report(context.obj if json else None, output, shown=not quiet, start=test_init)
    try:
        with watched(output):
            result = plan.start() if test_init else plan.run()
        report.tell(result)
    except RunError as error:
        report.tell(error.result, str(error))
        raise
    return 0


def _absolute(path: Path | None) -> Path | None:
    return None if path is None else path.absolute()


@dataclass(frozen=True, slots=True)
class Report:
    """Says how a run went, in the form that was asked for."""

    answers: list[Any] | None
    output: Path | None
    shown: bool
    start: bool

    def tell(self, result: Result | None, error: str | None = None) -> None:
        """Say it, however the run ended."""
        from .outcome import fields, finals, summary

        if self.answers is not None:
            self.answers.append(fields(result, self.output, error))
        elif result is not None and self.start:
            finals(result, f"{result.facts['system']}: start values at {result.time[-1]:g} s")
        elif result is not None and self.shown:
            summary(result, self.output)
