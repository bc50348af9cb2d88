"""A run as the command line asks for it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from ..core.errors import InputError, Interrupted, OptionError
from .streams import remark

if TYPE_CHECKING:
    from ..drawing.run_settings import RunSettings
    from ..drawing.system import System
    from ..results.result import Result
    from ..run.session import Session


@dataclass(frozen=True, slots=True)
class RunPlan:
    """A run that is about to begin; `every` is in seconds of waiting."""

    system: System
    settings: RunSettings
    more: dict[str, Any]  # options of a session beside the settings
    checkpoint: Path | None
    every: float
    folder: Path | None = None  # for files as MasterSim writes them
    verify: bool = False

    def start(self) -> Result:
        """Only the start values."""
        with self._session() as session:
            return session.result

    def run(self) -> Result:
        """The whole run, with checkpoints if they are wanted."""
        if self.folder is not None:
            return self._logged(self.folder)
        with self._session() as session:
            if self.checkpoint is None:
                return session.run()
            try:
                self._steps(session, self.checkpoint)
            except KeyboardInterrupt:
                raise Interrupted(session.time, session.stop) from None
        return session.result

    def _logged(self, folder: Path) -> Result:
        """Window by window, with a line for each, and files at the end, however that comes."""
        from ..results.files.mastersim import StepLine, write_folder

        lines: list[StepLine] = []
        if self.checkpoint is not None:
            raise OptionError("give --working-dir or --checkpoint, not both")
        with self._session() as session:
            try:
                while not session.finished:
                    before = session.time
                    session.advance()
                    lines.append(StepLine.of(session.time, session.time - before, session.counts))
            except KeyboardInterrupt:
                raise Interrupted(session.time, session.stop) from None
            finally:
                result = session.result
                write_folder(folder, result.table, result.statistics, session.calendar, lines)
        return result

    @contextmanager
    def _session(self) -> Iterator[Session]:
        from ..run.session import Session
        from ..verification.verified import verified

        resume = self.more["resume"]
        with (
            verified(self.system, self.settings, self.verify, resume=resume) as kept,
            Session(self.system, **kept.options(), **self.more) as session,
        ):
            yield session

    def _steps(self, session: Session, checkpoint: Path) -> None:
        session.checkpoint(checkpoint)  # what cannot be written is reported before the run
        due = perf_counter() + self.every
        while not session.finished:
            session.advance()
            if perf_counter() >= due:
                session.checkpoint(checkpoint)
                due = perf_counter() + self.every
        session.checkpoint(checkpoint)


def merged(system: System) -> System:
    """The same drawing as one part with one integrator, named after the system."""
    from ..drawing.system import System
    from ..models import merge

    whole = System(system.name)
    whole.add(re.sub(r"\W+", "_", system.name) or "system", merge(system))
    whole.run_settings = system.run_settings
    return whole


def as_recommended(asked: RunSettings, system: System) -> RunSettings:
    """What was asked for, and beside it what is recommended for this system."""
    from ..entry.recommended import recommended

    if asked.algorithm is not None:
        raise OptionError("give --recommended or --algorithm, not both")
    algorithm, controller = recommended(system, asked)
    return replace(asked, algorithm=algorithm, controller=controller)


def named(option: str, text: str | None) -> Any:
    """The algorithm or controller that an option names."""
    if text is None:
        return None
    from ..formats.choices import from_text
    from ..formats.families import ALGORITHMS, CONTROLLERS

    family = ALGORITHMS if option == "algorithm" else CONTROLLERS
    try:
        return from_text(family, text)
    except InputError as error:
        raise OptionError(f"--{option}: {error}") from None


def rhythm(step: float | None, controller: str | None) -> Any:
    """The controller: windows of one size, or the one that is named."""
    if step is None:
        return named("controller", controller)
    from ..controllers import FixedStep

    if controller is not None:
        raise OptionError("give --step or --controller, not both")
    return FixedStep(step)


def positive(option: str, value: float | None) -> float | None:
    """A tolerance that makes sense."""
    if value is not None and not value > 0:
        raise OptionError(f"--{option} must be above zero, not {value:g}")
    return value


def complete(settings: RunSettings, path: Path, *, needs_stop: bool) -> RunSettings:
    """The settings with a stop time; without one there is nothing to run to."""
    from ..drawing.run_settings import RunSettings

    if settings.stop is None and needs_stop:
        places = {
            ".py": "run = dict(stop=...)",
            ".ssp": '<DefaultExperiment stopTime="...">',
            ".ssd": '<DefaultExperiment stopTime="...">',
        }
        if path.suffix.lower() == ".fmu":
            way_out = "so give --stop, such as --stop 10"
            raise OptionError(f"no stop time: {path} names none, {way_out}")
        place = places.get(path.suffix.lower(), "'run: {stop: ...}'")
        raise OptionError(f"no stop time: give --stop, or write {place} in {path}")
    start = settings.start or 0.0
    if needs_stop and settings.stop is not None and settings.stop <= start:
        what = f"the stop time, {settings.stop:g} s, must lie behind the start, {start:g} s"
        raise OptionError(f"{what}; give --stop, or --test-init for the start values alone")
    size = getattr(settings.controller, "size", None)
    if needs_stop and settings.stop is not None and size and size > settings.stop - start:
        span = f"{settings.stop - start:g} s"
        remark(f"note: the windows, {size:g} s, are longer than the run, {span}: it has only one")
    return settings.over(RunSettings(stop=start))
