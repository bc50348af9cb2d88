"""Runs that are known by the values that they were asked for with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .outcome import RunOutcome
from .resets import ResetRuns, RunBlock
from .trial_run import StudyRun

Values = tuple[float, ...]  # of one run, in the order of what is free


@dataclass(frozen=True, slots=True, eq=False)
class AskedRuns:
    """One run at a time: what a process is sent."""

    names: tuple[str, ...]
    run: StudyRun

    def outcome(self, values: Values) -> RunOutcome:
        """What is kept of the run with these values."""
        return self.run.outcome(dict(zip(self.names, values, strict=True)))


@dataclass(frozen=True, slots=True, eq=False)
class AskedBlocks:
    """Several at once, by instances that are reset."""

    names: tuple[str, ...]
    resets: ResetRuns

    def made(self, rows: Sequence[Values]) -> RunBlock | None:
        """What came of them; None where each is to be made alone."""
        return self.resets.block([dict(zip(self.names, row, strict=True)) for row in rows])
