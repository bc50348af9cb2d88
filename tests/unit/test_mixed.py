"""Mixed-mode integration: the split, Newton's factors, events, and what is told of it."""

from math import inf, log
from time import thread_time

import exchanger
import numpy as np
import pytest
from scipy.sparse import csc_array

import dovetail as dv
from dovetail.integrators import IntegrationFailed, Mixed, Problem, named
from dovetail.integrators.amplification import amplification, radius
from dovetail.integrators.pairs import PAIRS

METHODS = list(PAIRS)
STIFF = np.array([[-1000.0, 999.0, 0.0], [0.0, -1.0, 0.5], [0.2, -0.5, -2.0]])


def linear(A, **more):
    return Problem(lambda t, x: A @ x, **more)


@pytest.mark.parametrize("method", METHODS)
def test_one_step_is_the_amplification_matrix(method):
    matrix = amplification(STIFF, np.array([0]), 0.05, method)
    for x in np.eye(3):
        arc = Mixed(0.05, method, fast=(0,), tolerance=1e-13).run(linear(STIFF), 0.0, x, 0.05)
        assert arc.state == pytest.approx(matrix @ x, abs=1e-9)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("fast", [(), (0,), (0, 1, 2)])
def test_dense_and_sparse_matrices_give_the_same_amplification(method, fast):
    index = np.array(fast, dtype=int)
    dense = amplification(STIFF, index, 0.05, method)
    assert amplification(csc_array(STIFF), index, 0.05, method) == pytest.approx(dense, abs=1e-12)


def test_the_forms_of_the_article_for_linear_systems():
    """Euler's pair as printed, but for the exponent, which is a misprint for -1."""
    h, P = 0.05, np.diag([0.0, 1.0, 1.0])
    expected = np.linalg.solve(np.eye(3) - h * (np.eye(3) - P) @ STIFF, np.eye(3) + h * P @ STIFF)
    assert amplification(STIFF, np.array([0]), h, "euler") == pytest.approx(expected, abs=1e-13)


def test_the_radius_of_large_systems_is_that_of_all_eigenvalues():
    """A rod of 310 volumes, half of them thin; symmetric, so that eigenvalues are well told."""
    scale = np.where(np.arange(310) < 155, 30.0, 1.0)
    rod = np.diag(np.full(310, -2.0)) + np.diag(np.ones(309), 1) + np.diag(np.ones(309), -1)
    A, fast = np.sqrt(np.outer(scale, scale)) * rod, np.arange(155)
    for size, method in ((0.4, "euler"), (0.9, "euler"), (0.9, "heun"), (2.0, "ars3")):
        exact = np.abs(np.linalg.eigvals(amplification(A, fast, size, method))).max()
        assert radius(csc_array(A), fast, size, method) == pytest.approx(exact, rel=2e-3)


def test_states_too_fast_for_the_step_are_found():
    follower = Mixed(0.05, "euler").follower()
    follower.run(linear(STIFF), 0.0, np.ones(3), 1.0)
    assert follower.part.fast.tolist() == [0]


def test_nothing_is_implicit_where_nothing_is_fast():
    follower = Mixed(0.0005, "heun").follower()
    arc = follower.run(linear(STIFF), 0.0, np.ones(3), 0.01)
    assert follower.part.fast.size == 0
    assert arc.effort.newton_iterations == 0
    explicit = named("heun", step=0.0005).run(linear(STIFF), 0.0, np.ones(3), 0.01)
    assert arc.state == pytest.approx(explicit.state, rel=1e-14)


def test_a_split_that_bounds_allow_but_that_is_not_stable_gets_more_fast_states():
    """At alpha 1 and 30 volumes, bounds are above what Euler's method stands."""
    A, b = exchanger.matrix(30)
    problem = Problem(lambda t, x: A @ x + b, lambda t, x: A)
    size = 0.999 * min(dv.analyze(A, 1.0).bounds.values())
    assert radius(A, np.zeros(0, dtype=int), size, "euler") > 1
    follower = Mixed(size, "euler", alpha=1.0).follower()
    follower.run(problem, 0.0, np.full(90, 293.15), size)
    assert follower.part.fast.size > 0
    assert radius(A, follower.part.fast, size, "euler") <= 1.001


def test_a_solution_that_grows_is_not_mistaken_for_a_bad_split():
    A = np.array([[1.0, 0.0], [0.0, -2.0]])
    follower = Mixed(0.05, "euler").follower()
    arc = follower.run(linear(A), 0.0, np.ones(2), 1.0)
    assert follower.part.fast.size == 0
    assert arc.state[0] == pytest.approx(1.05**20, rel=1e-12)


def test_factors_serve_from_window_to_window():
    problem, follower = (
        linear(STIFF, jacobian=lambda t, x: STIFF),
        Mixed(0.05, fast=(0,)).follower(),
    )
    x, jacobians, factors = np.ones(3), 0, 0
    for k in range(20):
        arc = follower.run(problem, k * 0.05, x, (k + 1) * 0.05)
        x, jacobians = arc.state, jacobians + arc.effort.jacobians
        factors += arc.effort.factorizations
    assert (jacobians, factors) == (1, 1)


