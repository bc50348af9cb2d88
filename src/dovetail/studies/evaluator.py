"""Runs for whoever asks: optimizers, samplers and loops of others."""

from __future__ import annotations

import os
import shutil
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..algorithms.base import Algorithm
from ..controllers.base import Controller
from ..core.errors import OptionError
from ..core.options import check_number, check_path, check_whole
from ..core.signals import Vector
from ..drawing.run_settings import RunSettings
from ..entry.naming import named_algorithm
from ..entry.opening import Runnable, system_from
from ..entry.simulate import windows_of
from ..hosts.placement import Placement, check_placement
from ..results.result import Result
from .asked_points import rows_of
from .asked_runs import AskedBlocks, AskedRuns, Values
from .dask_engine import DaskEngine, check_engine
from .free_values import free_values
from .identity import base_key, run_key
from .local_pool import LocalPool, cores
from .outcome import RunOutcome
from .plan import StudyPlan
from .resets import ResetRuns
from .space import Axis, Space
from .study import Study


class Evaluator:
    """A function of points that makes runs: `evaluator(points)` has a number for each.

    Points that are asked for together are run side by side. Processes stay until it is closed, so
    that a call of few points costs little more than their runs; `with` closes it. A point that was
    asked for before is not run again. A run that fails, hangs or takes its process along is NaN,
    and a row of `evaluator.study` with its reason.
    """

    def __init__(
        self,
        system: Runnable,
        free: Mapping[str, tuple[float | None, float | None]],
        value: Callable[[Result], Any],
        *,
        outputs: int = 1,
        stop: float | None = None,
        start: float | None = None,
        step: float | None = None,
        algorithm: Algorithm | str | None = None,
        controller: Controller | str | None = None,
        rtol: float | None = None,
        atol: float | None = None,
        record: str | Iterable[str] | None = None,
        times: int | ArrayLike = 501,
        store: str | Path | None = None,
        engine: Any = "local",
        jobs: int | None = None,
        time_limit: float | None = None,
        placement: Placement | None = None,
    ) -> None:
        """Nothing is run before it is asked.

        Args:
            system: A `dv.System`, a file, or a model, as in `dv.simulate`.
            free: What points give values to, and their limits for those who search:
                `{"damper.d": (100, 5000)}`; None is no limit.
            value: What is wanted of a run: a function of its result, at the times kept.
            outputs: How many numbers that gives.
            stop: When to stop, in s.
            start: When to start, in s.
            step: The size of windows, in s.
            algorithm: How values are exchanged, as in `dv.simulate`.
            controller: How long windows are, as in `dv.simulate`.
            rtol: Relative tolerance of iterations.
            atol: Absolute tolerance of iterations.
            record: Which variables are kept, as patterns.
            times: At which times signals are kept: so many from start to stop, or a list.
            store: A folder to keep all runs in.
            engine: "local", or a `dask.distributed.Client`.
            jobs: How many processes; as many as there are cores. 0: in this process.
            time_limit: How long one run may take, in s.
            placement: Where parts live, as in `dv.simulate`.
        """
        # Over 60 lines: most of it are the options and what they mean.
        check_placement(placement)
        check_whole("outputs", outputs)
        if jobs is not None:
            check_whole("jobs", jobs, least=0)
        if time_limit is not None:
            check_number("time_limit", time_limit, above=0)
        if store is not None:
            check_path("store", store)
        check_engine(engine, jobs, time_limit)
        if not callable(value):
            example = "lambda run: run['body.x'].max()"
            raise OptionError(f"value= is a function of a result, {example}, not {value!r}")
        self.free, self.outputs, self._value = free_values(free), outputs, value
        drawn = system_from(system)
        kept = record if record is None or isinstance(record, str) else tuple(record)
        ways = start, stop, named_algorithm(algorithm), windows_of(step, controller)
        settings = RunSettings(*ways, None, rtol, atol, kept, placement=placement)
        self._plan = StudyPlan.of(drawn, settings, self._space([]), times, False)
        self._base = base_key(drawn, settings, [self._plan.run.times.tolist(), False])
        self._folder = Path(mkdtemp(prefix="dovetail-asked-") if store is None else store)
        self._passing = store is None
        if self._passing:
            weakref.finalize(self, _forget, self._folder, os.getpid())
        self._jobs = cores() if jobs is None else jobs
        self._limit, self._engine = time_limit, engine
        self._pool: LocalPool[Values] | None = None
        self._asked: dict[Values, None] = {}  # in the order in which they were asked for first

    @property
    def names(self) -> list[str]:
        """What is free, in the order of the values of a point."""
        return [one.name for one in self.free]

    @property
    def limits(self) -> list[tuple[float, float]]:
        """The least and the largest value of each."""
        return [(one.low, one.high) for one in self.free]

    @property
    def study(self) -> Study:
        """All runs up to now, as a study with a row for each."""
        study = self._over(list(self._asked)).begun(self._folder)
        study.settled()
        return study

    def __call__(self, points: ArrayLike) -> Vector:
        """A number for each point, or a row of `outputs` numbers; NaN where the run failed."""
        rows = rows_of(points, self.names)
        if not rows:
            return np.empty((0, self.outputs) if self.outputs > 1 else 0)
        self._asked.update(dict.fromkeys(rows))
        plan = self._over(rows)
        study = plan.begun(self._folder)
        try:
            numbers = {rows[n]: n for n in reversed(plan.missing(study))}
            for row, outcome in self._outcomes(list(numbers)):
                study.keep(numbers[row], outcome)
        finally:
            study.settled()
        found = [self._of(study, n, done=row.done) for n, row in enumerate(study.rows)]
        values = np.array(found)
        return values if self.outputs > 1 else values[:, 0]

    # for those who ask ----------------------------------------------------------------------------

    def optuna(self, search: Any, trials: int, *, together: int | None = None) -> None:
        """Answer an Optuna study by its ask and tell, `together` trials at a time."""
        from .adapters.optuna import answer

        answer(self, search, trials, together or max(self._jobs, 1))

    def pymoo(self) -> Any:
        """A problem of pymoo, whose objectives are the values to be made small."""
        from .adapters.pymoo import problem

        return problem(self)

    def openturns(self) -> Any:
        """A function of OpenTURNS, which asks for whole samples."""
        from .adapters.openturns import function

        return function(self)

    def salib(self) -> dict[str, Any]:
        """What samplers and analyses of SALib are told of what is free."""
        return {
            "num_vars": len(self.free),
            "names": self.names,
            "bounds": [list(one) for one in self.bounded()],
        }

    def bounded(self) -> list[tuple[float, float]]:
        """The limits, where each has both."""
        for one in self.free:
            if not np.isfinite([one.low, one.high]).all():
                raise OptionError(f"'{one.name}' needs two limits for this, as in (100, 5000)")
        return self.limits

    # its life -------------------------------------------------------------------------------------

    def close(self) -> None:
        """End its processes. What was kept in a store holds all runs that were asked for."""
        if self._pool is not None:
            self._pool.close()
            self._pool = None
        if self._passing:
            _forget(self._folder, os.getpid())
        elif self._asked:
            self._over(list(self._asked)).begun(self._folder).settled()
        self._asked.clear()

    def __enter__(self) -> Evaluator:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # runs -----------------------------------------------------------------------------------------

    def _space(self, rows: Sequence[Values]) -> Space:
        names = tuple(one.name for one in self.free)
        return Space((Axis(" & ".join(names), names, tuple(rows)),))

    def _over(self, rows: Sequence[Values]) -> StudyPlan:
        space = self._space(rows)
        return replace(self._plan, space=space, keys=[run_key(self._base, p) for p in space])

    def _outcomes(self, rows: list[Values]) -> Iterator[tuple[Values, RunOutcome]]:
        made = AskedRuns(tuple(self.names), self._plan.run)
        if self._engine != "local":
            return DaskEngine(self._engine, made.outcome).outcomes(rows)
        if not self._jobs:
            return ((row, made.outcome(row)) for row in rows)
        if self._pool is None:
            resets = ResetRuns.of(self._plan.run)
            many = None if resets is None else AskedBlocks(made.names, resets).made
            self._pool = LocalPool(made.outcome, self._jobs, self._limit, many)
        return self._pool.outcomes(rows)

    def _of(self, study: Study, number: int, *, done: bool) -> list[float]:
        if not done:
            return [float("nan")] * self.outputs
        found = np.atleast_1d(np.asarray(self._value(study.run(number)), dtype=float))
        if found.shape != (self.outputs,):
            what = f"value= gave {found.size} numbers, and outputs= says {self.outputs}"
            raise OptionError(what)
        return [float(x) for x in found]


def _forget(folder: Path, process: int) -> None:
    """A folder that was made for it goes with it; not in a copy of the process."""
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)
