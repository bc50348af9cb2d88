"""What every controller promises."""

from itertools import pairwise

import numpy as np
import problems
import pytest
from catalogue import brief, controllers

import dovetail as dv
from dovetail.controllers import Accept, GiveUp, Retry
from dovetail.window import Window

every_controller = pytest.mark.parametrize("controller", controllers, ids=brief)


@every_controller
def test_every_branch_covers_the_window_without_gaps(controller):
    window = Window.between(0.3, 0.7)
    for branch in controller.plan(window, None):
        assert branch[0].start == 0.3
        assert branch[-1].stop == 0.7
        assert all(a.stop == b.start for a, b in pairwise(branch))


@every_controller
@pytest.mark.parametrize("stop", [0.5, 1 / 3, 1.0, 0.7000000001])
def test_a_run_ends_at_its_stop_exactly(controller, stop):
    result = dv.simulate(
        problems.two_mass_system(), stop=stop, algorithm=dv.GaussSeidel(), controller=controller
    )
    assert result.time[-1] == stop
    assert np.all(np.diff(result.time) > 0)


@every_controller
def test_two_runs_agree_to_the_last_bit(controller):
    runs = [
        dv.simulate(
            problems.control_loop_system(),
            stop=0.8,
            algorithm=dv.GaussSeidel(20),
            controller=controller,
        )
        for _ in range(2)
    ]
    assert np.array_equal(runs[0].time, runs[1].time)
    assert all(np.array_equal(runs[0][n], runs[1][n]) for n in runs[0])


@every_controller
def test_only_a_controller_that_rejects_needs_parts_that_go_back(controller):
    system = problems.two_mass_system(problems.Blind)
    if controller.rejects:
        with pytest.raises(dv.CapabilityError, match="'left' cannot go back"):
            dv.Session(system, stop=1.0, algorithm=dv.Jacobi(), controller=controller)
    else:
        dv.simulate(system, stop=0.2, algorithm=dv.Jacobi(), controller=controller)


class Leg:
    """As much of a leg as a judge looks at."""

    def __init__(self, before, after, failure=""):
        self.before, self.outputs = Position(before), Values(after)
        self.trial = Trial(failure)


class Position:
    def __init__(self, reals):
        self.outputs = Values(reals)


class Values:
    def __init__(self, reals):
        self.reals = np.atleast_1d(np.asarray(reals, dtype=float))


class Trial:
    def __init__(self, failure):
        self.failure = failure


def test_fixed_step_halves_a_failed_window_down_to_its_least_size():
    failed = [[Leg(0.0, 0.0, "no luck")]]
    controller = dv.FixedStep(1.0, min_size=0.3)
    assert controller.judge(Window.between(0, 1), failed, None) == Retry(0.5, "convergence")
    assert controller.judge(Window.between(0, 0.5), failed, None) == GiveUp("no luck")
    assert dv.FixedStep(1.0).judge(Window.between(0, 1), failed, None) == GiveUp("no luck")


def doubling(long, middle, end, start=0.0, size=0.1, **options):
    options = {"rtol": 1e-3, "atol": 1e-3, "max_size": 1.0, "order": 1, **options}
    controller = dv.StepDoubling(**options)
    branches = [[Leg(start, long)], [Leg(start, middle), Leg(middle, end)]]
    return controller.judge(Window.between(0.0, size), branches, None)


def test_step_doubling_compares_as_the_notes_say():
    """err = max(WRMS(a - f), WRMS(m - (f + y0)/2)), weight |a|; next = h clamp(0.9/sqrt(err))."""
    f, m, a = 1.004, 0.5, 1.0
    weight = 1.0 * 1e-3 + 1e-3
    richardson, slope = abs(a - f) / weight, abs(m - f / 2) / weight
    assert doubling(f, m, a) == Retry(pytest.approx(0.1 * 0.9 / richardson**0.5), "error")
    assert slope < richardson
    f = 1.001
    size = 0.1 * 0.9 / (abs(a - f) / weight) ** 0.5
    assert doubling(f, m, a) == Accept(pytest.approx(size))


def test_step_doubling_catches_what_both_ends_miss():
    """A bump in the middle: Richardson's difference is nothing, the slope check sees it."""
    decision = doubling(1.0, 0.505, 1.0)
    assert decision == Retry(pytest.approx(0.1 * 0.9 / (0.005 / 2e-3) ** 0.5), "error")


def test_step_doubling_takes_the_root_that_belongs_to_the_order():
    second = doubling(1.0005, 0.5 + 0.00025, 1.0, order=2)
    error = 0.0005 / 2e-3
    assert second == Accept(pytest.approx(0.1 * 0.9 / error ** (1 / 3)))


def test_step_doubling_grows_and_shrinks_within_bounds():
    assert doubling(1.0, 0.5, 1.0) == Accept(0.2)
    assert doubling(100.0, 0.5, 1.0) == Retry(pytest.approx(0.02), "error")
    assert doubling(1.0, 0.5, 1.0, size=0.8) == Accept(1.0)


def test_step_doubling_accepts_at_its_least_size_whatever_the_error():
    assert doubling(100.0, 0.5, 1.0, min_size=0.1, first_size=0.1) == Accept(0.1)


def test_step_doubling_takes_a_fifth_of_a_window_that_failed():
    controller = dv.StepDoubling(first_size=0.1, min_size=0.01)
    failed = [[Leg(0.0, 0.0, "no luck")]]
    decision = controller.judge(Window.between(0, 0.1), failed, None)
    assert decision == Retry(pytest.approx(0.02), "convergence")
    assert controller.judge(Window.between(0, 0.04), failed, None) == GiveUp("no luck")


def test_step_doubling_of_nothing_but_discrete_values_goes_on():
    assert doubling([], [], []) == Accept(0.2)
