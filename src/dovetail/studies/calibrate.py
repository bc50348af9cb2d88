"""Values with which a system does what was measured."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..algorithms.base import Algorithm
from ..controllers.base import Controller
from ..controllers.fixed_step import keeps_to_lines
from ..core.calls import worded_call
from ..core.errors import OptionError
from ..core.options import check_number, check_whole
from ..drawing.run_settings import RunSettings
from ..drawing.system import System
from ..entry.naming import named_algorithm
from ..entry.opening import Runnable, system_from
from ..entry.simulate import windows_of
from ..results.result import Result
from ..run.requests import check_span
from .calibration_search import CalibrationSearch
from .common_settings import decided
from .dask_engine import check_engine
from .differences import Differences
from .fit import Fit
from .free_values import first_values, free_values
from .local_pool import cores
from .measurement import Comparable, Measurement, comparables, span_of
from .probes import Condition, ProbePool, ProbeRun
from .signals_of import signals_of
from .variation import Variation

_ELSEWHERE = {
    **dict.fromkeys(("parameters", "bounds", "vary"), "it is free={'damper.d': (100, 5000)}"),
    **dict.fromkeys(("x0", "guess", "initial"), "it is first={'damper.d': 800}"),
    **dict.fromkeys(("outputs", "signals"), "it is compare={'body.x': 'z'}"),
    "sigma": "it is weights={'body.x': 1 / sigma}",
}
Measured = Result | str | Path | Measurement


@worded_call("dv.calibrate", _ELSEWHERE, order=2)
def calibrate(
    system: Runnable,
    measured: Measured | Iterable[Measured],
    *,
    free: Mapping[str, tuple[float | None, float | None]],
    compare: Mapping[str, str] | None = None,
    weights: Mapping[str, float] | None = None,
    first: Mapping[str, float] | None = None,
    stop: float | None = None,
    start: float | None = None,
    step: float | None = None,
    algorithm: Algorithm | str | None = None,
    controller: Controller | str | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    confidence: float = 0.95,
    max_iterations: int = 50,
    engine: Any = "local",
    jobs: int | None = None,
    time_limit: float | None = None,
) -> Fit:
    """Find the values with which a system comes closest to what was measured.

    Least squares by `scipy.optimize.least_squares`; derivatives are differences of runs over the
    same windows, made side by side. A run that fails on the way is stepped back from.

    Args:
        system: A `dv.System`, a file, or a model, as in `dv.simulate`. It stays as it is.
        measured: A result, a file that `dv.read` reads, or a list of them;
            `dv.studies.Measurement` gives one of them values of its own.
        free: What may change, within which limits: `{"damper.d": (100, 5000)}`. None is no limit.
            Real values of parts and gains of connections.
        compare: Which signal of the system is which measured column, `{"body.x": "z"}`; without
            it, those of the same name.
        weights: By signal, what a difference counts: 1 over its standard deviation. Without it 1
            over the range that was measured.
        first: Where the search starts, `{"damper.d": 800}`; usually as in the drawing.
        stop: When to stop, in s; the last time measured if the drawing does not say.
        start: When to start, in s.
        step: The size of windows, in s.
        algorithm: How values are exchanged, as in `dv.simulate`.
        controller: How long windows are, as in `dv.simulate`.
        rtol: Relative tolerance of iterations.
        atol: Absolute tolerance of iterations.
        confidence: How often intervals are to cover the true value.
        max_iterations: How many sets of values are tried at most.
        engine: "local" for processes of this machine, or a `dask.distributed.Client`.
        jobs: How many processes; as many as there are cores. 0: in this process.
        time_limit: How long one run may take, in s.

    Raises:
        InputError: What was given is wrong.
        CalibrationFailed: The run with the first values fails.
    """
    # Over 60 lines: most of it are the options and what they mean.
    check_number("confidence", confidence, above=0, most=1 - 1e-9)
    check_whole("max_iterations", max_iterations)
    if jobs is not None:
        check_whole("jobs", jobs, least=0)
    if time_limit is not None:
        check_number("time_limit", time_limit, above=0)
    check_engine(engine, jobs, time_limit)
    drawn = system_from(system)
    units = signals_of(drawn)
    measurements = comparables(measured, compare, weights, units)
    given = RunSettings(start, stop, controller=windows_of(step, controller), rtol=rtol, atol=atol)
    given = replace(given, algorithm=named_algorithm(algorithm))
    settings = _settings(drawn, given, measurements)
    known = free_values(free)
    entries = {name for one in measurements for name in one.values} | {f.name for f in known}
    variation = Variation.of(drawn, settings, sorted(entries))
    begin = np.array(first_values(known, variation, first))
    common = settings.controller is None or not keeps_to_lines(settings.controller)
    run = ProbeRun(variation, _conditions(measurements), common)
    pool = ProbePool(run, cores() if jobs is None else jobs, time_limit, engine)
    try:
        differences = Differences(pool, known, len(measurements), common)
        search = CalibrationSearch(differences, measurements, run.conditions)
        return search.fit(begin, max_iterations, confidence, units)
    finally:
        pool.close()


def _settings(drawn: System, given: RunSettings, measurements: list[Comparable]) -> RunSettings:
    """How all runs are made: decided once, so that they differ in values alone."""
    begun, ended = span_of(measurements)
    asked = given.over(drawn.run_settings)
    if asked.stop is None:
        given = replace(given, stop=ended)
    check_span(given, drawn.run_settings)
    asked = given.over(drawn.run_settings)
    first, last = asked.start or 0.0, asked.stop or ended
    slack = 1e-9 * (last - first)
    if begun < first - slack or ended > last + slack:
        what = f"it was measured from {begun:g} to {ended:g} s, and runs go from {first:g} to"
        raise OptionError(f"{what} {last:g} s; give other start= and stop=, or a part of the data")
    return decided(drawn, given)


def _conditions(measurements: list[Comparable]) -> tuple[Condition, ...]:
    return tuple(
        Condition(
            tuple(one.values.items()),
            tuple(curve.signal for curve in one.curves),
            np.unique(np.concatenate([curve.time for curve in one.curves])),
        )
        for one in measurements
    )
