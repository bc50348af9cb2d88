"""Errors weighed by the range that a signal has covered."""

from dataclasses import replace

import numpy as np
import problems
import pytest
from truth.problems import PROBLEMS, reference, true_errors

import dovetail as dv
from dovetail.controllers.covered_range import CoveredRange
from dovetail.verification.companion import Trajectory


def warm(offset: float) -> dv.System:
    """Two lags that feed each other, around a value far from zero."""
    system = dv.System("warm")
    for name, start in (("a", offset + 1.0), ("b", offset)):
        part = dv.Dynamic(
            states={"T": start},
            inputs={"other": offset},
            outputs=["T"],
            derivatives=lambda t, s, u, p: [u.other - s.T],
        )
        system.add(name, part)
    system.connect("a.T", "b.other")
    system.connect("b.T", "a.other")
    return system


def error(controller: dv.StepDoubling, offset: float) -> float:
    run = dv.simulate(
        warm(offset), stop=2.0, algorithm=dv.GaussSeidel(), controller=controller, quiet=True
    )
    exact = offset + 0.5 + 0.5 * np.exp(-2 * run.time)
    return float(np.abs(run["a.T"] - exact).max())


def test_a_temperature_in_kelvin_is_as_right_as_one_around_zero():
    """By values, a range of one kelvin at 300 K is within the tolerance whatever it does."""
    by_range = dv.StepDoubling(1e-3, 1e-9, scale="range")
    assert error(by_range, 300.0) < 4 * 1e-2
    assert error(by_range, 300.0) < 0.5 * error(replace(by_range, scale="value"), 300.0)


def test_the_range_grows_and_a_value_that_is_no_number_is_left_out():
    found = CoveredRange.of(np.array([1.0, -2.0])).joined(
        np.array([3.0, np.nan]), np.array([0.0, -2.5])
    )
    assert found.low.tolist() == [0.0, -2.5] and found.high.tolist() == [3.0, -2.0]
    assert found.scale.tolist() == pytest.approx([3.0 + 0.03, 0.5 + 0.025])


@pytest.mark.parametrize("kind", [dv.StepDoubling, dv.InputDefect])
def test_a_scale_that_is_none_is_refused(kind):
    with pytest.raises(dv.OptionError, match="scale must be 'value' or 'range', not 'nominal'"):
        kind(scale="nominal")


def test_windows_resume_after_events_at_the_size_they_had():
    """A controller that samples ten times a second: windows do not begin anew at each sample."""
    run = dv.simulate(problems.control_loop_system(), stop=2.0, quiet=True)
    sizes = np.diff(np.unique(run.time))
    late = sizes[np.unique(run.time)[1:] > 0.5]
    assert np.median(late) > 0.02, "of a tenth between two samples"


def test_a_run_goes_on_from_a_checkpoint_to_the_bit(tmp_path):
    options = {"controller": dv.StepDoubling(1e-3, scale="range"), "quiet": True}
    whole = dv.simulate(problems.two_mass_system(), stop=1.0, **options)
    with dv.Session(problems.two_mass_system(), stop=1.0, **options) as session:
        for step in session:
            if step.time > 0.4:
                session.checkpoint(tmp_path / "c")
                break
    rest = dv.simulate(problems.two_mass_system(), stop=1.0, resume=tmp_path / "c", **options)
    assert rest.final == whole.final


def test_a_signal_that_begins_to_move_late_counts_as_if_it_moved_on():
    still = CoveredRange.of(np.array([0.0, 0.0]))
    moved = np.array([1e-3, 0.0])
    here = replace(still.joined(moved), size=0.1)
    assert here.weights(moved, 0.05)[0] == pytest.approx(2e-3), "windows were to be twice as long"
    assert here.weights(moved, 1e-5)[0] == pytest.approx(1e-2), "and for ten windows at the most"
    assert here.weights(moved, 0.2)[0] == here.scale[0]
    assert replace(here, size=np.inf).weights(moved, 1e-5)[0] == here.scale[0]


def kinked(begin: float) -> dv.System:
    """A valve that opens when a level that rises passes a line; both feed a lag."""
    system = dv.System("kinked")
    level = dv.Dynamic(
        states={"h": 0.0},
        inputs=["drain"],
        outputs=["h"],
        derivatives=lambda t, s, u, p: [1.0 - u.drain],
        rtol=1e-9,
        atol=1e-11,
    )
    valve = dv.Algebraic(
        inputs=["h"], outputs=["q"], function=lambda t, u, p: [max(0.0, u.h - begin)]
    )
    system.add("level", level)
    system.add("valve", valve)
    system.connect("level.h", "valve.h")
    system.connect("valve.q", "level.drain")
    return system


def test_a_kink_is_found_in_few_windows():
    """A valve that was shut has covered nothing: weighed by that alone, any window is too long.

    By ranges alone 40 windows and 15 that were rejected; 28 and 9 with what it moves on to.
    """
    run = dv.simulate(kinked(1.0), stop=5.0, quiet=True, verify=False)
    exact = np.where(run.time < 1, run.time, 2 - np.exp(1 - run.time))
    assert np.abs(run["level.h"] - exact).max() < 1e-3 * 1.98
    assert run.statistics.windows <= 32 and run.statistics.rejected_by_error <= 11


def test_lines_may_miss_more_of_signals_that_are_at_their_start():
    before = CoveredRange.of(np.array([0.0, 0.0, 0.0])).joined(np.array([1.0, 1.0, 0.0]))
    after = before.joined(np.array([0.5, 2.0, 1.0]))
    assert after.between_rows(before) == pytest.approx([1.0, 8.0, 30.0])
    assert np.all(before.between_rows(before) == 1.0)


def test_signals_that_begin_like_a_high_power_of_time_ask_for_few_windows():
    """Ten states behind one another: the last one begins like the tenth power.

    Windows were 6 % of the time that had passed until it had moved: 139 of them.
    """
    problem = PROBLEMS["ladder"]
    run = dv.simulate(problem.draw(), stop=problem.stop, quiet=True, verify=False)
    errors = true_errors(Trajectory.of(run), reference(problem, run.time))
    assert max(errors.values()) < 1e-5
    assert run.statistics.windows <= 70 and run.statistics.evaluations <= 1300
