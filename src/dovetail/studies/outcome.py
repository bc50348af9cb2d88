"""What is kept of one run of a study."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Literal

from ..core.signals import Vector

Status = Literal["done", "failed", "refused", "crashed", "too long"]
COSTS = ("evaluations", "windows", "seconds")


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """One run: what became of it, in words and numbers, and its signals at the common times.

    `status` is "done", "failed" where the run ended before its stop time, "refused" where the
    values did not fit the system, "crashed" where it took its process along, "too long" where it
    was ended at the time limit; `reason` says more. Of a run that failed, signals are NaN from
    there on.
    """

    status: Status
    reason: str = ""
    verdict: str = "not verified"
    error: float = float("nan")  # estimated, as a share of a range
    evaluations: int = 0
    windows: int = 0
    seconds: float = 0.0
    names: tuple[str, ...] = ()
    signals: Vector | None = None  # a row per name, a column per time
    ends: tuple[float, ...] = ()  # of its windows, where they were asked for

    def __reduce__(self) -> Any:
        return RunOutcome, tuple(getattr(self, f.name) for f in _FIELDS)  # quicker than by names

    @property
    def done(self) -> bool:
        """Whether it reached its end."""
        return self.status == "done"

    def facts(self) -> dict[str, Any]:
        """All but the signals."""
        return {
            "status": self.status,
            "verdict": self.verdict,
            "error": self.error,
            "evaluations": self.evaluations,
            "windows": self.windows,
            "seconds": self.seconds,
            "reason": self.reason,
        }


_FIELDS = fields(RunOutcome)
