"""One run of a study, in whatever process: it never raises for what the values do."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from time import perf_counter

import numpy as np

from ..core.errors import InputError, RunError
from ..core.signals import Vector
from ..drawing.run_settings import RunSettings
from ..drawing.system import System
from ..results.between_rows import between_rows
from ..results.recorders import Memory
from ..results.result import Result
from ..verification.begin import Verify
from .outcome import RunOutcome
from .space import Point
from .variation import Variation
from .warm import WarmRuns


@dataclass(frozen=True, slots=True, eq=False)
class StudyRun:
    """How every run of a study is made."""

    variation: Variation
    times: Vector
    verify: Verify
    warm: WarmRuns = field(default_factory=WarmRuns)

    def outcome(self, point: Point) -> RunOutcome:
        """What is kept of the run with these values."""
        begin = perf_counter()
        try:
            system, settings = self.variation.at(point)
            found = outcome_of(self.run(system, settings), self.times)
        except InputError as error:
            found = RunOutcome("refused", str(error))
        except KeyboardInterrupt:
            raise
        except RunError as error:
            found = RunOutcome("failed", str(error))
            if error.result is not None:
                found = outcome_of(error.result, self.times, str(error))
        return replace(found, seconds=perf_counter() - begin)

    def run(self, system: System, settings: RunSettings) -> Result:
        """The whole result of a run, every row."""
        return self.warm.run(system, settings, self.verify)

    def outcome_of(self, result: Result) -> RunOutcome:
        """What is kept of a result."""
        return outcome_of(result, self.times)

    def whole(self, point: Point) -> Result:
        """The run with these values once more, with all rows, whatever becomes of it."""
        system, settings = self.variation.at(point)
        return self.run(system, replace(settings, recorder=Memory()))


def outcome_of(result: Result, times: Vector, reason: str = "") -> RunOutcome:
    """A result at the common times; where a run ended early, NaN from there on."""
    names = tuple(n for n in result.names if result[n].dtype.kind in "fiub")
    signals = np.full((len(names), times.size), np.nan)
    if len(result):
        span = float(times[-1] - times[0])
        inside = times <= result.time[-1] + 1e-9 * span
        inside &= times >= result.time[0] - 1e-9 * span
        for row, name in zip(signals, names, strict=True):
            real = result.column(name).is_real
            row[inside] = between_rows(result.time, result[name], times[inside], name, real=real)
    verdict, cost = result.verdict, result.statistics
    return RunOutcome(
        "failed" if reason else "done",
        reason,
        verdict.status if verdict is not None else "not verified",
        float("nan") if verdict is None or verdict.error is None else verdict.error,
        cost.evaluations,
        cost.windows,
        names=names,
        signals=signals,
    )
