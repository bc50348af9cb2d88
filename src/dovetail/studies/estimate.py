"""What a study will take, before it is made: from one measured run."""

from __future__ import annotations

from dataclasses import dataclass

from .outcome import RunOutcome


@dataclass(frozen=True, slots=True)
class StudyEstimate:
    """How many runs there are, how many are missing, and what these will take.

    `seconds` is that of one run, `duration` that of all on so many `jobs`, in s; `size` is what is
    kept of them, in bytes. `reason`: why the measured run did not reach its end.
    """

    runs: int
    missing: int
    jobs: int
    seconds: float
    duration: float
    size: int
    reason: str = ""

    @staticmethod
    def of(runs: int, missing: int, jobs: int, one: RunOutcome) -> StudyEstimate:
        """From one of the missing runs."""
        rows = 0 if one.signals is None else one.signals.nbytes
        side_by_side = max(jobs, 1)
        duration = one.seconds * missing / side_by_side
        return StudyEstimate(
            runs, missing, jobs, one.seconds, duration, missing * (rows + 200), one.reason
        )

    def __repr__(self) -> str:
        if not self.missing:
            return f"{self.runs} runs, all of which are there"
        some = "" if self.missing == self.runs else f", {self.missing} of which are missing"
        line = (
            f"{self.runs} runs{some}: one takes {self.seconds:.3g} s, all about "
            f"{_long(self.duration)} on {_processes(self.jobs)}, and {self.size / 1e6:.3g} MB of "
            "disk"
        )
        failed = f"\nThe one that was tried did not end well: {self.reason}" if self.reason else ""
        return line + failed


def _long(seconds: float) -> str:
    for size, unit in ((86400.0, "days"), (3600.0, "h"), (60.0, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.3g} s"


def _processes(jobs: int) -> str:
    return "1 process" if jobs < 2 else f"{jobs} processes"
