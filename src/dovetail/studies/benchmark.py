"""Which algorithm and which windows serve a system best."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from time import monotonic

from ..check.planner import Planner
from ..controllers.fixed_step import FixedStep
from ..core.calls import worded_call
from ..core.errors import OptionError
from ..core.options import check_number, check_whole
from ..drawing.run_settings import RunSettings
from ..entry.opening import Runnable, system_from
from ..observe.progress import Progress
from ..run.requests import check_span
from ..run.run_request import no_stop
from .bar import RunCount
from .benchmarking.candidates import candidates
from .benchmarking.race import Cost, Entrant, Race
from .benchmarking.reference import reference
from .benchmarking.table import Benchmark
from .benchmarking.timed_run import RunTimer, TimedRun
from .local_pool import LocalPool
from .outcome import RunOutcome

_ELSEWHERE = {
    **dict.fromkeys(("rtol", "accuracy", "error"), "it is tolerance=1e-3"),
    **dict.fromkeys(("time", "timeout", "seconds", "time_limit"), "it is budget=60"),
}
_FOR_REFERENCE = 0.4  # of the budget


@worded_call("dv.benchmark", _ELSEWHERE)
def benchmark(
    system: Runnable,
    *,
    stop: float | None = None,
    start: float | None = None,
    tolerance: float = 1e-3,
    cost: Cost = "seconds",
    record: str | Iterable[str] | None = None,
    budget: float = 60.0,
    jobs: int = 1,
    progress: bool | None = None,
) -> Benchmark:
    """Run a system with every algorithm and controller that can, and recommend one of them.

    Errors are those of coupling, measured against the merged equations of all parts where they
    offer them, else against two runs at small windows. Each run is made in another process, so
    that a part that crashes is a row with the reason.

    Args:
        system: A `dv.System`, a file, or a model, as in `dv.simulate`.
        stop: When to stop, in s. A part of the run that is typical of it is enough.
        start: When to start, in s.
        tolerance: How large errors may be, as a share of the range of each signal.
        cost: What is to be little: "seconds" of process time, as the system is here, or
            "evaluations", advances of all parts, which are the same on every machine.
        record: Which signals are to be right, as patterns; all without it.
        budget: About how long it may take, in s. What has not been tried then is said.
        jobs: 1 for a process beside this one; 0: in this one.
        progress: Whether a bar shows how far it is; by itself in a terminal.

    Raises:
        InputError: What was given is wrong, and nothing was run.
        NoReference: No algorithm runs this system.
    """
    # Over 60 lines: half of it are the options and what they mean.
    check_number("tolerance", tolerance, above=0, most=0.5)
    check_number("budget", budget, above=0)
    check_whole("jobs", jobs, least=0)
    if cost not in ("seconds", "evaluations"):
        raise OptionError(f"cost is 'seconds' or 'evaluations', not {cost!r}")
    begun, drawn = monotonic(), system_from(system)
    if not (drawn.connections or drawn.junctions):
        what = f"nothing is exchanged in '{drawn.name}', so that no algorithm is better"
        raise OptionError(f"{what}: dv.benchmark compares ways to couple parts")
    kept = record if record is None or isinstance(record, str) else tuple(record)
    given = RunSettings(start, stop, record=kept)
    check_span(given, drawn.run_settings)
    asked = given.over(drawn.run_settings)
    if asked.stop is None:
        raise no_stop(drawn, asked, "stop=%g")
    span = asked.stop - (asked.start or 0.0)
    plain = RunSettings(asked.start, asked.stop, record=asked.record, placement=asked.placement)
    finest = asked.controller.size if isinstance(asked.controller, FixedStep) else None
    timing = RunTimer(drawn, plain, tolerance)
    right = reference(timing, span, finest, _FOR_REFERENCE * budget, jobs)
    timing = replace(timing, reference=(right.time, right.columns))
    planned = Planner(drawn, asked.estimators).plan(span)
    entrants = [
        Entrant(one, one.controllers(span, planned)) for one in candidates(planned, tolerance)
    ]
    total = len(entrants)
    bar = Progress(0, total, drawn.name, RunCount(total), shown=progress, unit="runs")
    pool: LocalPool[TimedRun] | None = LocalPool(timing.outcome, 1, budget) if jobs else None
    try:
        made = timing.outcome if pool is None else partial(_in, pool)
        deadline = monotonic() + (1 - _FOR_REFERENCE) * budget
        Race(entrants, made, tolerance, cost, span, deadline, bar.moved).run()
    finally:
        bar.close()
        if pool is not None:
            pool.close()
    took = monotonic() - begun
    return Benchmark(drawn.name, tuple(entrants), right, tolerance, cost, took)


def _in(pool: LocalPool[TimedRun], run: TimedRun) -> RunOutcome:
    """One run, in the process of a pool."""
    ((_, found),) = pool.outcomes([run])
    return found
