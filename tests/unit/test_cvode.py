"""CVODE: what is particular to an integrator that keeps its history."""

import subprocess
import sys

import numpy as np
import pytest

import dovetail as dv
from dovetail import integrators
from dovetail.integrators import (
    Cvode,
    IntegrationFailed,
    Problem,
    Radau,
    cvode,
    follower,
    named,
)

PROBLEM = Problem(lambda t, x: np.array([x[1], -x[0]]))


def counted(problem):
    """The same problem, and the times at which it is asked."""
    times = []

    def rates(t, x):
        times.append(t)
        return problem.rates(t, x)

    return Problem(rates, problem.jacobian, problem.crossings), times


def windows(problem, count, *, going_on, size=0.1, method="BDF"):
    solver, x = follower(Cvode(1e-8, 1e-10, method=method)), np.array([1.0, 0.0])
    for k in range(count):
        x = solver.run(problem, k * size, x, (k + 1) * size, going_on=going_on).state
    return x


@pytest.mark.parametrize("method", ["BDF", "Adams"])
def test_going_on_costs_less_than_starting_anew(method):
    costs = {}
    for going_on in (True, False):
        problem, times = counted(PROBLEM)
        x = windows(problem, 50, going_on=going_on, method=method)
        assert x == pytest.approx([np.cos(5.0), -np.sin(5.0)], abs=2e-6)
        costs[going_on] = len(times)
    assert costs[True] < 0.5 * costs[False]


def test_nothing_is_evaluated_beyond_the_stop():
    problem, times = counted(PROBLEM)
    windows(problem, 5, going_on=True)
    assert max(times) <= 5 * 0.1
    watched, times = counted(Problem(PROBLEM.rates, crossings=lambda t, x: np.array([x[0] + 2.0])))
    Cvode().run(watched, 0.0, np.array([1.0, 0.0]), 0.3, signs=(1,))
    assert max(times) <= 0.3


def test_who_goes_back_starts_anew_from_there():
    solver, x = follower(Cvode(1e-8, 1e-10)), np.array([1.0, 0.0])
    memory = solver.memory()
    there = solver.run(PROBLEM, 0.0, x, 1.0).state
    solver.recall(memory)
    again = solver.run(PROBLEM, 0.0, x, 1.0, going_on=True).state
    assert np.array_equal(there, again)


def test_a_state_that_was_changed_is_felt():
    solver = follower(Cvode(1e-8, 1e-10))
    solver.run(PROBLEM, 0.0, np.array([1.0, 0.0]), 1.0)
    x = solver.run(PROBLEM, 1.0, np.array([0.0, 1.0]), 2.0, going_on=True).state
    assert x == pytest.approx([np.sin(1.0), np.cos(1.0)], abs=1e-6)


def test_steps_are_no_longer_than_allowed():
    problem, times = counted(PROBLEM)
    Cvode(max_size=0.05).run(problem, 0.0, np.array([1.0, 0.0]), 2.0)
    assert max(np.diff(times)) <= 0.05 * (1 + 1e-9)


def test_events_are_found_on_their_far_side_and_the_rest_is_another_run():
    fall = Problem(lambda t, x: np.array([x[1], -9.81]), crossings=lambda t, x: x[:1])
    arc = Cvode(1e-9, 1e-12).run(fall, 0.0, np.array([1.0, 0.0]), 1.0, signs=(1,))
    assert arc.crossed == (0,)
    assert arc.time == pytest.approx(np.sqrt(2 / 9.81), abs=1e-8)
    assert -1e-12 < arc.state[0] < 0


def test_a_wish_at_the_end_of_a_step_ends_the_run():
    asked = Problem(PROBLEM.rates, completed=lambda t, x: t > 0.5)
    for integrator in (Cvode(), Radau(), named("rk45"), named("rk4", step=0.1)):
        arc = integrator.run(asked, 0.0, np.array([1.0, 0.0]), 10.0)
        assert arc.asked
        assert 0.5 < arc.time < 10.0
        assert arc.state == pytest.approx([np.cos(arc.time), -np.sin(arc.time)], abs=1e-3)


