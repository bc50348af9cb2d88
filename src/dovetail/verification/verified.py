"""A run whose verdict knows its error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from ..assembly.consistent import Consistent
from ..controllers.fixed_step import FixedStep
from ..core.errors import OptionError
from ..drawing.run_settings import RunSettings
from ..drawing.system import System
from ..run.run_request import RunRequest
from ..run.session import Session
from .begin import Verify, begin, check_way, usually
from .verified_recorder import VerifiedRecorder
from .window_ends import WindowEnds


@dataclass(frozen=True, slots=True, eq=False)
class VerifiedRun:
    """The settings of a run that is to be verified, and who wants to see its session."""

    settings: RunSettings
    attach: Callable[[Session], None]


@contextmanager
def verified(
    system: System,
    settings: RunSettings,
    verify: Verify | None,
    *,
    resume: Any = None,
    initialization: Consistent = Consistent(),
) -> Iterator[VerifiedRun]:
    """The settings for a run inside: recording goes on to be compared, where that is wanted."""
    if verify is None:
        verify = resume is None and usually(system, settings.over(system.run_settings))
    check_way(verify)
    if not verify:
        yield VerifiedRun(settings, lambda session: None)
        return
    if resume is not None:
        way_out = "verify the whole run, or leave verify= out"
        raise OptionError(f"a run that goes on from a checkpoint cannot be verified; {way_out}")
    if settings.record is not None and not isinstance(settings.record, str):
        settings = replace(settings, record=tuple(settings.record))  # it is read twice
    asked = RunRequest.of(system, settings, initialization)
    ends = None if isinstance(asked.controller, FixedStep) else WindowEnds()
    verification = begin(system, asked, verify, ends)
    try:
        recorder = VerifiedRecorder(asked.recorder, verification)
        yield VerifiedRun(replace(settings, recorder=recorder), verification.attach)
    finally:
        verification.close()
