"""How much signals depend on values: at a point, or over ranges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import inf
from pathlib import Path
from typing import Any, Literal

import numpy as np

from ..algorithms.base import Algorithm
from ..controllers.base import Controller
from ..controllers.fixed_step import keeps_to_lines
from ..core.calls import worded_call
from ..core.errors import OptionError, did_you_mean
from ..core.options import check_whole
from ..drawing.run_settings import RunSettings
from ..drawing.system import System
from ..entry.naming import named_algorithm
from ..entry.opening import Runnable, system_from
from ..entry.simulate import windows_of
from ..run.requests import check_span
from ..run.run_request import no_stop
from .common_settings import decided
from .dask_engine import check_engine
from .differences import Differences, FreeValue
from .local_pool import cores
from .probes import Condition, ProbePool, ProbeRun
from .reductions import REDUCTIONS
from .sensitivities import LocalSensitivity, SobolSensitivity
from .signals_of import signals_of
from .sobol import SensitivityFailed, sobol
from .variation import Variation

_ELSEWHERE = {
    **dict.fromkeys(("outputs", "signal", "signals"), "it is of='body.x'"),
    **dict.fromkeys(("parameters", "inputs", "vary"), "it is to=['car.m', 'damper.d']"),
}


@worded_call("dv.sensitivity", _ELSEWHERE)
def sensitivity(
    system: Runnable,
    *,
    of: str | Iterable[str],
    to: Iterable[str] | Mapping[str, Any],
    method: Literal["local", "sobol"] = "local",
    at: str = "final",
    samples: int = 256,
    seed: int = 0,
    stop: float | None = None,
    start: float | None = None,
    step: float | None = None,
    algorithm: Algorithm | str | None = None,
    controller: Controller | str | None = None,
    times: int = 501,
    store: str | Path | None = None,
    engine: Any = "local",
    jobs: int | None = None,
) -> LocalSensitivity | SobolSensitivity:
    """How much signals depend on values of a system.

    Args:
        system: A `dv.System`, a file, or a model, as in `dv.simulate`.
        of: Which signals: "body.x", or several in a list.
        to: Which values: a list of names, `["car.m", "damper.d"]`; for "sobol" a range or a
            distribution for each, `{"car.m": (900, 1500), "d.d": dv.studies.Normal(2e3, 200)}`.
        method: "local": derivatives at the values of the drawing, over time, by differences of
            runs over the same windows. "sobol": shares of the variance over ranges, by SALib.
        at: What of a signal "sobol" looks at: "final", "max", "min" or "mean".
        samples: Of "sobol", a power of two; there are as many runs as that times the number of
            values plus two.
        seed: The same seed draws the same samples.
        stop: When to stop, in s.
        start: When to start, in s.
        step: The size of windows, in s.
        algorithm: How values are exchanged, as in `dv.simulate`.
        controller: How long windows are, as in `dv.simulate`.
        times: At how many times derivatives are kept.
        store: A folder to keep the runs of "sobol" in.
        engine: "local" for processes of this machine, or a `dask.distributed.Client`.
        jobs: How many processes; as many as there are cores. 0: in this process.

    Raises:
        InputError: What was given is wrong.
        SensitivityFailed: A run failed.
    """
    # Over 60 lines: most of it are the options and what they mean.
    if method not in ("local", "sobol"):
        raise OptionError(f"method is 'local' or 'sobol', not {method!r}")
    if at not in REDUCTIONS:
        raise OptionError(f"at is 'final', 'max', 'min' or 'mean', not {at!r}")
    check_whole("times", times, least=2)
    if jobs is not None:
        check_whole("jobs", jobs, least=0)
    check_engine(engine, jobs, None)
    drawn = system_from(system)
    signals = _signals(drawn, of)
    values = _values(to)
    if method == "sobol":
        ways = {"stop": stop, "start": start, "step": step, "algorithm": algorithm}
        more = {"controller": controller, "times": times, "store": store, "jobs": jobs}
        more["engine"] = engine
        return sobol(drawn, signals, values, samples, seed, at, {**ways, **more})
    given = RunSettings(start, stop, named_algorithm(algorithm), windows_of(step, controller))
    check_span(given, drawn.run_settings)
    asked = given.over(drawn.run_settings)
    if asked.stop is None:
        raise no_stop(drawn, asked, "stop=%g")
    settings = decided(drawn, given)
    grid = np.linspace(asked.start or 0.0, asked.stop, times)
    variation = Variation.of(drawn, settings, values)
    common = settings.controller is None or not keeps_to_lines(settings.controller)
    run = ProbeRun(variation, (Condition((), tuple(signals), grid),), common)
    pool = ProbePool(run, cores() if jobs is None else jobs, engine=engine)
    try:
        return _local(pool)
    finally:
        pool.close()


def _local(pool: ProbePool) -> LocalSensitivity:
    """By differences of runs on both sides of the values of the drawing."""
    variation, (condition,) = pool.run.variation, pool.run.conditions
    names, signals = list(variation.names), condition.signals
    values = np.array([variation.number(name) for name in names])
    free = tuple(FreeValue(name, -inf, inf) for name in names)
    differences = Differences(pool, free, 1, pool.run.keeps_ends)
    base = differences.base(values)
    if not base[0].done or base[0].signals is None:
        raise SensitivityFailed(f"the run with the values of the drawing fails: {base[0].reason}")
    (found,) = differences.derivatives(values, base, central=True)
    return LocalSensitivity(
        condition.times,
        {s: {n: found[p, k] for p, n in enumerate(names)} for k, s in enumerate(signals)},
        dict(zip(names, values.tolist(), strict=True)),
        {s: float(np.ptp(base[0].signals[k])) for k, s in enumerate(signals)},
        pool.made,
    )


def _signals(system: System, of: Any) -> list[str]:
    known = signals_of(system)
    wanted = [of] if isinstance(of, str) else list(of)
    if not wanted:
        raise OptionError("of= names no signal; say which, of='body.x'")
    for name in wanted:
        if name not in known:
            raise OptionError(f"of= names '{name}', which is no signal.{did_you_mean(name, known)}")
    return wanted


def _values(to: Any) -> dict[str, Any]:
    found = (
        dict(to) if isinstance(to, Mapping) else dict.fromkeys([to] if isinstance(to, str) else to)
    )
    if not found:
        raise OptionError("to= names no value; say which, to=['car.m', 'damper.d']")
    return found
