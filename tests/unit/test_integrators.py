"""The solvers inside a part: exact ends, honest failures, events found once and in place."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable, Sequence
from math import cos, inf, nan, pi, sin, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dovetail.core.signals import Vector
from dovetail.integrators import (
    Arc,
    Bdf,
    Cvode,
    FixedSize,
    IntegrationFailed,
    Integrator,
    Mixed,
    Problem,
    Radau,
    Rk45,
    named,
)
from dovetail.integrators.bracketing import far_side
from dovetail.integrators.fixed import Method

INTEGRATORS: list[Integrator] = [
    Rk45(),
    Rk45(rtol=1e-3, atol=1e-3, max_size=0.1),
    FixedSize(0.01),
    FixedSize(0.3, "rk4"),
    FixedSize(0.01, "heun"),
    FixedSize(0.01, "midpoint"),
    FixedSize(0.001, "euler"),
    Radau(),
    Bdf(),
    Cvode(),
    Mixed(0.001, "euler"),
    Mixed(0.01, "midpoint"),
    Mixed(0.01, "heun"),
    Mixed(0.01, "ars3"),
]
EXACT_FOR_PARABOLAS: list[Integrator] = [Rk45(), Rk45(max_size=0.02), FixedSize(0.5), Radau()]

every_integrator = pytest.mark.parametrize("integrator", INTEGRATORS, ids=repr)


def decay(time: float, x: Vector) -> Vector:
    return -x


def oscillation(time: float, x: Vector) -> Vector:
    return np.array([x[1], -x[0]])


# Where runs end --------------------------------------------------------------------------------


@every_integrator
def test_a_run_ends_exactly_on_stop_and_never_looks_beyond(integrator: Integrator) -> None:
    asked: list[float] = []

    def rates(time: float, x: Vector) -> Vector:
        asked.append(time)
        return -x

    for start, stop in ((0.0, 1.0), (0.1, 0.1 + 0.2), (1e6, 1e6 + 1.1), (-0.3, 0.7)):
        asked.clear()
        arc = integrator.run(Problem(rates), start, np.ones(2), stop)
        assert arc.time == stop
        assert min(asked) >= start
        assert max(asked) <= stop
        assert arc.evaluations == len(asked)
        assert arc.state == pytest.approx(np.exp(start - stop), rel=5e-3)


@every_integrator
def test_the_given_state_is_left_alone_and_the_new_one_is_new(integrator: Integrator) -> None:
    state = np.array([1.0, 2.0])
    for stop in (0.0, 1.0):
        arc = integrator.run(Problem(decay, crossings=lambda t, x: x - 9), 0.0, state, stop)
        assert not np.shares_memory(arc.state, state)
        assert state.tolist() == [1.0, 2.0]


@every_integrator
def test_a_run_of_no_length_is_nothing(integrator: Integrator) -> None:
    arc = integrator.run(Problem(decay), 2.0, np.ones(1), 2.0)
    assert (arc.time, arc.state.tolist(), arc.steps) == (2.0, [1.0], 0)


@every_integrator
def test_a_run_may_be_as_short_as_a_rounding(integrator: Integrator) -> None:
    stop = np.nextafter(1.0, 2.0)
    arc = integrator.run(Problem(decay), 1.0, np.ones(1), stop)
    assert arc.time == stop
    assert arc.state == pytest.approx(1.0)


@every_integrator
def test_rates_may_reuse_their_array(integrator: Integrator) -> None:
    memory = np.empty(2)

    def rates(time: float, x: Vector) -> Vector:
        memory[:] = x[1], -x[0]
        return memory

    again = integrator.run(Problem(rates), 0.0, np.array([1.0, 0.0]), 1.0)
    fresh = integrator.run(Problem(oscillation), 0.0, np.array([1.0, 0.0]), 1.0)
    assert again.state.tolist() == fresh.state.tolist()


@every_integrator
def test_no_states_are_integrated_too(integrator: Integrator) -> None:
    problem = Problem(lambda t, x: np.zeros(0), crossings=lambda t, x: np.array([t - 0.4]))
    arc = integrator.run(problem, 0.0, np.zeros(0), 1.0)
    assert arc.time == pytest.approx(0.4, abs=1e-15)
    assert (arc.crossed, arc.rising, arc.state.size) == ((0,), (True,), 0)


@every_integrator
def test_a_run_does_not_go_back(integrator: Integrator) -> None:
    with pytest.raises(ValueError, match="cannot go from 1"):
        integrator.run(Problem(decay), 1.0, np.ones(1), 0.0)


def test_fixed_steps_are_equal_and_as_few_as_fit() -> None:
    def steps(stop: float) -> int:
        return FixedSize(0.1).run(Problem(decay), 0.0, np.ones(1), stop).steps

    assert [steps(stop) for stop in (0.05, 0.1, 0.3, 0.30000000000000004, 0.31)] == [1, 1, 3, 3, 4]


def test_fixed_methods_do_what_the_books_say() -> None:
    def after(method: str) -> float:
        arc = named(method, step=0.5).run(Problem(decay), 0.0, np.ones(1), 0.5)
        return float(arc.state[0])

    assert after("euler") == 0.5
    assert after("heun") == after("midpoint") == 0.625
    assert after("rk4") == pytest.approx(1 - 1 / 2 + 1 / 8 - 1 / 48 + 1 / 384, abs=1e-15)


def test_a_step_of_rk45_costs_six_evaluations_and_a_run_one_more() -> None:
    arc = Rk45().run(Problem(decay), 0.0, np.ones(1), 0.01, first_size=0.01)
    assert (arc.steps, arc.evaluations, arc.rejected) == (1, 7, 0)
    without = Rk45().run(Problem(decay), 0.0, np.ones(1), 0.01)
    assert without.evaluations == 6 * (without.steps + without.rejected) + 2


def test_a_step_cut_short_does_not_forget_the_size_it_could_have_had() -> None:
    arc = Rk45().run(Problem(decay), 0.0, np.ones(1), 10.0)
    assert arc.next_size is not None
    cut = Rk45().run(Problem(decay), 0.0, arc.state, 1e-3, first_size=arc.next_size)
    assert cut.steps == 1
    assert cut.next_size == arc.next_size


def test_steps_are_no_longer_than_allowed() -> None:
    for integrator in (Rk45(max_size=0.1), Radau(max_size=0.1), Bdf(max_size=0.1)):
        arc = integrator.run(Problem(decay), 0.0, np.ones(1), 1.0, first_size=1.0)
        assert arc.steps >= 10
        assert arc.next_size is not None
        assert arc.next_size <= 0.1


# Going on --------------------------------------------------------------------------------------


def relay(t: float, x: Vector) -> Vector:
    return np.array([x[0] - 0.5, x[1] + 0.2, sin(7 * t)])


def driven(
    integrator: Integrator,
    problem: Problem,
    state: Sequence[float],
    stops: Sequence[float],
) -> list[Arc]:
    """Arcs from stop to stop, resumed at every event, with nothing between them."""
    time, x, size = 0.0, np.array(state, dtype=float), None
    signs: tuple[int, ...] = ()
    arcs: list[Arc] = []
    for stop in stops:
        while True:
            arc = integrator.run(problem, time, x, stop, first_size=size, signs=signs)
            time, x, size, signs = arc.time, arc.state, arc.next_size, arc.signs
            arcs.append(arc)
            if time == stop:
                break
    return arcs


@every_integrator
def test_the_same_cuts_give_the_same_bits(integrator: Integrator) -> None:
    problem = Problem(oscillation, crossings=relay)
    stops = [0.3, 0.31, 1.0, 1.7, 4.0]
    once = driven(integrator, problem, [1.0, 0.0], stops)
    again = driven(integrator, problem, [1.0, 0.0], stops)
    assert [a.time for a in once] == [a.time for a in again]
    assert [a.state.tolist() for a in once] == [a.state.tolist() for a in again]
    middle = once[len(once) // 2]
    resumed, time = middle, middle.time
    for arc in once[len(once) // 2 + 1 :]:
        stop = next(s for s in stops if s >= arc.time)
        resumed = integrator.run(
            problem,
            time,
            pickle.loads(pickle.dumps(resumed.state)),
            stop,
            first_size=resumed.next_size,
            signs=resumed.signs,
        )
        time = resumed.time
        assert (time, resumed.state.tolist()) == (arc.time, arc.state.tolist())
        assert (resumed.signs, resumed.next_size) == (arc.signs, arc.next_size)


# Stiff equations -------------------------------------------------------------------------------


def van_der_pol(stiffness: float, *, with_jacobian: bool) -> Problem:
    def rates(t: float, x: Vector) -> Vector:
        return np.array([x[1], stiffness * (1 - x[0] ** 2) * x[1] - x[0]])

    def jacobian(t: float, x: Vector) -> Vector:
        return np.array([[0, 1], [-2 * stiffness * x[0] * x[1] - 1, stiffness * (1 - x[0] ** 2)]])

    return Problem(rates, jacobian if with_jacobian else None)


@pytest.mark.parametrize("integrator", [Radau(), Bdf(), Cvode()], ids=repr)
@pytest.mark.parametrize("with_jacobian", [True, False])
def test_stiff_equations_are_followed(integrator: Integrator, with_jacobian: bool) -> None:
    problem = van_der_pol(1000.0, with_jacobian=with_jacobian)
    arc = integrator.run(problem, 0.0, np.array([2.0, 0.0]), 2000.0)
    assert arc.state[0] == pytest.approx(1.7061677321, rel=1e-3)  # as in the books
    assert arc.steps < 1500


def test_a_given_jacobian_saves_evaluations() -> None:
    runs = [
        Radau().run(van_der_pol(100.0, with_jacobian=given), 0.0, np.array([2.0, 0.0]), 10.0)
        for given in (True, False)
    ]
    assert runs[0].evaluations < runs[1].evaluations
    assert runs[0].state == pytest.approx(runs[1].state, rel=1e-5)


# Events ----------------------------------------------------------------------------------------

GRAVITY = 9.81
BOUNCE = 0.7


def bounces(height: float, until: float) -> list[float]:
    """When a ball dropped from this height touches the ground."""
    time, speed = sqrt(2 * height / GRAVITY), sqrt(2 * height * GRAVITY)
    times = []
    while time < until:
        times.append(time)
        speed *= BOUNCE
        time += 2 * speed / GRAVITY
    return times


def play(
    integrator: Integrator,
    stops: Sequence[float],
    ground: Callable[[Vector], float],
    *,
    start: float = 0.0,
    floor: float = 0.0,
) -> list[float]:
    """The times at which a ball dropped from 1 above the floor fires."""
    problem = Problem(
        lambda t, x: np.array([x[1], -GRAVITY]), crossings=lambda t, x: np.array([x[0] - floor])
    )
    time, x, size = start, np.array([floor + 1.0, 0.0]), None
    signs: tuple[int, ...] = ()
    times: list[float] = []
    for stop in stops:
        while True:
            arc = integrator.run(problem, time, x, stop, first_size=size, signs=signs)
            time, x, size, signs = arc.time, arc.state, arc.next_size, arc.signs
            if arc.crossed:
                assert (arc.crossed, arc.rising, arc.signs) == ((0,), (False,), (0,))
                assert x[0] < floor
                times.append(time - start)
                x = np.array([ground(x), -BOUNCE * x[1]])
            if time == stop:
                break
    return times


def put_on_ground(x: Vector) -> float:
    return 0.0


def left_below(x: Vector) -> float:
    return float(x[0])


def mirrored(x: Vector) -> float:
    return -float(x[0])


@pytest.mark.parametrize("integrator", EXACT_FOR_PARABOLAS, ids=repr)
@pytest.mark.parametrize("ground", [put_on_ground, left_below, mirrored])
@settings(max_examples=25, deadline=None)
@given(cuts=st.lists(st.floats(1e-6, 2.5), max_size=20))
def test_a_ball_bounces_when_it_should_however_the_run_is_cut(
    integrator: Integrator, ground: Callable[[Vector], float], cuts: list[float]
) -> None:
    expected = bounces(1.0, 2.5)
    found = play(integrator, [*sorted(set(cuts)), 2.5], ground)
    assert found == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("integrator", EXACT_FOR_PARABOLAS, ids=repr)
def test_a_cut_may_fall_on_a_bounce(integrator: Integrator) -> None:
    expected = bounces(1.0, 2.5)
    for shift in (0.0, 1e-16, -1e-16, 1e-15, -1e-15, 1e-12, -1e-12):
        stops = [*(t + shift for t in expected), 2.5]
        assert play(integrator, stops, put_on_ground) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("start", [-0.4515236409857309, 1e3, 1e6])
@pytest.mark.parametrize("floor", [0.0, 1e4])
@pytest.mark.parametrize("ground", [None, left_below])
def test_a_ball_bounces_far_from_zero_too(
    start: float, floor: float, ground: Callable[[Vector], float] | None
) -> None:
    for integrator in (Rk45(), FixedSize(0.5)):
        found = play(
            integrator, [start + 2.5], ground or (lambda x: floor), start=start, floor=floor
        )
        assert found == pytest.approx(bounces(1.0, 2.5), abs=1e-7)


def test_bounces_are_seen_until_they_are_tiny() -> None:
    assert len(play(Rk45(), [3.0], put_on_ground)) >= 40


@every_integrator
def test_a_sine_fires_once_per_half_period(integrator: Integrator) -> None:
    problem = Problem(oscillation, crossings=lambda t, x: np.array([x[0]]))
    zeros = [k * pi for k in range(1, 4)]
    cuts: list[list[float]] = [[], zeros, [0.1 * k for k in range(1, 100)]]
    for stops in cuts:
        arcs = driven(integrator, problem, [0.0, 1.0], [*stops, 10.0])
        fired = [arc for arc in arcs if arc.crossed]
        assert [arc.time for arc in fired] == pytest.approx(zeros, abs=0.05)
        assert [arc.rising for arc in fired] == [(k % 2 == 0,) for k in range(1, 4)]


def test_an_event_on_the_end_of_a_run_fires_once() -> None:
    """Whatever rounding makes of sin(k pi), and whichever run sees it."""
    problem = Problem(lambda t, x: np.zeros(1), crossings=lambda t, x: np.array([sin(t)]))
    for shift in (-1e-15, 0.0, 1e-15):
        stops = [k * pi + shift for k in range(1, 13)]
        arcs = driven(Rk45(max_size=1.0), problem, [0.0], [*stops, 40.0])
        fired = [arc for arc in arcs if arc.crossed]
        assert [arc.time for arc in fired] == pytest.approx([k * pi for k in range(1, 13)])


@every_integrator
def test_an_event_is_reported_on_its_far_side(integrator: Integrator) -> None:
    problem = Problem(oscillation, crossings=lambda t, x: np.array([x[0] - 0.5, 0.3 - x[0]]))
    falling = integrator.run(problem, 0.0, np.array([1.0, 0.0]), 3.0)
    assert (falling.crossed, falling.rising, falling.signs) == ((0,), (False,), (0, -1))
    assert -1e-14 < falling.state[0] - 0.5 < 0
    rising = integrator.run(problem, falling.time, falling.state, 3.0, signs=falling.signs)
    assert (rising.crossed, rising.rising, rising.signs) == ((1,), (True,), (-1, 0))
    assert -1e-14 < rising.state[0] - 0.3 < 0


def test_the_earliest_of_several_is_reported() -> None:
    problem = Problem(lambda t, x: np.ones(1), crossings=lambda t, x: x - np.array([0.7, 0.2, 0.6]))
    found = driven(Rk45(), problem, [0.0], [1.0])
    assert [arc.crossed for arc in found] == [(1,), (2,), (0,), ()]
    assert [arc.time for arc in found] == pytest.approx([0.2, 0.6, 0.7, 1.0], abs=1e-14)


def test_crossings_at_the_same_time_are_reported_together() -> None:
    def crossings(t: float, x: Vector) -> Vector:
        s = x[0]
        return np.array([s - 0.3, 3 * s - 0.9, s**2 - 0.09, s - 0.5, 0.1 * 3 - s])

    for integrator in (Rk45(), FixedSize(0.7), Radau()):
        arc = integrator.run(Problem(lambda t, x: np.ones(1), None, crossings), 0, np.zeros(1), 1)
        assert arc.crossed == (0, 1, 2, 4)
        assert arc.rising == (True, True, True, False)
        after = crossings(arc.time, arc.state)
        assert (np.sign(after) == [1, 1, 1, -1, -1]).all()
        assert arc.time == pytest.approx(0.3, abs=1e-12)


def test_a_crossing_that_starts_at_zero_is_not_armed_until_it_leaves() -> None:
    problem = Problem(lambda t, x: np.array([cos(t)]), crossings=lambda t, x: x)
    arc = Rk45(max_size=0.5).run(problem, 0.0, np.zeros(1), 6.0)
    assert arc.time == pytest.approx(pi, abs=1e-5)
    assert arc.rising == (False,)


def test_a_crossing_that_rests_at_zero_never_fires() -> None:
    problem = Problem(lambda t, x: np.zeros(1), crossings=lambda t, x: x)
    arcs = driven(Rk45(), problem, [0.0], [0.5, 1.0])
    assert [arc.crossed for arc in arcs] == [(), ()]
    assert arcs[-1].signs == (0,)


def test_a_crossing_that_touches_zero_does_not_fire() -> None:
    problem = Problem(lambda t, x: np.ones(1), crossings=lambda t, x: (x - 0.5) ** 2)
    arc = FixedSize(0.5).run(problem, 0.0, np.zeros(1), 1.0)
    assert (arc.time, arc.crossed, arc.signs) == (1.0, (), (1,))


def test_a_crossing_carried_across_between_runs_fires_at_once() -> None:
    def problem(threshold: float) -> Problem:
        return Problem(decay, crossings=lambda t, x: x - threshold)

    for integrator in INTEGRATORS:
        before = integrator.run(problem(0.1), 0.0, np.ones(1), 0.1)
        assert before.signs == (1,)
        arc = integrator.run(problem(2.0), 0.1, before.state, 0.2, signs=before.signs)
        assert (arc.time, arc.crossed, arc.rising, arc.steps) == (0.1, (0,), (False,), 0)
        after = integrator.run(problem(2.0), 0.1, arc.state, 0.2, signs=arc.signs)
        assert (after.time, after.crossed, after.signs) == (0.2, (), (-1,))


def test_a_jump_far_away_arms_on_the_side_it_leads_to() -> None:
    """A saw tooth: x rises to 1, falls back to -1 and rises again within the first step."""
    problem = Problem(lambda t, x: np.ones(1), crossings=lambda t, x: np.array([x[0], x[0] - 1]))
    first = Rk45().run(problem, 0.0, np.array([0.5]), 9.0)
    assert first.crossed == (1,)
    again = Rk45().run(problem, first.time, np.array([-1.0]), 9.0, signs=first.signs)
    assert again.crossed == (0,), "the jump carried it across"
    assert again.time == first.time
    last = Rk45().run(problem, again.time, np.array([-1.0]), 9.0, signs=again.signs)
    assert (last.crossed, last.rising) == ((0,), (True,))
    assert last.time == pytest.approx(1.5, abs=1e-12)


def test_two_crossings_in_one_step_are_seen() -> None:
    problem = Problem(
        lambda t, x: np.array([1.0]), crossings=lambda t, x: (x - 0.4) * (x - 0.6) - 0.001
    )
    arc = FixedSize(1.0).run(problem, 0.0, np.zeros(1), 1.0)
    assert arc.steps == 1
    assert arc.crossed == (0,)
    assert arc.time < 0.4


def test_forbidden_ground_beside_a_crossing_is_not_walked_on() -> None:
    def crossings(t: float, x: Vector) -> Vector:
        return np.array([sqrt(1 - x[0]) - 0.5])

    arc = Rk45().run(Problem(decay, crossings=crossings), 0.0, np.ones(1), 2.0)
    assert arc.crossed == (0,)
    assert arc.state[0] == pytest.approx(0.75, abs=1e-12)


def test_signs_must_fit_the_crossings() -> None:
    with pytest.raises(ValueError, match="there are 1 zero crossings, but 2 signs"):
        Rk45().run(Problem(decay, crossings=lambda t, x: x), 0.0, np.ones(1), 1.0, signs=(1, 1))


@given(st.floats(-3, 3), st.floats(0.1, 4), st.sampled_from([1, 3, 5]))
def test_the_far_side_is_as_near_as_floats_are(root: float, slope: float, power: int) -> None:
    def function(time: float) -> float:
        return slope * (root - time) ** power

    found = far_side(function, root - 1.7, root + 0.9)
    assert function(found) < 0
    assert found == pytest.approx(root, abs=1e-15 if power == 1 else 1e-13)


def test_a_step_is_found_where_it_is() -> None:
    asked = 0

    def function(time: float) -> float:
        nonlocal asked
        asked += 1
        return 1.0 if time < 0.3 else -1.0

    found = far_side(function, 0.0, 1.0)
    assert function(found) < 0
    assert found == pytest.approx(0.3, abs=2e-16)
    assert asked < 120


# Failures --------------------------------------------------------------------------------------


def failing(integrator: Integrator, problem: Problem, stop: float = 2.0) -> IntegrationFailed:
    with pytest.raises(IntegrationFailed) as caught:
        integrator.run(problem, 0.0, np.ones(1), stop)
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)
    return caught.value


@every_integrator
@pytest.mark.parametrize("value", [nan, inf])
def test_rates_that_are_not_finite_are_told(integrator: Integrator, value: float) -> None:
    def rates(t: float, x: Vector) -> Vector:
        return np.array([1.0 if t < 1 else value])

    failure = failing(integrator, Problem(rates))
    assert failure.time == pytest.approx(1.0, abs=0.31)
    assert str(failure).startswith("the rates of change are not finite at t = ")
    assert "look there for" in str(failure)
    at_once = failing(integrator, Problem(lambda t, x: np.array([value])))
    assert at_once.time == 0.0


@pytest.mark.parametrize("integrator", [Rk45(), Radau(), Bdf(), Cvode()], ids=repr)
def test_a_solution_that_ends_is_told(integrator: Integrator) -> None:
    failure = failing(integrator, Problem(lambda t, x: x**2))  # 1 / (1 - t)
    assert failure.time == pytest.approx(1.0, abs=1e-3)
    assert str(failure).endswith(failure.remedy)


def test_a_step_size_that_vanishes_is_told_with_a_way_out() -> None:
    failure = failing(Rk45(), Problem(lambda t, x: -0.5 / x))  # sqrt(1 - t)
    assert failure.time == pytest.approx(1.0, abs=1e-5)
    assert failure.reason.startswith("the step size fell below ")
    assert "try solver='auto' or 'radau'" in str(failure)


@pytest.mark.parametrize(
    "integrator", [Rk45(max_steps=20), Radau(max_steps=20), Bdf(max_steps=20), Cvode(max_steps=20)]
)
def test_too_many_steps_are_told(integrator: Integrator) -> None:
    failure = failing(integrator, Problem(lambda t, x: np.array([cos(100 * t)])))
    assert 0 < failure.time < 2
    assert str(failure).startswith("the solver gave up after 20 steps at t = ")


@every_integrator
def test_a_crossing_that_is_no_number_is_told(integrator: Integrator) -> None:
    crossings = Problem(decay, crossings=lambda t, x: np.array([1.0, nan if t > 0.5 else 1.0]))
    failure = failing(integrator, crossings)
    assert failure.reason == "zero crossing 1 is not a number"


@every_integrator
def test_what_the_rates_raise_comes_through(integrator: Integrator) -> None:
    def rates(t: float, x: Vector) -> Vector:
        if t > 0.5:
            raise ValueError("mine")
        return -x

    with pytest.raises(ValueError, match="mine"):
        integrator.run(Problem(rates), 0.0, np.ones(1), 1.0)


def test_trial_steps_may_leave_the_domain() -> None:
    """x' = -sqrt(x) has no rate below zero; a smaller step stays above."""

    def rates(t: float, x: Vector) -> Vector:
        return np.array([-sqrt(x[0]) if x[0] >= 0 else nan])

    for integrator in (Rk45(), Radau()):
        arc = integrator.run(Problem(rates), 0.0, np.ones(1), 1.9, first_size=1.9)
        assert arc.state[0] == pytest.approx((1 - 1.9 / 2) ** 2, rel=1e-3)
    assert Rk45().run(Problem(rates), 0.0, np.ones(1), 1.9, first_size=1.9).rejected > 0


