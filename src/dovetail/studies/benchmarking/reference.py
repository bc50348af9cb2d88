"""What is right for a system, as far as that can be had.

Where all parts offer their equations they are merged and integrated as one, to 1e-10. Else the
tightest algorithm that runs is run at two small windows, and what their difference says of the
error that is left is taken off, as Richardson did. The difference also says how well it is known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from time import monotonic

import numpy as np

from ...algorithms import Algorithm, GaussSeidel, Missiles, Newton
from ...controllers import FixedStep
from ...core.brief import brief
from ...core.errors import RunError
from ...core.signals import Vector
from ...results.result import Result
from ...rootfinders import IqnIls
from ..local_pool import LocalPool
from ..outcome import RunOutcome
from .timed_run import RunTimer, TimedRun, dense, error_of

_WINDOWS = 500  # of a reference at first
_FAILURES = 3  # sizes at which an algorithm may fail
_MARGIN = 20.0  # times better than what is looked for
_TIGHTEST: tuple[Algorithm, ...] = (
    Missiles(),
    GaussSeidel(100, inputs="hermite", solver=IqnIls()),
    Newton(inputs="hermite"),
    GaussSeidel(100, inputs="ramp", solver=IqnIls()),
    Newton(inputs="ramp"),
    GaussSeidel(extrapolation=1),
    GaussSeidel(100),
    GaussSeidel(),
)


class NoReference(RunError):
    """Nothing runs this system, so that there is nothing to measure errors against."""


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """Times and signals, in which way they were found, and how far they may be off."""

    time: Vector
    columns: Mapping[str, Vector]
    way: str
    error: float  # as a share of ranges


def reference(
    timing: RunTimer, span: float, finest: float | None, budget: float, jobs: int
) -> Reference:
    """The tightest one that can be had in so many seconds."""
    count = _WINDOWS if finest is None else max(_WINDOWS, round(4 * span / finest))
    pool = LocalPool[TimedRun](timing.outcome, 1) if jobs else None
    try:
        maker = _Maker(timing, pool, span, monotonic() + budget)
        found = maker.merged(count)
        return found or maker.refined(count)
    finally:
        if pool is not None:
            pool.close()


@dataclass(slots=True)
class _Maker:
    timing: RunTimer
    pool: LocalPool[TimedRun] | None
    span: float
    deadline: float

    def merged(self, count: int) -> Reference | None:
        one = self._run(TimedRun(0, None, FixedStep(self.span / count), keeps=True, merged=True))
        if not one.done or one.signals is None:
            return None
        found = dense(np.array(one.ends), one.signals, one.names)
        return Reference(*found, "the equations of all parts, merged", 1e-8)

    def refined(self, count: int) -> Reference:
        best: Reference | None = None
        reasons = []
        for algorithm in _TIGHTEST:
            if best is not None and monotonic() > self.deadline:
                break
            found, reason = self._richardson(algorithm, count)
            reasons += [f"{brief(algorithm)}: {reason}"] if reason else []
            if found is not None and (best is None or found.error < best.error):
                best = found
            if best is not None and best.error * _MARGIN < self.timing.tolerance:
                break
        if best is None:
            listed = "; ".join(dict.fromkeys(reasons))
            raise NoReference(f"no algorithm gives a reference for this system: {listed}")
        return best

    def _richardson(self, algorithm: Algorithm, count: int) -> tuple[Reference | None, str]:
        """With windows that are halved until two runs agree well enough."""
        coarse: RunOutcome | None = None
        best: Reference | None = None
        failures = 0
        while True:
            size = self.span / count
            one = self._run(TimedRun(0, algorithm, FixedStep(size), keeps=True))
            if not one.done:
                failures += 1  # finer windows may hold
                late = best is not None or monotonic() > self.deadline
                if one.status != "failed" or late or failures > _FAILURES:
                    return best, one.reason
                coarse = None
            else:
                if coarse is not None:
                    best = self._between(coarse, one, algorithm, size)
                    if best.error * _MARGIN < self.timing.tolerance:
                        return best, ""
                coarse = one
            if monotonic() + 2 * one.seconds > self.deadline and (best or not one.done):
                return best, one.reason
            count *= 2

    def _between(
        self, coarse: RunOutcome, fine: RunOutcome, algorithm: Algorithm, size: float
    ) -> Reference:
        """The fine run without what its error must be, by how far it is from the coarse one."""
        assert coarse.signals is not None and fine.signals is not None
        before, now = np.array(coarse.ends), np.array(fine.ends)
        columns = dict(zip(fine.names, fine.signals, strict=True))
        result = Result.of(before, dict(zip(coarse.names, coarse.signals, strict=True)))
        apart = error_of(result, (now, columns), self.timing.tolerance)
        share = 1.0 / (2**algorithm.order - 1)
        rows = fine.signals
        smooth = now.size == 2 * before.size - 1 and np.all(np.diff(now) > 0)
        if smooth:
            off = fine.signals[:, ::2] - coarse.signals
            time = np.arange(before.size)
            places = np.arange(now.size) / 2
            rows = rows + share * np.array([np.interp(places, time, one) for one in off])
        words = f"{brief(algorithm)} at windows of {2 * size:g} and {size:g} s"
        way = f"{words}, extrapolated" if smooth else words
        return Reference(*dense(now, rows, fine.names), way, apart * (share if smooth else 1.0))

    def _run(self, run: TimedRun) -> RunOutcome:
        if self.pool is None:
            return self.timing.outcome(run)
        ((_, found),) = self.pool.outcomes([run])
        return found
