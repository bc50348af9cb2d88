"""Every problem with nothing but default parameters, at four steps and with three integrators."""

from __future__ import annotations

import junction_problems as jp
import numpy as np
import pytest

import dovetail as dv

CASES = [
    (name, solver, factor)
    for name, problem in jp.problems.items()
    for solver in ("euler", "semi_implicit", "rk4")
    for factor in (0.5, 1.0, 2.0, 4.0)
    if problem.mechanical or solver != "semi_implicit"
]
UNSTABLE = ("3.5", "euler", 4.0)  # there the index-reduced model itself is unstable
SLOW = {"3.5"}  # an oscillation that takes its time to grow


def windows(name: str, factor: float) -> tuple[float, float]:
    problem = jp.problems[name]
    stop = problem.stop if name in SLOW or name == "5.4.4" else 60 * problem.step
    return factor * problem.step, min(stop, problem.stop)


@pytest.mark.parametrize(("name", "solver", "factor"), CASES)
def test_it_is_stable_and_solved(name: str, solver: str, factor: float) -> None:
    problem = jp.problems[name]
    step, stop = windows(name, factor)
    if (name, solver, factor) == UNSTABLE:
        with np.errstate(all="ignore"), pytest.raises(dv.PartFailed):
            jp.simulate(problem.system(solver, step), step, stop)
        return
    result = jp.simulate(problem.system(solver, step), step, stop)
    assert result.statistics.unsolved_junctions == 0
    assert all(jp.spread(result[v]) < problem.bound for v in problem.watched)
    verdict = result.verdict
    assert verdict is not None
    assert all(j["last"] <= max(j["gap"], 1e-12) for j in verdict.junctions)


@pytest.mark.parametrize("name", [n for n in jp.problems if n != "free masses"])
def test_iterating_agrees(name: str) -> None:
    """Both go to one limit: their difference is of the order of the window."""
    problem = jp.problems[name]
    stop = min(20 * problem.step, problem.stop)
    apart = []
    for factor in (1.0, 0.5):
        step = factor * problem.step
        system = problem.system("rk4", step)
        moved = jp.simulate(system, step, stop)
        solved = jp.simulate(system, step, stop, dv.Newton(inputs="ramp"))
        scale = max(jp.spread(solved[v]) for v in problem.watched)
        apart.append(max(jp.spread(moved[v] - solved[v]) for v in problem.watched) / scale)
    assert apart[0] < 0.1
    assert apart[1] < 0.7 * apart[0]
