"""The verdict of a run that was verified: what a companion showed, or why there is nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .child import CompanionProcess
from .companion import CompanionOutcome, Trajectory
from .distance import distance
from .estimate import ACCEPTED, ErrorEstimate, from_difference, from_rate


class Verification:
    """A companion on its way, or what it came to, and what that means for a run."""

    def __init__(
        self, companion: CompanionProcess | CompanionOutcome, nominal: Mapping[str, float]
    ) -> None:
        self._companion, self._nominal = companion, nominal

    def close(self) -> None:
        """End the companion, finished or not."""
        if isinstance(self._companion, CompanionProcess):
            self._companion.close()

    def amended(self, facts: Mapping[str, Any], course: Trajectory) -> dict[str, Any]:
        """The facts of a run with a verdict that knows the error."""
        if not facts.get("finished"):
            self.close()
            return dict(facts)
        outcome = self._companion
        if isinstance(outcome, CompanionProcess):
            outcome = outcome.outcome()
        found = estimated(outcome, course, self._nominal)
        more = {"unverified": found} if isinstance(found, str) else _told(found)
        return {**facts, "verdict": {**(facts.get("verdict") or {}), **more}}


def estimated(
    outcome: CompanionOutcome, course: Trajectory, nominal: Mapping[str, float]
) -> ErrorEstimate | str:
    """What a companion's outcome says of a run."""
    if outcome.course is None:
        return outcome.failure
    other = outcome.course
    near = distance(course.time, course.values, other.time, other.values, nominal)
    if outcome.coarser is None:
        return from_difference(near, outcome.way)
    far = distance(other.time, other.values, outcome.coarser.time, outcome.coarser.values, nominal)
    return from_rate(near, far, outcome.order, outcome.way)


def _told(found: ErrorEstimate) -> dict[str, Any]:
    """The fields of a verdict that an estimate fills in."""
    worst, error = found.worst, found.error
    doubtful = error is None or not error <= ACCEPTED or found.events_differ
    return {
        "error": error,
        "errors": dict(found.errors),
        "worst": worst,
        "worst_time": None if worst is None else found.times[worst],
        "verified_by": found.way,
        "events": list(found.events),
        "doubtful": doubtful,
    }
