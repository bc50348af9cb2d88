"""Runs by instances of FMUs that are reset between them, where that was seen to change nothing.

A reset is believed when a run, a reset, another run, a reset and the first run again gave what new
instances give, to the bit, at every row; and one run of each block is made by new instances as
well. What was found out otherwise is kept with the archive, so that no later study tries it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from time import perf_counter
from typing import Any

import numpy as np

from ..core.description import Variable
from ..core.errors import InputError, RunError
from ..core.signals import Vector
from ..core.values import Values
from ..drawing.limits import beyond
from ..results.result import Result
from ..run.repeated_rows import RepeatedRows, Unusual
from ..run.repeated_run import RepeatedRun
from ..subsystems.restart import SupportsRestart
from .common_times import CommonTimes
from .outcome import RunOutcome
from .space import Point
from .trial_run import StudyRun

_TRIES = 5  # pairs of points that may fail before a reset is given up
_UNUSUAL = 0.2  # of the runs: if more than that have to be made by new instances, all are


@dataclass(frozen=True, slots=True, eq=False)
class RunBlock:
    """The outcomes of some runs; `doubt`: why no reset is believed any more, theirs included."""

    outcomes: list[RunOutcome]
    doubt: str = ""


class ResetRuns:
    """Blocks of runs in one process."""

    def __init__(self, run: StudyRun, lane: RepeatedRun, places: dict[str, _Place]) -> None:
        self._run, self._lane, self._places = run, lane, places
        self._times = CommonTimes(run.times)
        self._state, self._tries = "new", 0
        self._made = self._unusual = self._turn = 0
        parts = run.variation.system.parts
        self._base: dict[str, Values] = {name: dict(p.values) for name, p in parts.items()}

    @staticmethod
    def of(run: StudyRun) -> ResetRuns | None:
        """Those of a study; None where its runs are made anew."""
        if run.verify:
            return None
        places = _places(run)
        if places is None:
            return None
        lane = RepeatedRun.of(run.variation.system, run.variation.settings, _given(run, places))
        return None if lane is None else ResetRuns(run, lane, places)

    def __reduce__(self) -> Any:
        return ResetRuns.of, (self._run,)  # another process decides for itself

    def block(self, points: Sequence[Point]) -> RunBlock | None:
        """The outcomes of these points; None where they are to be made one by one."""
        if len(points) < 2 or self._state == "given up":
            return None
        if self._state == "new":
            doubt = self._tried(points[0], points[1])
            if doubt is not None:
                return self._given_up(points, doubt) if doubt else None
        self._turn = (self._turn + 37) % len(points)
        found, checked = list[RunOutcome](), None
        for k, point in enumerate(points):
            outcome, rows = self._one(point)
            if rows is not None and (k == self._turn or checked is None):
                checked = k, outcome, _copy(rows)
            found.append(outcome)
        if checked is not None:
            k, outcome, rows = checked
            if doubt := self._differs(points[k], rows, outcome):
                return self._given_up(points, doubt)
        if self._unusual > 10 + _UNUSUAL * self._made:
            self._end()
        return RunBlock(found)

    def _one(self, point: Point) -> tuple[RunOutcome, RepeatedRows | None]:
        """One run, by a reset where that is possible."""
        begin, values = perf_counter(), self._values(point)
        self._made += 1
        if values is not None:
            try:
                rows = self._lane.run(values)
                return self._outcome(rows, begin), rows
            except Unusual:
                pass
        self._unusual += 1
        return self._run.outcome(point), None

    def _outcome(self, rows: RepeatedRows, begin: float) -> RunOutcome:
        """What is kept of a run; how it was made cannot be told from it."""
        return RunOutcome(
            "done",
            verdict="doubtful" if rows.doubtful else "not verified",
            evaluations=rows.evaluations,
            windows=rows.windows,
            names=self._names(rows),
            signals=self._times.of(rows.rows),
            seconds=perf_counter() - begin,
        )

    def _names(self, rows: RepeatedRows) -> tuple[str, ...]:
        return tuple(column.name for column in rows.columns)

    # whether a reset can be believed --------------------------------------------------------------

    def _tried(self, first: Point, second: Point) -> str | None:
        """None where it can; else why not, or nothing if these two points cannot tell."""
        self._tries += 1
        for point in (first, second, first):
            begin, values = perf_counter(), self._values(point)
            try:
                rows = None if values is None else self._lane.run(values)
            except Unusual:
                rows = None
            if rows is None:
                if self._tries == _TRIES:
                    self._end()
                return ""
            if doubt := self._differs(point, rows, self._outcome(rows, begin)):
                return doubt
        self._state = "believed"
        return None

    def _differs(self, point: Point, rows: RepeatedRows, outcome: RunOutcome) -> str:
        """How new instances differ in this run; empty where they do not, in any bit."""
        try:
            system, settings = self._run.variation.at(point)
            fresh = self._run.run(system, settings)
        except (InputError, RunError) as error:
            return f"after a reset a run reached its end, which new instances do not: {error}"
        if _same_rows(fresh, rows) and _same(self._run.outcome_of(fresh), outcome):
            return ""
        return "after a reset its numbers were not those of a new instance"

    def _given_up(self, points: Sequence[Point], doubt: str) -> RunBlock:
        """All of these by new instances; which of several FMUs was wrong is not known."""
        self._end()
        parts = self._run.variation.system.parts
        models = {id(p.adapted): p.adapted for p in parts.values()}
        if len(models) == 1:
            (model,) = models.values()
            assert isinstance(model, SupportsRestart)
            model.doubt_restart(doubt)
        return RunBlock([self._run.outcome(point) for point in points], doubt)

    def _end(self) -> None:
        self._state = "given up"
        self._lane.close()

    # values ---------------------------------------------------------------------------------------

    def _values(self, point: Point) -> dict[str, Values] | None:
        """By part, the values of a run; None where one has to be looked at more closely."""
        found = dict(self._base)
        changed: dict[str, dict[str, Any]] = {}
        for entry, value in point.items():
            place = self._places[entry]
            if type(value) not in (float, int) or not isfinite(value):
                return None
            if beyond(place.variable, float(value)) is not None:
                return None
            changed.setdefault(place.part, {})[place.variable.name] = float(value)
        for part, values in changed.items():
            found[part] = {**found[part], **values}
        return found


@dataclass(frozen=True, slots=True)
class _Place:
    """A single real variable of a part."""

    part: str
    variable: Variable


def _places(run: StudyRun) -> dict[str, _Place] | None:
    """What is varied, if all of it are real values of parts."""
    found = {}
    parts = run.variation.system.parts
    for entry, name in run.variation.names.items():
        part, _, variable = name.partition(".")
        if not variable or part not in parts:
            return None
        d = parts[part].description
        known = {v.name: v for v in (*d.inputs, *d.parameters)}
        if variable not in known or not known[variable].is_real or known[variable].shape:
            return None
        found[entry] = _Place(part, known[variable])
    return found


def _given(run: StudyRun, places: dict[str, _Place]) -> dict[str, tuple[str, ...]]:
    """By part, the variables that have values in every run."""
    found = {name: dict.fromkeys(p.values) for name, p in run.variation.system.parts.items()}
    for place in places.values():
        found[place.part][place.variable.name] = None
    return {name: tuple(names) for name, names in found.items()}


def _copy(rows: RepeatedRows) -> RepeatedRows:
    """The rows as they are now: the next run writes over them."""
    return RepeatedRows(
        rows.columns, rows.rows.copy(), rows.doubtful, rows.windows, rows.evaluations
    )


def _same_rows(fresh: Result, rows: RepeatedRows) -> bool:
    """Whether two runs have the same rows, to the bit."""
    names = [column.name for column in rows.columns]
    if list(fresh.names) != names or len(fresh) != len(rows.rows):
        return False
    columns = [fresh.time, *(fresh[name] for name in names)]
    return all(_bits(one) == _bits(rows.rows[:, k]) for k, one in enumerate(columns))


def _same(one: RunOutcome, other: RunOutcome) -> bool:
    """Whether the same is kept of two runs."""
    facts, others = one.facts(), other.facts()
    for known in (facts, others):
        del known["seconds"], known["error"]
    if facts != others or one.names != other.names:
        return False
    assert one.signals is not None and other.signals is not None
    return _bits(one.signals) == _bits(other.signals)


def _bits(values: Vector) -> bytes:
    return np.ascontiguousarray(values, dtype=float).tobytes()
