"""A run whose verdict knows its error."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from ..assembly.consistent import Consistent
from ..core.errors import OptionError
from ..drawing.run_settings import RunSettings
from ..drawing.system import System
from ..run.run_request import RunRequest
from .begin import Verify, begin, check_way
from .verified_recorder import VerifiedRecorder


@contextmanager
def verified(
    system: System,
    settings: RunSettings,
    verify: Verify,
    *,
    resume: Any = None,
    initialization: Consistent = Consistent(),
) -> Iterator[RunSettings]:
    """The settings for a run inside: recording goes on to be compared, where that is wanted."""
    check_way(verify)
    if not verify:
        yield settings
        return
    if resume is not None:
        way_out = "verify the whole run, or leave verify= out"
        raise OptionError(f"a run that goes on from a checkpoint cannot be verified; {way_out}")
    if settings.record is not None and not isinstance(settings.record, str):
        settings = replace(settings, record=tuple(settings.record))  # it is read twice
    asked = RunRequest.of(system, settings, initialization)
    verification = begin(system, asked, verify)
    try:
        yield replace(settings, recorder=VerifiedRecorder(asked.recorder, verification))
    finally:
        verification.close()