def test_a_jacobian_that_no_longer_fits_is_renewed():
    """A reaction that becomes a thousand times faster on the way."""

    def rates(t, x):
        return np.array([-(10 + 1e4 * t**4) * (x[0] ** 3 - np.cos(t)), -x[1] + x[0]])

    arc = Mixed(0.01, "euler", fast=(0,)).run(Problem(rates), 0.0, np.array([1.0, 0.0]), 1.0)
    assert 1 < arc.effort.jacobians < 60
    assert arc.state[0] ** 3 == pytest.approx(np.cos(1.0), abs=1e-3)


def test_the_split_is_made_again_where_that_is_wanted():
    def rates(t, x):
        return np.array([-(1 + 1e4 * (t > 0.5)) * x[0], -x[1]])

    once, again = Mixed(0.01, "euler").follower(), Mixed(0.01, "euler", renew=0.1).follower()
    again.run(Problem(rates), 0.0, np.ones(2), 1.0)
    assert again.part.fast.tolist() == [0]
    with pytest.raises(IntegrationFailed, match="not finite"):
        once.run(Problem(rates), 0.0, np.ones(2), 3.0)


@pytest.mark.parametrize(
    ("method", "each"), [("euler", 1), ("midpoint", 2), ("heun", 2), ("ars3", 4)]
)
@pytest.mark.parametrize("fast", [10, 30], ids=["mixed", "implicit"])
def test_a_linear_model_is_evaluated_as_often_as_by_explicit_steps(method, each, fast):
    """What confirms a forecast is the first evaluation of what follows."""
    A, b = exchanger.matrix(10)
    problem = Problem(lambda t, x: A @ x + b, lambda t, x: A)
    method = Mixed(0.01, method, fast=tuple(range(fast)))
    effort = method.run(problem, 0.0, np.full(30, 293.15), 1.0).effort
    assert 100 * each <= effort.evaluations <= 100 * each + 2
    assert effort.factorizations == 1


def test_inputs_that_ramp_do_not_cost_more_evaluations():
    A, b = exchanger.matrix(10)
    problem = Problem(lambda t, x: A @ x + (1 + 0.1 * t) * b, lambda t, x: A)
    method = Mixed(0.01, "euler", fast=tuple(range(10)))
    assert method.run(problem, 0.0, np.full(30, 293.15), 1.0).effort.evaluations <= 103


def test_a_run_that_goes_on_knows_the_rates_where_it_stands():
    problem = linear(STIFF, jacobian=lambda t, x: STIFF)
    follower = Mixed(0.05, "euler", fast=(0,)).follower()
    anew = Mixed(0.05, "euler", fast=(0,)).follower()
    x, asked = np.ones(3), []
    for k in range(10):
        arc = follower.run(problem, k * 0.05, x, (k + 1) * 0.05, going_on=k > 0)
        other = anew.run(problem, k * 0.05, x, (k + 1) * 0.05)
        assert arc.state.tolist() == other.state.tolist()
        asked.append((arc.effort.evaluations, other.effort.evaluations))
        x = arc.state
    assert asked[5:] == [(1, 2)] * 5
    moved = follower.run(problem, 0.5, x + 1, 0.55, going_on=True)
    assert moved.effort.evaluations >= 2


def test_a_stiffness_that_jumps_is_noticed_however_well_it_went_before():
    """Linear for a long time; then the old factors are wrong by a factor of a hundred."""

    def rates(t, x):
        return np.array([-(100.0 if x[1] > 0.5 else 1e4) * (x[0] - x[1]), -x[1]])

    def jacobian(t, x):
        k = 100.0 if x[1] > 0.5 else 1e4
        return np.array([[-k, k], [0.0, -1.0]])

    method = Mixed(0.01, "euler", fast=(0,))
    arc = method.run(Problem(rates, jacobian), 0.0, np.ones(2), 1.0)
    x = np.ones(2)
    for _ in range(100):
        slow = 0.99 * x[1]
        k = 100.0 if slow > 0.5 else 1e4
        x = np.array([(x[0] + 0.01 * k * slow) / (1 + 0.01 * k), slow])
    assert arc.state == pytest.approx(x, rel=1e-7)


def test_mixed_steps_do_less_work_than_implicit_ones_and_the_more_so_the_larger_the_model():
    """Evaluations are as many. The rest is times: of sparse matrices, whose code has one thread."""
    ratios = []
    for n in (200, 1000):
        A, b = exchanger.matrix(n)
        problem = Problem(lambda t, x, A=A, b=b: A @ x + b, lambda t, x, A=A: A)
        x, size = np.full(3 * n, exchanger.START), 0.4 / n
        spent = []
        for fast in (n, 3 * n):
            method = Mixed(size, "euler", fast=tuple(range(fast)), linear="sparse")
            spent.append(inf)
            for _ in range(7):
                begin = thread_time()
                arc = method.run(problem, 0.0, x, 60 * size)
                spent[-1] = min(spent[-1], thread_time() - begin)
            assert arc.effort.evaluations == 61
        ratios.append(spent[1] / spent[0])
    assert 1.1 < ratios[0] < ratios[1]


