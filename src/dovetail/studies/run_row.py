"""What is known of one run of a study, beside its signals."""

from __future__ import annotations

from dataclasses import dataclass

from .space import Point


@dataclass(frozen=True, slots=True)
class RunRow:
    """One run: its number, the values it was given, what became of it, and what it cost.

    `status` is "done", "failed", "refused", "crashed", "too long" or "missing", `reason` says
    more; `error` is estimated, as a share of a range, NaN where it was not.
    """

    number: int
    values: Point
    status: str = "missing"
    verdict: str = ""
    error: float = float("nan")
    evaluations: int = 0
    windows: int = 0
    seconds: float = 0.0
    reason: str = ""

    @property
    def done(self) -> bool:
        """Whether it reached its end."""
        return self.status == "done"