def test_nominal_values_weigh_the_errors():
    big = Problem(lambda t, x: np.array([-x[0] + 1e-3 * np.sin(50 * t)]))
    fine, few = counted(big)
    Cvode(1e-6, 1e-6).run(fine, 0.0, np.array([0.0]), 1.0)
    coarse, times = counted(big)
    loose = Problem(coarse.rates, nominal=np.array([1e4]))
    Cvode(1e-6, 1e-6).run(loose, 0.0, np.array([0.0]), 1.0)
    assert len(times) < 0.5 * len(few)


@pytest.mark.parametrize("name", ["rk45", "radau", "bdf"])
def test_other_integrators_know_nominal_values_too(name):
    made = []
    for nominal in (None, np.array([1e4])):
        problem, times = counted(Problem(lambda t, x: np.array([-x[0] + 1e-3 * np.sin(50 * t)])))
        problem = Problem(problem.rates, nominal=nominal)
        named(name, rtol=1e-6, atol=1e-6).run(problem, 0.0, np.array([0.0]), 1.0)
        made.append(len(times))
    assert made[1] < 0.5 * made[0]


def test_a_large_sparse_jacobian_stays_sparse():
    from scipy.sparse import csc_array, diags_array

    n = 120
    matrix = csc_array(
        diags_array([np.ones(n - 1), -2.0 * np.ones(n), np.ones(n - 1)], offsets=[-1, 0, 1])
    )
    x = np.sin(np.arange(n))
    problem = Problem(
        lambda t, x: matrix @ x, lambda t, x: matrix, pattern=csc_array(matrix, dtype=bool)
    )
    dense = Problem(lambda t, x: matrix @ x)
    found = Cvode(1e-8, 1e-10).run(problem, 0.0, x, 1.0).state
    assert found == pytest.approx(Cvode(1e-8, 1e-10).run(dense, 0.0, x, 1.0).state, abs=1e-6)


SPOILT = """
import gc
import numpy as np
from scipy.sparse import csc_array, eye_array
from dovetail.integrators import Cvode, Problem

def jacobian(t, x):
    raise ArithmeticError("no Jacobian here")

pattern = csc_array(eye_array(120, dtype=bool))
for _ in range(5):
    try:
        Cvode().run(Problem(lambda t, x: -x, jacobian, pattern=pattern), 0.0, np.ones(120), 1.0)
    except ArithmeticError as error:
        print(error)
    gc.collect()
"""


def test_a_sparse_jacobian_that_fails_at_once_takes_nobody_down():
    command = [sys.executable, "-c", SPOILT]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == 5 * "no Jacobian here\n"


def test_failures_say_what_happened_and_print_nothing(capfd):
    with pytest.raises(IntegrationFailed, match="grows without bound"):
        Cvode().run(Problem(lambda t, x: x * x), 0.0, np.ones(1), 2.0)
    with pytest.raises(IntegrationFailed, match="not finite"):
        Cvode().run(Problem(lambda t, x: np.sqrt(0.5 - t) * x), 0.0, np.ones(1), 1.0)
    assert capfd.readouterr().out == ""


def test_what_user_functions_print_is_let_through(capsys):
    def rates(t, x):
        print("asked")
        return -x

    Cvode().run(Problem(rates), 0.0, np.ones(1), 0.1)
    assert "asked" in capsys.readouterr().out


def test_a_dynamic_is_solved_by_cvode():
    model = dv.Dynamic(
        states={"x": 1.0, "v": 0.0},
        outputs=["x"],
        derivatives=lambda t, x, u, p: [x.v, -x.x],
        solver="cvode",
        rtol=1e-9,
        atol=1e-11,
    )
    system = dv.System("alone")
    system.add("part", model)
    result = dv.simulate(system, stop=10.0, controller=dv.FixedStep(0.1), quiet=True)
    assert result["part.x"] == pytest.approx(np.cos(result.time), abs=1e-6)


def test_without_the_package_the_message_tells_how_to_get_it(monkeypatch):
    monkeypatch.setattr(cvode, "is_installed", lambda: False)
    with pytest.raises(ValueError, match=r"pip install 'dovetail\[sundials\]'"):
        integrators.named("cvode")
    with pytest.raises(dv.ModelError, match="scikit-sundae"):
        dv.Dynamic(states={"x": 0.0}, derivatives=lambda t, x, u, p: [1.0], solver="cvode")
