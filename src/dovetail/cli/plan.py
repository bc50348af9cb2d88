"""A run as the command line asks for it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.errors import InputError, Interrupted, OptionError
from .streams import remark

if TYPE_CHECKING:
    from ..drawing.run_settings import RunSettings
    from ..drawing.system import System
    from ..hosts import Placement
    from ..results.result import Result
    from ..run.session import Session


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """A run that is about to begin; `every` is in seconds of waiting."""

    system: System
    settings: RunSettings
    more: dict[str, Any]  # options of a session beside the settings
    checkpoint: Path | None
    every: float
    folder: Path | None = None  # for files as MasterSim writes them
    verify: bool | None = None

    def start(self) -> Result:
        """Only the start values."""
        with self._session() as session:
            return session.result

    def run(self) -> Result:
        """The whole run, with checkpoints if they are wanted."""
        from ..entry.second_try import planned_anew

        return planned_anew(self.system, self.settings, self._ran)

    def _ran(self) -> Result:
        if self.folder is not None:
            return self._logged(self.folder)
        with self._session() as session:
            return session.run(checkpoint=self.checkpoint, every=self.every)

    def _logged(self, folder: Path) -> Result:
        """Window by window, with a line for each, and files at the end, however that comes."""
        from ..algorithms import GaussSeidel, Jacobi, Newton
        from ..results.files.mastersim import MasterCounts, StepLine, write_folder

        lines: list[StepLine] = []
        chosen = self.settings.algorithm
        stands = isinstance(chosen, GaussSeidel | Jacobi | Newton) and chosen.on_limit == "accept"
        retries = not stands
        if self.checkpoint is not None:
            raise OptionError("give --working-dir or --checkpoint, not both")
        with self._session() as session:
            try:
                while not session.finished:
                    before = session.time
                    session.advance()
                    counts = MasterCounts.of(session.counts, retries=retries)
                    lines.append(StepLine(session.time, session.time - before, counts))
            except KeyboardInterrupt:
                raise Interrupted(session.time, session.stop) from None
            finally:
                result = session.result
                made = result.table, result.statistics, session.calendar, lines
                write_folder(folder, *made, retries=retries)
        return result

    @contextmanager
    def _session(self) -> Iterator[Session]:
        from ..run.session import Session
        from ..verification.verified import verified

        resume = self.more["resume"]
        with (
            verified(self.system, self.settings, self.verify, resume=resume) as run,
            Session(self.system, **run.settings.options(), **self.more) as session,
        ):
            run.attach(session)
            yield session


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


def isolated(patterns: Sequence[str] | None, *, sandbox: bool = False) -> Placement | None:
    """A host for each part that is named; for each FMU where nothing is."""
    if not patterns and not sandbox:
        return None
    from ..hosts import Isolated

    alone = Isolated(sandbox=sandbox)
    return {p: alone for p in patterns} if patterns and "" not in patterns else alone


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
    from ..core.file_kinds import system_kind
    from ..drawing.run_settings import RunSettings
    from ..formats.companions import Companions

    if settings.stop is None and needs_stop:
        kind = system_kind(path.suffix)
        if kind is None or not kind.stop_place:
            stop, why = Companions(path).proposed_stop(settings)
            way_out = f"so give --stop, such as --stop {stop:g}{why}"
            raise OptionError(f"no stop time: {path} names none, {way_out}")
        raise OptionError(f"no stop time: give --stop, or write {kind.stop_place} in {path}")
    start = settings.start or 0.0
    if needs_stop and settings.stop is not None and settings.stop <= start:
        what = f"the stop time, {settings.stop:g} s, must lie behind the start, {start:g} s"
        raise OptionError(f"{what}; give --stop, or --test-init for the start values alone")
    size = getattr(settings.controller, "size", None)
    if needs_stop and settings.stop is not None and size and size > settings.stop - start:
        span = f"{settings.stop - start:g} s"
        remark(f"note: the windows, {size:g} s, are longer than the run, {span}: it has only one")
    return settings.over(RunSettings(stop=start))
