"""Candidates against each other: the cheapest that is not done is taken one step finer.

So most of the time goes where it may decide something. One that is already far more costly than
another that is good enough is left where it stands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import inf, isfinite, log
from time import monotonic
from typing import Literal

from ...controllers import Controller, FixedStep
from ..outcome import RunOutcome
from .candidates import Candidate
from .timed_run import TimedRun

Cost = Literal["seconds", "evaluations"]

TIME_WAS_UP = "time was up"
_BEYOND = 4.0  # times the best cost: what is beyond is not looked at any further
_FAILURES = 6  # in a row
_STALLED = 0.9  # of the error before, twice: it no longer falls
_BETWEEN = 1.15  # times finer windows than needed are worth another run
_SURE = 0.93  # of the windows that should do


@dataclass(frozen=True, slots=True, eq=False)
class BenchmarkRow:
    """One run: what it was run with, what it cost, and how far off it was.

    `error` is the largest of any signal, as a share of its range. `status` is "done", or why there
    are no numbers, with the `reason`.
    """

    candidate: Candidate
    controller: Controller
    status: str
    error: float = float("nan")
    seconds: float = float("nan")
    evaluations: int = 0
    windows: int = 0
    reason: str = ""

    @property
    def done(self) -> bool:
        """Whether the run reached its end."""
        return self.status == "done"


@dataclass(slots=True, eq=False)
class Entrant:
    """A candidate on its way."""

    candidate: Candidate
    ladder: Iterator[Controller]
    rows: list[BenchmarkRow] = field(default_factory=list)
    ended: str = ""  # why it goes no finer
    failures: int = 0

    @property
    def good(self) -> list[BenchmarkRow]:
        """Its runs that reached their end."""
        return [row for row in self.rows if row.done]


@dataclass(slots=True, eq=False)
class Race:
    """All entrants, who makes their runs, and when it is over."""

    entrants: list[Entrant]
    make: Callable[[TimedRun], RunOutcome]
    tolerance: float
    cost: Cost
    span: float
    deadline: float
    moved: Callable[[int, int], None]  # entrants that are done, and runs
    best: float = inf

    def run(self) -> None:
        """Until everyone is done, or time is up."""
        while waiting := [e for e in self.entrants if not e.ended]:
            entrant = min(waiting, key=self._next)
            if monotonic() > self.deadline:
                for one in waiting:
                    one.ended = TIME_WAS_UP
                return
            if self._next(entrant) > _BEYOND * self.best:
                entrant.ended = f"more than {_BEYOND:g} times as costly as the best"
            else:
                self._step(entrant)
            done = sum(bool(e.ended) for e in self.entrants)
            self.moved(done, sum(len(e.rows) for e in self.entrants))

    def cost_of(self, row: BenchmarkRow) -> float:
        """What a run has cost."""
        return row.seconds if self.cost == "seconds" else float(row.evaluations)

    def _next(self, entrant: Entrant) -> float:
        """What its next run may cost: nothing is known of the first."""
        return 2.0 * self.cost_of(entrant.good[-1]) if entrant.good else 0.0

    def _step(self, entrant: Entrant) -> None:
        controller = next(entrant.ladder, None)
        if controller is None:
            entrant.ended = "there is nothing finer"
            return
        row = self._made(entrant, controller)
        if not row.done:
            entrant.failures += 1
            if row.status in ("refused", "crashed", "too long"):
                entrant.ended = row.reason
            elif entrant.failures >= _FAILURES:
                entrant.ended = f"it failed at {_FAILURES} sizes in a row: {row.reason}"
            return
        entrant.failures = 0
        if row.error <= self.tolerance:
            entrant.ended = "good enough"
            self.best = min(self.best, self.cost_of(row))
            self._between(entrant)
        elif _stalled(entrant.good):
            entrant.ended = f"its error no longer falls, {row.error:.1e}"

    def _between(self, entrant: Entrant) -> None:
        """Windows between the last that missed and the first that did not, if that may matter."""
        rows = entrant.good[-2:]
        if len(rows) < 2 or self.cost_of(rows[1]) > 2 * self.best:
            return
        coarse, fine = rows
        sizes = [c.size for c in (coarse.controller, fine.controller) if isinstance(c, FixedStep)]
        if len(sizes) < 2 or not 0 < fine.error < self.tolerance < coarse.error < inf:
            return
        share = log(self.tolerance / fine.error) / log(coarse.error / fine.error)
        wanted = sizes[1] * (sizes[0] / sizes[1]) ** share * _SURE
        if wanted < _BETWEEN * sizes[1]:
            return
        count = int(self.span / wanted) + 1
        row = self._made(entrant, FixedStep(self.span / count))
        if row.done and row.error <= self.tolerance:
            self.best = min(self.best, self.cost_of(row))

    def _made(self, entrant: Entrant, controller: Controller) -> BenchmarkRow:
        candidate = entrant.candidate
        number = sum(len(e.rows) for e in self.entrants)
        run = TimedRun(number, candidate.algorithm, controller, candidate.estimator)
        found = self.make(run)
        status, reason = found.status, _in_one_line(found.reason)
        if status == "done" and not isfinite(found.error):
            status, reason = "failed", "its signals are no numbers"
        numbers = found.error, found.seconds, found.evaluations, found.windows
        row = BenchmarkRow(candidate, controller, status, *numbers, reason)
        entrant.rows.append(row)
        return row


def _stalled(rows: list[BenchmarkRow]) -> bool:
    errors = [row.error for row in rows[-3:]]
    return (
        len(errors) == 3 and errors[1] > _STALLED * errors[0] and errors[2] > _STALLED * errors[1]
    )


def _in_one_line(reason: str) -> str:
    """A reason of several lines; what is listed in it stays apart."""
    first, *more = [" ".join(line.split()) for line in reason.splitlines() if line.strip()] or [""]
    listed = "; and ".join(more)
    return f"{first} {listed}" if first.endswith(":") else "; ".join([first, *more])
