"""Is the estimated error true? Against tight solutions of all equations at once.

A smaller version of `benchmarks/truth.py`: two problems, five ways to couple them.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from truth.problems import PROBLEMS, reference

import dovetail as dv
from dovetail.verification.companion import Trajectory
from dovetail.verification.distance import distance

ALGORITHMS = {
    "jacobi": dv.Jacobi(),
    "gauss-seidel": dv.GaussSeidel(),
    "extrapolated": dv.GaussSeidel(extrapolation=1),
    "iterated, held": dv.GaussSeidel(50),
    "iterated, linear": dv.GaussSeidel(50, inputs="ramp"),
}
WINDOWS = [("predation", 0), ("predation", 1), ("ladder", 0)]
CASES = [(name, k, how) for name, k in WINDOWS for how in ALGORITHMS]


@cache
def _truth(name: str) -> Trajectory:
    return reference(PROBLEMS[name])


@pytest.mark.parametrize(("name", "k", "how"), CASES)
def test_the_estimate_is_the_true_error_within_a_factor_of_three(
    name: str, k: int, how: Any
) -> None:
    """Measured: 0.67 to 2.6, the latter where the companion itself is off at doubled windows."""
    problem, truth = PROBLEMS[name], _truth(name)
    result = dv.simulate(
        problem.draw(),
        stop=problem.stop,
        step=problem.windows[k],
        algorithm=ALGORITHMS[how],
        verify=True,
        quiet=True,
    )
    found = Trajectory.of(result)
    true = distance(found.time, found.values, truth.time, truth.values, {})
    error = max(true.shares.values())
    verdict = result.verdict
    assert verdict is not None and verdict.error is not None
    assert 1 / 3 < verdict.error / error < 3
    if error > 0.05:
        assert verdict.status == "doubtful"
    if error < 1e-3:
        assert verdict.status == "trusted"