def test_differences_follow_the_pattern():
    A, b = exchanger.matrix(20)
    problem = Problem(lambda t, x: A @ x + b, pattern=(A != 0).tocsc())
    method = Mixed(0.02, "euler", fast=tuple(range(20)))
    arc = method.run(problem, 0.0, np.full(60, 293.15), 0.2)
    assert arc.effort.jacobian_evaluations == 6  # three colours, two sides each
    given = Problem(problem.rates, lambda t, x: A)
    assert arc.state == pytest.approx(method.run(given, 0.0, np.full(60, 293.15), 0.2).state)


@pytest.mark.parametrize("linear_algebra", ["dense", "sparse"])
def test_dense_and_sparse_factors_give_the_same_run(linear_algebra):
    A, b = exchanger.matrix(20)
    problem = Problem(lambda t, x: A @ x + b, lambda t, x: A)
    x = np.full(60, 293.15)
    automatic = Mixed(0.02, "heun", fast=tuple(range(20))).run(problem, 0.0, x, 1.0)
    other = Mixed(0.02, "heun", fast=tuple(range(20)), linear=linear_algebra)
    assert other.run(problem, 0.0, x, 1.0).state == pytest.approx(automatic.state, rel=1e-10)


@pytest.mark.parametrize("method", METHODS)
def test_events_are_found_on_the_way(method):
    """The slow state decays through one half, the fast one follows it."""

    def rates(t, x):
        return np.array([-x[0], -1e4 * (x[1] - x[0])])

    problem = Problem(rates, crossings=lambda t, x: np.array([x[1] - 0.5]))
    start = np.array([1.0, 1 / (1 - 1e-4)])  # where it would be after a while: heun does not damp
    arc = Mixed(0.01, method, fast=(1,)).run(problem, 0.0, start, 2.0)
    assert arc.crossed == (0,) and arc.rising == (False,)
    assert arc.time == pytest.approx(log(2), abs=0.01 if method == "euler" else 2e-4)
    assert arc.state[1] == pytest.approx(0.5, abs=1e-9)


def test_a_thermostat_switches_in_a_run_of_mixed_steps():
    heater = dv.Dynamic(
        states={"room": 15.0, "coil": 15.0, "on": 1.0},
        outputs=["room", "coil", "on"],
        derivatives=lambda t, x, u, p: [
            0.1 * (x.coil - x.room) - 0.05 * (x.room - 5),
            50 * (80 * x.on + 15 * (1 - x.on) - x.coil),
            0.0,
        ],
        zero_crossings=lambda t, x, u, p: [x.room - 21, x.room - 19],
        on_event=lambda which, t, x, u, p: {"on": 0.0 if which == 0 else 1.0},
        solver="mixed",
        step=0.1,
    )
    system = dv.System("thermostat")
    system.add("heater", heater)
    result = dv.simulate(system, stop=60.0, controller=dv.FixedStep(1.0), quiet=True)
    assert result.statistics.events >= 4
    late = result["heater.room"][result.time > 15]
    assert 18.9 < late.min() < late.max() < 21.1
    assert result.statistics.effort_by_part["heater"].newton_iterations > 0


def test_where_no_step_can_be_solved_it_is_said():
    def rates(t, x):
        return np.array([-1e6 * np.sign(x[0] - 0.5)])

    with pytest.raises(IntegrationFailed, match="does not converge"):
        Mixed(0.1, "euler", fast=(0,)).run(Problem(rates), 0.0, np.array([0.4999]), 1.0)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"size": 0.0}, "step size must be above zero"),
        ({"size": inf}, "step size must be finite"),
        ({"size": 1.0, "method": "rk4"}, "not a mixed method"),
        ({"size": 1.0, "alpha": 0.0}, "alpha must be"),
        ({"size": 1.0, "renew": 0.0}, "renew must be"),
        ({"size": 1.0, "tolerance": 0.1}, "tolerance must be"),
        ({"size": 1.0, "fast": (-1,)}, "counted from 0"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, told):
    with pytest.raises(ValueError, match=told):
        Mixed(**options)


def test_a_fast_state_that_is_not_there_is_told():
    with pytest.raises(IntegrationFailed, match="state 7 cannot be fast: there are 3 states"):
        Mixed(0.1, fast=(7,)).run(linear(STIFF), 0.0, np.ones(3), 1.0)


def test_names_of_mixed_solvers():
    assert named("mixed", step=0.1) == Mixed(0.1, "heun")
    assert named("mixed-ars3", step=0.1) == Mixed(0.1, "ars3")
    with pytest.raises(ValueError, match="solver 'mixed' takes steps of one size"):
        named("mixed")
