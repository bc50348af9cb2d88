"""The verdict of a run that was verified: what a companion showed, or why there is nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .child import CompanionProcess
from .companion import CompanionOutcome, Trajectory
from .distance import distance
from .estimate import ACCEPTED, ErrorEstimate, from_difference, from_rate


class Verification:
    """A companion on its way, and what its outcome means for a run."""

    def __init__(
        self,
        run: Callable[[], CompanionOutcome],
        nominal: Mapping[str, float],
        accepted: float = ACCEPTED,
    ) -> None:
        self._nominal, self._accepted = nominal, accepted
        self._process = CompanionProcess(run)

    def close(self) -> None:
        """End the companion, finished or not."""
        self._process.close()

    def amended(self, facts: Mapping[str, Any], course: Trajectory) -> dict[str, Any]:
        """The facts of a run with a verdict that knows the error."""
        verdict = dict(facts.get("verdict") or {})
        if not facts.get("finished"):
            self.close()
            return dict(facts)
        found = self.estimated(course)
        if isinstance(found, str):
            verdict |= {"unverified": found}
        else:
            verdict |= _told(found, verdict, self._accepted)
        return {**facts, "verdict": verdict}

    def estimated(self, course: Trajectory) -> ErrorEstimate | str:
        """The error of what was recorded; or why it is not known."""
        outcome = self._process.outcome()
        return estimated(outcome, course, self._nominal)


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


def _told(found: ErrorEstimate, verdict: Mapping[str, Any], accepted: float) -> dict[str, Any]:
    worst, error = found.worst, found.error
    doubtful = error is None or not error <= accepted or found.events_differ
    return {
        "error": error,
        "errors": dict(found.errors),
        "worst": worst,
        "worst_time": None if worst is None else found.times[worst],
        "verified_by": found.way,
        "events": list(found.events),
        "doubtful": doubtful,
    }
