"""`dovetail run`: run a system."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .failures import FAILED
from .streams import answer, remark, say

if TYPE_CHECKING:
    from ..formats import Drawing, RunSettings
    from ..result import Result
    from ..session import Session


def run(
    system: Annotated[Path, typer.Argument(help="The system: a .yaml or a .py file.")],
    stop: Annotated[float | None, typer.Option(help="When to stop, in s.")] = None,
    step: Annotated[float | None, typer.Option(help="Windows of this size, in s.")] = None,
    algorithm: Annotated[
        str | None,
        typer.Option(help="Such as 'jacobi' or 'gauss_seidel(max_iterations=20, inputs=ramp)'."),
    ] = None,
    controller: Annotated[
        str | None,
        typer.Option(help="Such as 'fixed_step(0.01)' or 'step_doubling(rtol=1e-4)'."),
    ] = None,
    rtol: Annotated[float | None, typer.Option(help="Relative tolerance of iterations.")] = None,
    atol: Annotated[float | None, typer.Option(help="Absolute tolerance of iterations.")] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Where results go: .parquet, .csv, .h5, .mat, .arrow, .tsv."
        ),
    ] = None,
    record: Annotated[
        list[str] | None,
        typer.Option(help="Which variables: a pattern such as 'prey.*'; may be repeated."),
    ] = None,
    test_init: Annotated[
        bool, typer.Option("--test-init", help="Find consistent start values, tell them, and stop.")
    ] = False,
    json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object on standard output.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but errors.")] = False,
    resume: Annotated[Path | None, typer.Option(help="Go on from a checkpoint.")] = None,
    checkpoint: Annotated[
        Path | None, typer.Option(help="Write checkpoints to this file, and one at the end.")
    ] = None,
    checkpoint_every: Annotated[
        float, typer.Option(metavar="SECONDS", help="How often, in seconds of waiting.")
    ] = 60.0,
) -> int:
    """Run a system. What is given here goes before what the file says."""
    from ..errors import RunError
    from ..formats import RunSettings, read
    from ..recorders import File, Memory
    from .outcome import fields, finals, summary

    drawing = read(system)
    here = RunSettings(
        stop=stop,
        algorithm=_named("algorithm", algorithm),
        controller=_rhythm(step, controller),
        rtol=_positive("rtol", rtol),
        atol=_positive("atol", atol),
        record=tuple(record) if record else None,
    )
    settings = _complete(here.over(drawing.run), system, needs_stop=not test_init)
    extra: dict[str, Any] = {
        "recorder": Memory() if output is None or test_init else File(output),
        "quiet": quiet,
        "resume": resume,
    }
    plan = _Plan(drawing, settings, extra, checkpoint, checkpoint_every)
    error = ""
    try:
        result = plan.start() if test_init else plan.run()
    except RunError as failure:
        error = str(failure)
        remark(error, fg="red")
        if failure.result is None:
            if json:
                answer(fields(error=error))
            return FAILED
        result = failure.result
    if json:
        answer(fields(result, None if test_init else output, error or None))
    elif test_init and not error:
        finals(result, f"{drawing.system.name}: start values at {result.time[-1]:g} s")
    elif not quiet:
        summary(result, output)
    return FAILED if error else 0


@dataclass(frozen=True, slots=True)
class _Plan:
    """A run that is about to begin."""

    drawing: Drawing
    settings: RunSettings
    extra: dict[str, Any]
    checkpoint: Path | None
    every: float

    def session(self) -> Session:
        from ..session import Session

        return Session(self.drawing.system, **self.settings.options(), **self.extra)

    def start(self) -> Result:
        """Only the start values."""
        with self.session() as session:
            return session.result

    def run(self) -> Result:
        """The whole run, with checkpoints if they are wanted."""
        from ..errors import Interrupted

        if self.checkpoint is None:
            with self.session() as session:
                return session.run()
        with self.session() as session:
            try:
                self._steps(session, self.checkpoint)
            except KeyboardInterrupt:
                raise Interrupted(session.time, session.stop) from None
        return session.result

    def _steps(self, session: Session, checkpoint: Path) -> None:
        due = perf_counter() + self.every
        while not session.finished:
            session.advance()
            if perf_counter() >= due:
                session.checkpoint(checkpoint)
                due = perf_counter() + self.every
        session.checkpoint(checkpoint)


def _named(option: str, text: str | None) -> Any:
    if text is None:
        return None
    from ..errors import InputError, OptionError
    from ..formats.choices import from_text
    from ..formats.families import ALGORITHMS, CONTROLLERS

    family = ALGORITHMS if option == "algorithm" else CONTROLLERS
    try:
        return from_text(family, text)
    except InputError as error:
        raise OptionError(f"--{option}: {error}") from None


def _rhythm(step: float | None, controller: str | None) -> Any:
    if step is None:
        return _named("controller", controller)
    from ..controllers import FixedStep
    from ..errors import OptionError

    if controller is not None:
        raise OptionError("give --step or --controller, not both")
    return FixedStep(step)


def _positive(option: str, value: float | None) -> float | None:
    from ..errors import OptionError

    if value is not None and not value > 0:
        raise OptionError(f"--{option} must be above zero, not {value:g}")
    return value


def _complete(settings: RunSettings, path: Path, *, needs_stop: bool) -> RunSettings:
    """The settings with a stop time; without one there is nothing to run to."""
    from ..errors import OptionError
    from ..formats import RunSettings

    if settings.stop is None and needs_stop:
        place = "run = dict(stop=...)" if path.suffix == ".py" else "'run: {stop: ...}'"
        raise OptionError(f"no stop time: give --stop, or write {place} in {path}")
    return settings.over(RunSettings(stop=settings.start or 0.0))
