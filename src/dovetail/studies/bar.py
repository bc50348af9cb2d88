"""How far a study has come, shown while it runs."""

from __future__ import annotations

from ..core.seconds import Seconds
from ..observe.progress import Progress
from .outcome import RunOutcome


class RunCount(Seconds):
    """Shows numbers of runs where other bars show times."""

    def __init__(self, total: int) -> None:
        self._total = total

    def at(self, time: float) -> str:
        """`12 of 200 runs`."""
        return f"{time:.0f} of {self._total} runs"


class StudyBar:
    """A bar over the runs of a study."""

    def __init__(self, title: str, total: int, *, shown: bool | None) -> None:
        self._bar = Progress(0, total, title, RunCount(total), shown=shown, unit="failed")
        self._done, self._failed, self._total = 0, 0, total

    def __enter__(self) -> StudyBar:
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.close()

    def known(self, runs: int) -> None:
        """So many were made by an earlier call."""
        self._done += runs

    def count(self, outcome: RunOutcome) -> None:
        """One more has ended."""
        self._done = min(self._done + 1, self._total)  # some are made a second time
        self._failed += outcome.status != "done"
        self._bar.moved(self._done, self._failed)
