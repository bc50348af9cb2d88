"""The verdict of a run that was verified: what a companion showed, or why there is nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from ..results.apart import range_of
from ..results.verdict import may_be_more
from ..run.session import Session
from .budget import Budget
from .companion import CompanionOutcome, Trajectory
from .distance import distance
from .estimate import ACCEPTED, ErrorEstimate, from_difference
from .window_ends import WindowEnds

_MORE = 1.05  # times as many rows: windows that a tolerance has made shorter
_SMALL = 1e-6  # of a range: a thousandth of it is the absolute tolerance of default windows
_TIGHT = 10  # times below the error of coupling must be what solvers leave


class Evidence(Protocol):
    """What a run is compared with, while it is being gathered."""

    def attach(self, session: Session) -> None:
        """The run that is verified begins."""

    def outcome(self) -> CompanionOutcome:
        """What was found; waits for it."""

    def close(self) -> None:
        """End it, finished or not."""


class Verification:
    """What a run is compared with, and what that means for it."""

    def __init__(
        self,
        evidence: Evidence,
        nominal: Mapping[str, float],
        budget: Budget | None = None,
        loosest: tuple[str, float] | None = None,
        ends: WindowEnds | None = None,
        limit: float = ACCEPTED,
    ) -> None:
        self._evidence, self._nominal, self._limit = evidence, nominal, limit
        self._budget, self._loosest, self.ends = budget, loosest, ends
        self.attach = evidence.attach

    def close(self) -> None:
        """End what is under way."""
        self._evidence.close()
        if self.ends is not None:
            self.ends.close()

    def amended(self, facts: Mapping[str, Any], course: Trajectory) -> dict[str, Any]:
        """The facts of a run with a verdict that knows the error."""
        if not facts.get("finished"):
            self.close()
            return dict(facts)
        known = facts.get("verdict") or {}
        if self._budget is not None:
            self._budget.tell(facts["statistics"]["evaluations"])
        if self.ends is not None:
            self.ends.end()
        found = estimated(self._evidence.outcome(), course, self._nominal)
        if isinstance(found, str):
            return {**facts, "verdict": {**known, "unverified": found}}
        notes = [*known.get("notes", ()), *self._solvers(found), *self._small(found, course)]
        told = _told(found, self._limit)
        if found.same_method and found.error is not None:
            kinds = [hint["kind"] for hint in known.get("hints", ())]
            told["doubtful"] |= may_be_more(found.error, self._limit, kinds)
        return {**facts, "verdict": {**known, **told, "notes": notes}}

    def _solvers(self, found: ErrorEstimate) -> list[str]:
        """Whether what was found may be what solvers inside parts leave, and not coupling."""
        if self._loosest is None or found.error is None:
            return []
        part, rtol = self._loosest
        if not rtol < found.error / _TIGHT:
            left = f"'{part}' is solved to {rtol:g} only, which is not {_TIGHT} times below that"
            return [f"{left}: the error may be that of solvers; give parts a smaller rtol."]
        return []

    def _small(self, found: ErrorEstimate, course: Trajectory) -> list[str]:
        """Whether the worst signal hardly moves: absolute tolerances are large beside it."""
        if found.worst is None or found.error is None or found.error <= self._limit:
            return []
        if not (moves := range_of(course.values[found.worst])) < _SMALL:
            return []
        return [
            f"{found.worst} moves by {moves:.2g} only, and absolute tolerances, 1e-9 where none is "
            "given, count against that: take another unit, or a smaller atol in parts and windows; "
            "where it should be zero, a share of its range says nothing."
        ]


def estimated(
    outcome: CompanionOutcome, course: Trajectory, nominal: Mapping[str, float]
) -> ErrorEstimate | str:
    """What a companion's outcome says of a run."""
    if outcome.course is None:
        return outcome.failure
    other, spikes = outcome.course, outcome.spikes
    if outcome.tighter and len(other.time) < _MORE * len(course.time):
        return f"{outcome.way} made no shorter windows, so that there is nothing to compare with"
    early = outcome.early, outcome.share
    both = course.time, course.values, other.time, other.values
    found = distance(*both, nominal, spikes=spikes, early=early)
    if not found.shares:
        return "no real signal was recorded, so that there is nothing to compare"
    way = f"a second run with {outcome.way}" if outcome.evaluations else outcome.way
    return from_difference(found, way, outcome.share, outcome.evaluations)


def _told(found: ErrorEstimate, limit: float) -> dict[str, Any]:
    """The fields of a verdict that an estimate fills in."""
    worst, error = found.worst, found.error
    doubtful = error is None or not error <= limit or found.events_differ
    return {
        "error": error,
        "error_limit": limit,
        "errors": dict(found.errors),
        "worst": worst,
        "worst_time": None if worst is None else found.times[worst],
        "verified_by": found.way,
        "events": list(found.events),
        "companion_evaluations": found.evaluations,
        "same_method": found.same_method,
        "doubtful": doubtful,
    }
