"""Is the estimated error true? Against tight solutions of all equations at once.

A smaller version of `benchmarks/truth.py`: some problems of each kind, in ways that differ.
"""

from __future__ import annotations

from functools import cache

import pytest
from truth.problems import PROBLEMS, reference, true_errors
from truth.table import BAD, GOOD, fit, ratios, report
from truth.ways import follows, ways

import dovetail as dv
from dovetail.verification.companion import Trajectory

CASES = [
    ("predation", "Jacobi", 0),
    ("predation", "Gauss-Seidel", 1),
    ("predation", "Gauss-Seidel, extrapolated", 1),
    ("predation", "iterated, held", 1),
    ("predation", "iterated, linear", 0),
    ("predation", "iterated, cubic", 1),
    ("predation", "Costarica", 1),
    ("two_masses", "Jacobi", 0),
    ("two_masses", "Gauss-Seidel", 1),
    ("two_masses", "Missiles", 0),
    ("stiff_pair", "Gauss-Seidel", 1),
    ("contact", "Gauss-Seidel", 1),
    ("reactor", "Gauss-Seidel, extrapolated", 1),
    ("furnace", "iterated, linear", 1),
    ("levels", "Gauss-Seidel, extrapolated", 1),
    ("levels", "Jacobi, extrapolated", 1),  # the first of its windows is off by 11 %, others by 2
    ("saturated_loop", "iterated, held", 1),
    ("sampled_control", "iterated, linear", 1),
    ("epidemic", "Newton, linear", 0),
    ("one_way_chain", "Gauss-Seidel", 1),
    ("exchanger", "interface quasi-Newton", 1),
    ("reactor", "step doubling, linear", 1),
    ("two_masses", "step doubling, cubic", 1),
    ("closed_lag", "nothing said", 0),
    ("one_way_chain", "nothing said", 0),
    ("quarter_car", "Jacobi, iterated, linear", 2),  # residuals in metres, then in newtons
    ("thermostat", "nothing said", 0),  # an event where a half step ends
    ("levels", "defect of inputs", 1),
    ("furnace", "defect of estimates", 1),
]


@cache
def _truth(name: str) -> Trajectory:
    return reference(PROBLEMS[name])


@pytest.mark.parametrize(("name", "how", "k"), CASES)
def test_the_estimate_is_the_true_error_within_a_factor_of_three(
    name: str, how: str, k: int
) -> None:
    """What is off by its range or more need not be told how much more."""
    problem, truth = PROBLEMS[name], _truth(name)
    options = next(o for h, n, o in ways(problem) if (h, n) == (how, k))
    result = dv.simulate(problem.draw(), stop=problem.stop, verify=True, quiet=True, **options)
    if follows(options):
        truth = reference(problem, result.time)
    error = max(true_errors(Trajectory.of(result), truth).values())
    verdict = result.verdict
    assert verdict is not None and verdict.error is not None
    assert 1 / 3 < min(verdict.error, 1.0) / min(error, 1.0) < 3
    if error > BAD:
        assert verdict.status == "doubtful"
    if error < GOOD:
        assert verdict.status == "trusted"


def test_estimates_by_linearization_get_better_with_windows_and_are_doubted_until_then() -> None:
    """COSTARICA for all parts of the reactor: errors of 88, 20, 3.7 and 0.86 % are told."""
    problem, truth = PROBLEMS["reactor"], _truth("reactor")
    parts = {name: dv.Costarica() for name in ("tank", "jacket", "controller")}
    errors = []
    for windows in (30, 60, 120, 240):
        result = dv.simulate(
            problem.draw(),
            stop=problem.stop,
            step=problem.stop / windows,
            algorithm=dv.GaussSeidel(50, inputs="ramp"),
            estimators=parts,
            verify=True,
            quiet=True,
        )
        errors.append(max(true_errors(Trajectory.of(result), truth).values()))
        verdict = result.verdict
        assert verdict is not None and verdict.error == pytest.approx(errors[-1], rel=0.2)
        assert verdict.status == ("doubtful" if errors[-1] > 0.02 else "trusted")
    assert errors == sorted(errors, reverse=True) and errors[0] > 0.5 and errors[-1] < 0.01


def test_an_estimate_by_the_same_method_is_doubted_where_inputs_bend_too_much() -> None:
    """Friction, Ifosmondi: off by 6.3 % at t = .32 s, a row that windows .75 times as long lack;
    estimated at 1.8 %. With windows a quarter as long inputs follow, and it is right."""
    problem = PROBLEMS["friction"]
    found = {}
    for size in (problem.windows[0], problem.windows[2]):
        result = dv.simulate(
            problem.draw(),
            stop=problem.stop,
            step=size,
            algorithm=dv.Ifosmondi(),
            verify=True,
            quiet=True,
        )
        errors = true_errors(Trajectory.of(result), _truth("friction"))
        found[size] = max(errors.values()), result.verdict
    (error, verdict), (small, fine) = found.values()
    assert error > BAD and verdict.same_method and verdict.error < verdict.error_limit
    assert verdict.status == "doubtful"
    assert "bend more than they can follow, and a second run with the same" in str(verdict)
    assert small < GOOD and fine.same_method and fine.status == "trusted"
    assert "bend more" not in str(fine)


def test_an_estimate_far_below_the_limit_is_trusted_though_inputs_bend_too_much() -> None:
    """Exchanger, Ifosmondi: off by 0.099 %, estimated at 0.12 %; five times that is below 2 %."""
    problem = PROBLEMS["exchanger"]
    windows = dv.FixedStep(problem.windows[0])
    options = {"algorithm": dv.Ifosmondi(), "controller": windows}
    result = dv.simulate(problem.draw(), stop=problem.stop, verify=True, quiet=True, **options)
    verdict = result.verdict
    assert verdict is not None and verdict.same_method and verdict.status == "trusted"
    assert "curvature" in [hint.kind for hint in verdict.hints]
    assert "bend more than they can follow, and a second" not in str(verdict)
    errors = true_errors(Trajectory.of(result), _truth("exchanger"))
    assert max(errors.values()) < GOOD
    assert verdict.error == pytest.approx(max(errors.values()), rel=0.3)


def test_there_are_problems_enough_of_every_kind() -> None:
    assert len(PROBLEMS) >= 32
    assert len({p.group for p in PROBLEMS.values()}) >= 10


def test_a_campaign_is_summed_up_as_it_should_be() -> None:
    """Four runs: two bad ones of which one is trusted, two good ones of which one is doubted."""
    lines = [
        ("a", 0.5, 0.5, "doubtful"),
        ("b", 0.1, 0.01, "trusted"),
        ("a", 1e-4, 2e-4, "trusted"),
        ("b", 1e-5, 1e-2, "doubtful"),
    ]
    common = {"algorithm": "Jacobi", "k": 0, "evaluations": 2, "companion": 1}
    runs = [{"problem": p, "true": t, "estimate": e, "status": s, **common} for p, t, e, s in lines]
    assert list(ratios(runs)) == pytest.approx([1.0, 0.1, 2.0, 1000.0])
    assert 1e-3 <= fit(runs) <= 0.05
    assert "| **all** | 1 of 2 | 1 of 2 | 4 | 50.0% | 25.0% | 0.5 |" in report(runs)
