"""`dovetail run`: run a system."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from . import run_options as option
from .assignments import assign
from .doubt import exit_code
from .guard import culprit_hint
from .integrator import use
from .live import hold, shown
from .options import Force, Json, SkipUnzip, Unsupported
from .plan import PlannedRun, as_recommended, complete, isolated, merged, named, positive, rhythm
from .watch import watched

if TYPE_CHECKING:
    from ..results.result import Result


def run(
    context: typer.Context,
    system: option.SystemFile,
    stop: option.Stop = None,
    start: option.Start = None,
    step: option.Step = None,
    algorithm: option.Algorithm = None,
    controller: option.Controller = None,
    recommended: option.Recommended = False,
    rtol: option.Rtol = None,
    atol: option.Atol = None,
    integrator: option.Integrator = None,
    assignments: option.Assignments = None,
    force: Force = False,
    output: option.Output = None,
    record: option.Record = None,
    skip_unzip: SkipUnzip = False,
    unsupported: Unsupported = "error",
    kind: option.Kind = None,
    merge: option.Merge = False,
    every: option.Every = None,
    interpolate: option.Interpolate = False,
    thin: option.Thin = None,
    working_dir: option.WorkingDir = None,
    reference_date: option.ReferenceDate = None,
    test_init: option.TestInit = False,
    verify: option.Verify = None,
    live: option.Live = None,
    live_on: option.LiveOn = "auto",
    isolate: option.Isolate = None,
    sandbox: option.Sandbox = False,
    compile: option.Compile = None,
    json: Json = False,
    quiet: option.Quiet = False,
    resume: option.Resume = None,
    checkpoint: option.Checkpoint = None,
    checkpoint_every: option.CheckpointEvery = 60.0,
) -> int:
    """Run a system. Options given here override those in the file."""
    # Over 60 lines: half of it is the options of the command, which typer reads off it.
    from ..core.errors import RunError
    from ..drawing.limits import limits_lifted
    from ..drawing.run_settings import RunSettings
    from ..fmi.archive.archive import extracted_beside
    from ..formats import read
    from ..results.files.runfiles import check_place
    from .rows import Rows

    given: dict[str, Any] = {"working_folder": working_dir, "reference": reference_date}
    given |= {"kind": kind, "unsupported": unsupported}
    with extracted_beside(wanted=skip_unzip), limits_lifted(wanted=force):
        drawn = read(system, **{name: v for name, v in given.items() if v is not None})
    assign(drawn, assignments or (), force=force)
    drawn = merged(drawn) if merge else drawn
    here = RunSettings(
        start=start,
        stop=stop,
        algorithm=named("algorithm", algorithm),
        controller=rhythm(step, controller),
        rtol=positive("rtol", rtol),
        atol=positive("atol", atol),
        record=tuple(record) if record else None,
        placement=isolated(isolate, sandbox=sandbox),
        compile=compile,
    )
    here = as_recommended(here, drawn) if recommended else here
    settings = complete(here.over(drawn.run_settings), system, needs_stop=not test_init)
    if integrator is not None:
        pilot = settings.controller
        use(drawn, integrator, None if pilot is None else pilot.first_size)
    output = None if test_init else output
    if output is not None:
        check_place(output)
    # where they are now: a part may change the working directory on the way
    place, checkpoint, working_dir = map(_absolute, (output, checkpoint, working_dir))
    recorder = Rows(place, every, thin, interpolate).recorder(settings.recorder)
    settings = replace(settings, recorder=recorder)
    more = {"quiet": quiet, "resume": resume, "live": shown(live, live_on)}
    plan = PlannedRun(drawn, settings, more, checkpoint, checkpoint_every, working_dir, verify)
    report = RunReport(context.obj if json else None, output, shown=not quiet, start=test_init)
    try:
        with watched(output, hint=culprit_hint("run")):
            result = plan.start() if test_init else plan.run()
        with _told_when_interrupted(output):
            report.write(result)
            hold(live)
    except RunError as error:
        report.write(error.result, str(error))
        raise
    return exit_code(result, summarized=report.shown and not json)


@contextmanager
def _told_when_interrupted(output: Path | None) -> Iterator[None]:
    """After the run: there is a result, whatever is not shown of it."""
    try:
        yield
    except KeyboardInterrupt:
        where = "" if output is None else f"; its result is in {output}"
        raise KeyboardInterrupt(f"interrupted after the run had ended{where}") from None


def _absolute(path: Path | None) -> Path | None:
    return None if path is None else path.absolute()


@dataclass(frozen=True, slots=True)
class RunReport:
    """Reports how a run went, in the form that was asked for."""

    answers: list[Any] | None
    output: Path | None
    shown: bool
    start: bool

    def write(self, result: Result | None, error: str | None = None) -> None:
        """Say it, however the run ended."""
        from .outcome import fields, finals, summary

        if self.answers is not None:
            self.answers.append(fields(result, self.output, error))
        elif result is not None and self.start:
            finals(result, f"{result.facts['system']}: start values at {result.time[-1]:g} s")
        elif result is not None and self.shown:
            summary(result, self.output)
