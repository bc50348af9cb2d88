"""What every controller promises."""

from itertools import pairwise

import numpy as np
import problems
import pytest
from catalogue import brief, controllers, suited

import dovetail as dv
from dovetail.controllers import Accept, GiveUp, Retry, chooses, varies
from dovetail.controllers.energy import EnergyState
from dovetail.controllers.proportional_integral import ProportionalIntegral
from dovetail.core.signals import Signals
from dovetail.core.window import Window

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
        problems.two_mass_system(), stop=stop, algorithm=suited(controller), controller=controller
    )
    assert result.time[-1] == stop
    assert np.all(np.diff(result.time) > 0)


@every_controller
def test_two_runs_agree_to_the_last_bit(controller):
    runs = [
        dv.simulate(
            problems.sampled_masses_system(),
            stop=0.8,
            algorithm=suited(controller),
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
        with pytest.raises(dv.CapabilityError, match="'left' cannot roll back"):
            dv.Session(system, stop=1.0, algorithm=suited(controller), controller=controller)
    else:
        dv.simulate(system, stop=0.2, algorithm=suited(controller), controller=controller)


@every_controller
def test_a_controller_that_chooses_sizes_says_so(controller):
    """Its windows differ; those of one that does not are all of its size."""
    result = dv.simulate(
        problems.two_mass_system(), stop=1.0, algorithm=suited(controller), controller=controller
    )
    size = controller.first_size
    alike = np.allclose(np.diff(result.time), size, rtol=1e-9)
    assert chooses(controller) is not alike
    assert chooses(controller) or not varies(controller) or controller.rejects


def test_one_that_does_not_say_is_taken_to_choose():
    """And to vary where it rejects, as controllers of users may that know nothing of this."""

    class Silent:
        rejects = True

    assert chooses(Silent())
    assert varies(Silent())
    Silent.rejects = False
    assert not varies(Silent())


class Leg:
    """As much of a leg as a judge looks at."""

    def __init__(self, before, after, failure="", window=None, event=False, late=False):
        self.before, self.outputs = Position(before), Signals(_reals(after))
        self.trial, self.window, self.event, self.late = Trial(failure), window, event, late


class Position:
    def __init__(self, reals):
        self.outputs = Signals(_reals(reals))


def _reals(values):
    return np.atleast_1d(np.asarray(values, dtype=float))


class Trial:
    def __init__(self, failure):
        self.failure, self.cause = failure, None


def test_fixed_step_halves_a_failed_window_down_to_its_least_size():
    failed = [[Leg(0.0, 0.0, "no luck")]]
    controller = dv.FixedStep(1.0, min_size=0.3)
    assert controller.judge(Window.between(0, 1), failed, None) == Retry(0.5, "convergence")
    decision = controller.judge(Window.between(0, 0.5), failed, None)
    assert decision.reason == "no luck" and "shorter windows do not help" in decision.remedy
    usual, strict = dv.FixedStep(1.0), dv.FixedStep(1.0, min_size=1.0)
    assert usual.judge(Window.between(0, 1), failed, None) == Retry(0.5, "convergence")
    assert strict.judge(Window.between(0, 1), failed, None) == GiveUp("no luck")


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


def test_step_doubling_counts_what_moved_before_a_switch_that_came_late():
    """Straight lines: nothing is off but the time of the event, by up to half a window."""
    controller = dv.StepDoubling(1e-3, 1e-3, first_size=0.1)
    window = Window.between(0.0, 0.1)
    segments = [Leg(0.0, 0.002), Leg(0.002, 0.004, event=True, late=True)]
    error = 0.002 / (1e-3 * 0.004 + 1e-3)
    decision = controller.judge(window, [[Leg(0.0, 0.004, event=True, late=True)], segments], None)
    assert decision == Retry(pytest.approx(0.1 * 0.9 / error), "error")


def test_step_doubling_takes_the_root_that_belongs_to_the_order():
    second = doubling(1.0005, 0.5 + 0.00025, 1.0, order=2)
    error = 0.0005 / 2e-3
    assert second == Accept(pytest.approx(0.1 * 0.9 / error ** (1 / 3)))


def test_step_doubling_grows_and_shrinks_within_bounds():
    assert doubling(1.0, 0.5, 1.0) == Accept(0.2)
    assert doubling(100.0, 0.5, 1.0) == Retry(pytest.approx(0.02), "error")
    assert doubling(1.0, 0.5, 1.0, size=0.8) == Accept(1.0)


def test_step_doubling_accepts_at_its_least_size_whatever_the_error():
    assert doubling(100.0, 0.5, 1.0, min_size=0.1, first_size=0.1) == Accept(0.1, doubtful=True)


def test_step_doubling_takes_a_fifth_of_a_window_that_failed():
    controller = dv.StepDoubling(first_size=0.1, min_size=0.01)
    failed = [[Leg(0.0, 0.0, "no luck")]]
    decision = controller.judge(Window.between(0, 0.1), failed, None)
    assert decision == Retry(pytest.approx(0.02), "convergence")
    assert controller.judge(Window.between(0, 0.04), failed, None) == GiveUp("no luck")


def test_step_doubling_of_nothing_but_discrete_values_goes_on():
    assert doubling([], [], []) == Accept(0.2)


def test_a_half_step_that_fails_counts_as_an_error_of_25():
    controller = dv.StepDoubling(first_size=0.1, min_size=0.001)
    branches = [[Leg(0.0, 1.0)], [Leg(0.0, 0.5), Leg(0.5, 1.0, "no luck")]]
    decision = controller.judge(Window.between(0, 0.1), branches, None)
    assert decision == Retry(pytest.approx(0.02), "error")
    at_least = dv.StepDoubling(first_size=0.1, min_size=0.1)
    assert at_least.judge(Window.between(0, 0.1), branches, None) == GiveUp("no luck")


@pytest.mark.parametrize("order", [1, 2, 3])
def test_extrapolated_outputs_are_richardsons(order):
    """(2^p a - f) / (2^p - 1)."""
    f, m, a = 1.0002, 0.5001, 1.0
    accepted = doubling(f, m, a, order=order, extrapolate=True)
    assert accepted.outputs.reals == pytest.approx((2**order * a - f) / (2**order - 1))
    assert doubling(f, m, a, order=order).outputs is None


def test_recorded_outputs_gain_an_order_and_the_parts_stay_where_they_were():
    """What is recorded is better; what comes next is the same to the last bit."""
    errors, finals = [], []
    for extrapolate in (False, True):
        controller = dv.StepDoubling(
            1e-3, 1e-3, first_size=0.01, max_size=0.02, extrapolate=extrapolate
        )
        with dv.Session(
            problems.prey_predator_system(),
            stop=0.1,
            algorithm=dv.Jacobi(),
            controller=controller,
        ) as session:
            for _ in session:
                pass
            finals.append(session._stepper.position.outputs.reals)
            result = session.result
        # the first window is one local error: of second order, extrapolated of third
        found = np.array([result[n][1] for n in problems.prey_predator.watched])
        exact = problems.prey_predator.exact(result.time[1])
        errors.append(np.max(np.abs(found - np.ravel(exact))))
    assert errors[1] < 0.02 * errors[0]
    assert np.array_equal(*finals)


def test_adaptive_doubles_what_converged_and_takes_a_fifth_of_what_did_not():
    controller = dv.Adaptive(first_size=0.1, min_size=0.01, max_size=0.3)
    fine, failed = [[Leg(0.0, 1.0)]], [[Leg(0.0, 0.0, "no luck")]]
    assert controller.judge(Window.between(0, 0.1), fine, None) == Accept(0.2)
    assert controller.judge(Window.between(0, 0.2), fine, None) == Accept(0.3)
    decision = controller.judge(Window.between(0, 0.1), failed, None)
    assert decision == Retry(pytest.approx(0.02), "convergence")
    given_up = controller.judge(Window.between(0, 0.04), failed, None)
    assert given_up == GiveUp("no luck, and the window cannot be cut any further (min_size 0.01 s)")


def test_adaptive_needs_an_algorithm_that_iterates():
    with pytest.raises(dv.OptionError, match=r"does not iterate; give it max_iterations"):
        dv.Session(
            problems.two_mass_system(),
            stop=1.0,
            algorithm=dv.Jacobi(),
            controller=dv.Adaptive(),
        )


@pytest.mark.parametrize("controller", [dv.Energy(), dv.InputDefect()], ids=brief)
def test_controllers_that_watch_a_lag_need_an_algorithm_that_has_one(controller):
    with pytest.raises(dv.OptionError, match=r"the algorithm iterates until .* max_iterations=1"):
        dv.Session(
            problems.two_mass_system(),
            stop=1.0,
            algorithm=dv.GaussSeidel(10),
            controller=controller,
        )


@pytest.mark.parametrize("doubling", [False, True])
def test_what_is_checked_is_what_fixed_steps_give(doubling):
    """Monitoring changes nothing."""
    runs = [
        problems.two_mass.run(dv.GaussSeidel(20, rtol=1e-6, atol=1e-6), controller)
        for controller in (dv.FixedStep(0.05), dv.ErrorCheck(0.05, doubling=doubling))
    ]
    for name in runs[0]:
        assert np.array_equal(runs[0][name], runs[1][name])
    assert np.array_equal(runs[0].time, runs[1].time)


@pytest.mark.parametrize("doubling", [False, True])
def test_windows_beyond_the_tolerance_are_counted_and_told(doubling):
    tight = problems.two_mass.run(
        dv.GaussSeidel(), dv.ErrorCheck(0.05, 1e-9, 1e-9, doubling=doubling)
    )
    loose = problems.two_mass.run(
        dv.GaussSeidel(), dv.ErrorCheck(0.05, 1.0, 1.0, doubling=doubling)
    )
    windows = tight.statistics.windows
    assert tight.statistics.beyond_tolerance >= windows - 1
    assert tight.verdict.doubtful
    assert "windows was beyond the tolerance" in str(tight.verdict)
    assert loose.statistics.beyond_tolerance == 0
    assert "beyond the tolerance" not in str(loose.verdict)


@pytest.mark.parametrize("doubling", [False, True])
def test_a_window_beyond_the_tolerance_stops_a_run_that_asks_for_it(doubling):
    controller = dv.ErrorCheck(0.05, 1e-9, 1e-9, doubling=doubling, on_error="stop")
    with pytest.raises(dv.StepFailed, match=r"the error of this window is .* times the tolerance"):
        problems.two_mass.run(dv.GaussSeidel(), controller)


def test_checking_by_slopes_measures_the_bend_between_two_windows():
    controller = dv.ErrorCheck(0.1, rtol=1e-3, atol=1e-3)
    first = Leg(0.0, 1.0, window=Window.between(0.0, 0.1))
    state = controller.judge(first.window, [[first]], None).state
    second = Leg(1.0, 2.004, window=Window.between(0.1, 0.2))
    accepted = controller.judge(second.window, [[second]], state)
    error = abs(1.0 - 2.004 / 2) / (2.004e-3 + 1e-3)
    assert accepted.state.worst == pytest.approx(error)
    assert not accepted.doubtful
    # right of an event there is no slope to compare with
    jump = Leg(0.0, 1.0, window=Window.between(0.0, 0.1), event=True)
    state = controller.judge(jump.window, [[jump]], None).state
    assert controller.judge(second.window, [[second]], state).state.worst == 0


def test_the_line_of_an_error_check_is_as_good_as_the_inputs():
    """Windows of 0.05 s: what straight lines miss of the outputs is no error of cubics.

    Results with errors of 1e-6 were doubted at 1e-3.
    """
    check = dv.ErrorCheck(0.05, 1e-3, 1e-3)
    linear = problems.two_mass.run(dv.GaussSeidel(50, inputs="ramp"), check)
    cubic = problems.two_mass.run(dv.GaussSeidel(50, inputs="hermite"), check)
    assert problems.two_mass.error(linear) > 1e-3 and linear.verdict.doubtful
    assert problems.two_mass.error(cubic) < 1e-5 and not cubic.verdict.doubtful
    strict = problems.two_mass.run(
        dv.GaussSeidel(50, inputs="hermite"), dv.ErrorCheck(0.05, 1e-7, 1e-7)
    )
    assert strict.verdict.doubtful


def test_half_steps_do_not_take_what_outputs_bend_by_for_an_error():
    """By the slope check of `StepDoubling` each of these windows was beyond, up to 110 times."""
    check = dv.ErrorCheck(0.05, 1e-5, 1e-5, doubling=True)
    cubic = problems.two_mass.run(dv.GaussSeidel(50, inputs="hermite"), check)
    assert problems.two_mass.error(cubic) < 1e-5 and not cubic.verdict.doubtful
    linear = problems.two_mass.run(dv.GaussSeidel(50, inputs="ramp"), check)
    assert problems.two_mass.error(linear) > 1e-3 and linear.verdict.doubtful


def test_checking_by_doubling_needs_parts_that_go_back_and_by_slopes_none():
    system = problems.two_mass_system(problems.Blind)
    with pytest.raises(dv.CapabilityError, match="cannot roll back"):
        dv.Session(
            system, stop=1.0, algorithm=dv.Jacobi(), controller=dv.ErrorCheck(0.1, doubling=True)
        )
    dv.simulate(system, stop=0.2, algorithm=dv.Jacobi(), controller=dv.ErrorCheck(0.1))


def test_the_next_size_follows_gustafssons_rule():
    rule = ProportionalIntegral(power=2.0, safety=0.9, low=0.2, high=1.5)
    assert rule.factor(0.5, 0.4) == pytest.approx(0.9 * 0.5 ** (-0.15 - 0.2) * 0.4**0.2)
    assert rule.factor(1e-9, 1.0) == 1.5
    assert rule.factor(1e9, 1.0) == 0.2
    assert rule.factor(0.0, 1.0) == 1.5


def test_energy_weighs_what_goes_astray_with_what_goes_through():
    """e = sqrt(mean((dP h / (atol + rtol P h))^2)), P the highest power, fading by 5 % a window."""
    controller = dv.Energy(rtol=0.01, atol=1e-4, max_size=1.0)
    window = Window.between(0.0, 0.1)
    before = EnergyState(0.5, np.array([2.0, 10.0]), np.zeros(2), np.zeros(2))
    accepted = controller.decided(window, np.array([0.02, -0.1]), np.array([-4.0, 5.0]), before)
    scaled = np.array([0.002, 0.01]) / (1e-4 + 0.01 * np.array([4.0, 9.5]) * 0.1)
    error = np.sqrt(np.mean(scaled**2))
    assert accepted.state.error == pytest.approx(error)
    factor = ProportionalIntegral(2.0, 0.9).factor(error, 0.5)
    assert accepted.next_size == pytest.approx(0.1 * factor)
    assert accepted.state.astray == pytest.approx([0.002, -0.01])
    assert accepted.state.moved == pytest.approx([0.4, 0.5])


def test_a_defect_is_weighed_with_the_value_it_should_have_had():
    controller = dv.InputDefect(rtol=1e-2, atol=1e-3, max_size=1.0, order=2)
    accepted = controller.decided(
        Window.between(0.0, 0.1), np.array([0.02, 0.0]), np.array([3.0, 1.0]), None
    )
    error = 0.02 / 0.031
    assert accepted.state.error == pytest.approx(error)
    assert accepted.next_size == pytest.approx(0.1 * 0.9 * error ** (-0.15))
    late = controller.decided(Window.between(0, 0.1), np.array([5.0]), np.array([1.0]), None)
    assert late.doubtful
    assert late.next_size == pytest.approx(0.1 * 0.9 * (5.0 / 0.011) ** -0.15)


def test_windows_without_going_back_follow_the_tolerance():
    """Error and size fall as the first power of the tolerance, where the lag is a held input's."""
    for controller in (
        lambda tolerance: dv.InputDefect(tolerance, tolerance, first_size=1e-3),
        lambda tolerance: dv.Energy(
            tolerance, 1e-9, first_size=1e-3, bonds=("prey.u * predator.u",)
        ),
    ):
        errors, windows = [], []
        for tolerance in (8e-3, 2e-3):
            result = problems.prey_predator.run(dv.Jacobi(), controller(tolerance))
            errors.append(problems.prey_predator.error(result))
            windows.append(result.statistics.windows)
        assert 2.5 < errors[0] / errors[1] < 5  # a residual of power may vanish by chance
        assert 3 < windows[1] / windows[0] < 5
