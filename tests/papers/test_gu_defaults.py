"""Every problem with nothing but default parameters, at four steps and with three integrators.

Stable and solved by the coordinator, and by iteration no worse. Both over the whole run; where that
takes long, over its first part, and the whole of it among the slow tests.
"""

from __future__ import annotations

from typing import Any

import junction_exact as je
import junction_problems as jp
import numpy as np
import pytest

import dovetail as dv

UNSTABLE = ("3.5", "euler", 4.0)  # there the index-reduced model itself is unstable
LONG = {  # seconds of those that take long
    "two masses": 0.5,
    "two capacitors": 0.4,
    "two inductors": 0.4,
    "three pipes": 0.4,
    "three capacitors": 0.4,
    "diode": 0.008,
    "two arms": 0.06,
    "slider-crank": 0.024,
}
MERGED = 110  # windows after which nothing is left of the free masses' start
CASES = [
    (name, solver, factor)
    for name, problem in jp.problems.items()
    for solver in ("euler", "semi_implicit", "rk4")
    for factor in (0.5, 1.0, 2.0, 4.0)
    if problem.mechanical or solver != "semi_implicit"
]


def run(name: str, solver: str, factor: float, stop: float, algorithm: Any) -> dv.Result:
    problem = jp.problems[name]
    step = factor * problem.step
    return jp.simulate(problem.system(solver, step), step, stop, algorithm)


def error(name: str, result: dv.Result) -> float:
    """The largest error of the states over the run, of their largest value."""
    states, _ = je.solutions[name](result.time)
    if name != "free masses":
        return je.error(result, states)
    return max(jp.spread((result[n] - exact)[MERGED:]) for n, exact in states.items())


def compare(name: str, solver: str, factor: float, stop: float) -> None:
    problem, case = jp.problems[name], (name, solver, factor)
    iterated = dv.Newton(inputs="ramp", rtol=1e-10, atol=1e-10)
    if case == UNSTABLE:
        for algorithm in (None, iterated):
            with np.errstate(all="ignore"), pytest.raises(dv.PartFailed):
                run(*case, stop, algorithm)
        return
    moved = run(*case, stop, None)
    assert moved.statistics.unsolved_junctions == 0
    assert all(jp.spread(moved[v]) < problem.bound for v in problem.watched)
    verdict = moved.verdict
    assert verdict is not None
    assert all(j["last"] <= max(j["gap"], 1e-12) for j in verdict.junctions)
    solved = run(*case, stop, iterated)
    assert solved.statistics.unsolved_junctions == 0
    assert all(jp.spread(solved[v]) < problem.bound for v in problem.watched)
    worse, better = error(name, moved), error(name, solved)
    if name == "free masses":
        assert max(worse, better) < 1e-9
    elif solver == "rk4":
        assert better < 0.6 * worse
    else:  # the parts' own error, for both: which is smaller is chance where parts are nonlinear
        assert better < (1.15 if name in ("two arms", "slider-crank") else 1.001) * worse


@pytest.mark.parametrize(("name", "solver", "factor"), CASES)
def test_stable_and_iterating_is_at_least_as_accurate(
    name: str, solver: str, factor: float
) -> None:
    stop = 1.2 * factor if name == "free masses" else jp.problems[name].stop
    compare(name, solver, factor, LONG.get(name, stop))


WHOLE = [c for c in CASES if c[0] in LONG and c[2] in (1.0, 4.0)]  # half steps cost twice as much


@pytest.mark.slow
@pytest.mark.parametrize(("name", "solver", "factor"), WHOLE)
def test_to_the_end(name: str, solver: str, factor: float) -> None:
    compare(name, solver, factor, jp.problems[name].stop)


def test_free_masses_come_together_without_a_leap() -> None:
    """An iterated junction pushes no harder than the coordinator, whose gap dies away in 2 h."""
    speeds = []
    for algorithm in (dv.Jacobi(), dv.Newton()):
        result = run("free masses", "rk4", 1.0, 1.0, algorithm)
        speeds.append(result["light.v"] - result["heavy.v"])
        momentum = result["light.v"] + 2 * result["heavy.v"]
        assert np.ptp(momentum) < 1e-14 * 3
    assert np.min(speeds[1]) > np.min(speeds[0]) > -3.0