# Events at the ends of steps ---------------------------------------------------------------------


def fall(size: float, stop: float) -> tuple[list[float], Vector]:
    """A ball by Euler's method, and nothing else: bounces where a step ends below the ground."""
    h, v, times = 1.0, 0.0, []
    for step in range(1, round(stop / size) + 1):
        h, v = h + size * v, v - size * GRAVITY
        if h < 0:
            times.append(step * size)
            h, v = 0.0, -BOUNCE * v
    return times, np.array([h, v])


@pytest.mark.parametrize("cuts", [(), (0.25, 1.0), tuple(0.01 * k for k in range(1, 200))])
def test_events_that_are_not_located_happen_where_steps_end(cuts: tuple[float, ...]) -> None:
    expected, _ = fall(0.01, 2.0)
    found = play(FixedSize(0.01, "euler", locate=False), [*cuts, 2.0], put_on_ground)
    assert len(expected) > 3
    assert found == pytest.approx(expected, abs=1e-12)


def test_located_events_are_on_time_and_others_up_to_a_step_late() -> None:
    problem = Problem(lambda t, x: np.ones(1), crossings=lambda t, x: x - 0.33)
    sharp = FixedSize(0.1).run(problem, 0.0, np.zeros(1), 1.0)
    late = FixedSize(0.1, locate=False).run(problem, 0.0, np.zeros(1), 1.0)
    assert sharp.time == pytest.approx(0.33, abs=1e-12)
    assert late.time == pytest.approx(0.4, abs=1e-12)
    assert (late.crossed, late.rising, late.signs) == ((0,), (True,), (0,))
    assert late.state[0] == pytest.approx(0.4, abs=1e-12)


