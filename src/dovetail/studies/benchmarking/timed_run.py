"""One run of a benchmark: what it takes, and how far off it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from time import process_time
from typing import Any

import numpy as np

from ...algorithms import Algorithm
from ...controllers import Controller
from ...core.errors import InputError, RunError
from ...core.signals import Vector
from ...drawing.run_settings import RunSettings
from ...drawing.system import System
from ...estimators import Estimator
from ...models import merge
from ...results.comparison import compare
from ...results.recorders import Memory
from ...results.result import Result
from ...run.session import Session
from ..outcome import RunOutcome

QUICK = 0.2  # s: runs that take less are repeated, and the least counts
_REPEATED = 3
_FLAT = 1e-9  # of a signal's size: what varies less has no range to count in
_TIGHT = {"rtol": 1e-10, "atol": 1e-12}  # of merged equations
_ITERATIONS = {"rtol": 1e-9, "atol": 1e-11}  # of a reference
PART = "merged"


@dataclass(frozen=True, slots=True)
class TimedRun:
    """What is run: with which algorithm, windows and estimator.

    `keeps`: all rows are wanted. `merged`: the equations of all parts as one model.
    """

    number: int
    algorithm: Algorithm | None
    controller: Controller
    estimator: Estimator | None = None
    keeps: bool = False
    merged: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class RunTimer:
    """How a process makes timed runs: the system, its settings, and what is right."""

    system: System
    settings: RunSettings
    tolerance: float
    reference: tuple[Vector, Mapping[str, Vector]] | None = None

    def outcome(self, run: TimedRun) -> RunOutcome:
        """Seconds of process time, evaluations and windows; `error` as a share of ranges."""
        try:
            result, seconds = self._timed(run)
        except InputError as error:
            return RunOutcome("refused", str(error))
        except RunError as error:
            return RunOutcome("failed", str(error))
        except ArithmeticError as error:
            return RunOutcome("failed", f"numbers ran away: {error}")
        cost = result.statistics
        done = RunOutcome("done", evaluations=cost.evaluations, windows=cost.windows)
        done = replace(done, seconds=seconds)
        if run.keeps:
            names = tuple(n for n in result.names if result[n].dtype.kind == "f")
            rows = np.array([result[n] for n in names])
            short = tuple(n.removeprefix(f"{PART}.") if run.merged else n for n in names)
            done = replace(done, names=short, signals=rows, ends=tuple(result.time.tolist()))
        if self.reference is not None:
            done = replace(done, error=error_of(result, self.reference, self.tolerance))
        return done

    def _timed(self, run: TimedRun) -> tuple[Result, float]:
        least, found = float("inf"), None
        for _ in range(1 if run.keeps else _REPEATED):
            with Session(self._drawn(run), **self._options(run), quiet=True) as session:
                begin = process_time()
                found = session.run()
                least = min(least, process_time() - begin)
            if least > QUICK:
                break
        assert found is not None
        return found, least

    def _drawn(self, run: TimedRun) -> System:
        if not run.merged:
            return self.system
        whole = System(self.system.name)
        whole.add(PART, merge(self.system, **_TIGHT))
        return whole

    def _options(self, run: TimedRun) -> dict[str, Any]:
        settings = replace(self.settings, controller=run.controller, recorder=Memory())
        if run.merged:
            plain = {"start": settings.start, "stop": settings.stop, "recorder": Memory()}
            return {**plain, "controller": run.controller}
        settings = replace(settings, algorithm=run.algorithm)
        if run.estimator is not None:
            settings = replace(settings, estimators=dict.fromkeys(self.system.parts, run.estimator))
        given = settings.options()
        return {**given, **_ITERATIONS} if run.keeps else given


def error_of(
    result: Result, reference: tuple[Vector, Mapping[str, Vector]], tolerance: float
) -> float:
    """The largest error of any signal, as a share of its range in the reference."""
    time, columns = reference
    known = {
        n: row
        for n, row in columns.items()
        if n in result and np.ptp(row) > _FLAT * max(np.abs(row).max(), 1e-300)
    }
    if not known:
        return 0.0
    right = Result.of(time, known)
    found = compare(result, right, rtol=tolerance, atol=1e-300, pairs={n: n for n in known})
    spans = {n: float(np.ptp(row)) for n, row in known.items()}
    return max(d.error / spans[d.name] for d in found.differences)


def dense(
    time: Vector, rows: Vector, names: Sequence[str], factor: int = 4
) -> tuple[Vector, dict[str, Vector]]:
    """A reference at more times, along curves that cross no event."""
    from scipy.interpolate import Akima1DInterpolator

    edges = [0, *(np.flatnonzero(np.diff(time) <= 0) + 1).tolist(), time.size]
    times: list[Vector] = []
    values: list[Vector] = []
    for first, last in pairwise(edges):
        own, block = time[first:last], rows[:, first:last]
        if last - first > 2:
            places = np.arange(0, last - first - 1 + 0.5 / factor, 1 / factor)
            finer = np.interp(places, np.arange(last - first), own)
            finer[::factor] = own
            block, own = np.asarray(Akima1DInterpolator(own, block, axis=1)(finer)), finer
        times.append(own)
        values.append(block)
    every = np.concatenate(values, axis=1)
    return np.concatenate(times), dict(zip(names, every, strict=True))
