"""Runs with values that are known only as one goes along, as a fit has them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any

import numpy as np

from ..core.errors import InputError, RunError
from ..core.signals import Vector
from ..results.recorders import Memory
from ..results.result import Result
from .between_windows import along_curves
from .dask_engine import DaskEngine
from .given_windows import GivenWindows
from .local_pool import LocalPool
from .outcome import RunOutcome
from .variation import Variation
from .warm import WarmRuns


@dataclass(frozen=True, slots=True)
class Probe:
    """One run: under which conditions, with which values, over which windows.

    `ends`: those of its windows; none: as its controller sizes them.
    """

    number: int
    condition: int
    values: tuple[tuple[str, Any], ...]
    ends: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Condition:
    """Values that all runs under it have, and which signals are looked at, when."""

    values: tuple[tuple[str, Any], ...]
    signals: tuple[str, ...]
    times: Vector


@dataclass(frozen=True, slots=True, eq=False)
class ProbeRun:
    """How a probe is made: what a process is sent."""

    variation: Variation
    conditions: tuple[Condition, ...]
    keeps_ends: bool  # whether the ends of windows are wanted
    warm: WarmRuns = field(default_factory=WarmRuns)

    def outcome(self, probe: Probe) -> RunOutcome:
        """What became of it: its signals at the times that are looked at."""
        begin = perf_counter()
        condition = self.conditions[probe.condition]
        try:
            found = self._kept(self._result(probe, condition), condition)
        except InputError as error:
            found = RunOutcome("refused", str(error))
        except KeyboardInterrupt:
            raise
        except RunError as error:
            found = RunOutcome("failed", str(error))
        return replace(found, seconds=perf_counter() - begin)

    def _result(self, probe: Probe, condition: Condition) -> Result:
        system, settings = self.variation.at(dict(condition.values + probe.values))
        settings = replace(settings, record=condition.signals, recorder=Memory())
        if probe.ends:
            settings = replace(settings, controller=GivenWindows(probe.ends))
        return self.warm.run(system, settings, False)

    def _kept(self, result: Result, condition: Condition) -> RunOutcome:
        names, times = condition.signals, condition.times
        signals = np.array([along_curves(result, name, times) for name in names])
        ends = tuple(np.unique(result.time).tolist()) if self.keeps_ends else ()
        cost = result.statistics
        done = RunOutcome("done", names=names, signals=signals, ends=ends)
        return replace(done, evaluations=cost.evaluations, windows=cost.windows)


class ProbePool:
    """Makes probes side by side; its processes stay until it is closed. 0 jobs: in this one."""

    def __init__(
        self, run: ProbeRun, jobs: int, limit: float | None = None, engine: Any = "local"
    ) -> None:
        self.run = run
        self._pool: LocalPool[Probe] | DaskEngine[Probe] | None = None
        if engine != "local":
            self._pool = DaskEngine(engine, run.outcome)
        elif jobs:
            self._pool = LocalPool(run.outcome, jobs, limit)
        self.made = 0

    def outcomes(self, probes: Sequence[Probe]) -> list[RunOutcome]:
        """All of them, in the order given."""
        self.made += len(probes)
        if self._pool is None:
            return [self.run.outcome(probe) for probe in probes]
        found = dict(self._pool.outcomes(probes))
        return [found[probe] for probe in probes]

    def close(self) -> None:
        """No more are made."""
        if isinstance(self._pool, LocalPool):
            self._pool.close()