def test_an_event_that_is_not_located_arms_where_it_was_left() -> None:
    problem = Problem(lambda t, x: np.ones(1), crossings=lambda t, x: x - 0.33)
    coarse = FixedSize(0.1, locate=False)
    first = coarse.run(problem, 0.0, np.zeros(1), 1.0)
    after = coarse.run(problem, first.time, np.array([0.3]), 1.0, signs=first.signs)
    assert after.time == pytest.approx(first.time + 0.1, abs=1e-12), "it was put back below"
    on = coarse.run(problem, first.time, first.state, 1.0, signs=first.signs)
    assert (on.time, on.crossed, on.signs) == (1.0, (), (1,))


def test_steps_are_told_of_where_events_are_not_located() -> None:
    told: list[float] = []

    def completed(t: float, x: Vector) -> bool:
        told.append(t)
        return len(told) == 3

    problem = Problem(decay, completed=completed)
    arc = FixedSize(0.1, locate=False).run(problem, 0.0, np.ones(1), 1.0)
    assert told == pytest.approx([0.1, 0.2, 0.3])
    assert arc.asked and arc.time == pytest.approx(0.3)


# Options ---------------------------------------------------------------------------------------


def test_names_are_the_users() -> None:
    assert named("rk45", rtol=1e-5, atol=1e-7) == Rk45(1e-5, 1e-7)
    assert named("radau", step=0.5) == Radau(max_size=0.5)
    assert named("bdf") == Bdf()
    fixed: list[Method] = ["rk4", "heun", "midpoint", "semi_implicit", "euler"]
    for name in fixed:
        assert named(name, step=0.1) == FixedSize(0.1, name)
        with pytest.raises(ValueError, match=f"solver '{name}' takes steps of one size"):
            named(name)


def test_an_unknown_name_is_told_with_those_that_are_known() -> None:
    with pytest.raises(ValueError) as caught:
        named("RK45")
    assert str(caught.value) == (
        "'RK45' is not a solver. There are auto, rk45, radau, bdf, cvode, rk4, heun, midpoint, "
        "semi_implicit, euler, mixed, mixed-euler, mixed-midpoint, mixed-ars3. Did you mean "
        "'rk45'?"
    )


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: Rk45(rtol=0.0), "rtol must be between"),
        (lambda: Radau(rtol=2.0), "rtol must be between"),
        (lambda: Bdf(atol=0.0), "atol must be above zero"),
        (lambda: Rk45(max_size=0.0), "max_size must be above zero"),
        (lambda: Rk45(max_steps=0), "max_steps must be at least 1"),
        (lambda: FixedSize(0.0), "step size must be above zero"),
        (lambda: FixedSize(nan), "step size must be a number, not nan"),
        (lambda: named("rk45", step=-1.0), "max_size must be above zero"),
        (
            lambda: FixedSize(0.1, "rk5"),  # type: ignore[arg-type]
            "'rk5' is not a method of fixed steps",
        ),
        (lambda: FixedSize(0.1, locate=1), "locate must be True or False, not 1"),  # type: ignore[arg-type]
        (
            lambda: Rk45().run(Problem(decay), 0, np.ones(1), 1, first_size=0.0),
            "first_size must",
        ),
    ],
)
def test_options_that_cannot_be_followed_are_refused(make: Callable[[], object], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        make()


def test_scipy_is_loaded_only_by_those_who_need_it() -> None:
    code = "import dovetail.integrators, dovetail.units, sys; sys.exit('scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
