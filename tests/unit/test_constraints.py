"""Windows sized by rules: what each rule allows, and what a run makes of it."""

import numpy as np
import pytest

import dovetail as dv
from dovetail.controllers.step_limits import (
    CrossingLimit,
    DifferenceLimit,
    SamplingLimit,
    SignalCourse,
    limit_text,
    step_limit,
)


def course(now, before, earlier=None, size=0.1, errors=0.0, slopes=(0.0, 0.0)):
    def vector(value):
        return np.atleast_1d(np.array(value, float))

    now = vector(now)
    rows = np.repeat(np.array(slopes, float)[:, None], now.size, axis=1)
    missed = np.full((2, now.size), float(errors))
    past = None if earlier is None else vector(earlier)
    return SignalCourse(now, vector(before), past, rows, missed, size, size)


@pytest.mark.parametrize(
    ("change", "factor"),
    # shares of the tolerance up to which windows grow threefold, by a fifth, stay, are halved
    [(0.02, 3.0), (0.04, 1.2), (0.06, 1.0), (0.1, 0.5), (0.11, 0.01)],
)
def test_the_room_that_a_difference_leaves_decides(change, factor):
    rule = DifferenceLimit(("a.x",), rtol=1e9, atol=0.1)
    change -= 1e-12  # rounding of the difference
    assert rule.factor(course(1 + change, 1.0)) == factor
    assert rule.is_violated(np.array([1.0]), np.array([1.0 + change])) == (factor < 0.1)


def test_the_relative_difference_counts_as_well():
    rule = DifferenceLimit(("a.x",), rtol=0.01, atol=1e9)
    assert rule.is_violated(np.array([100.0]), np.array([101.1]))  # 1.1 of 101.1: over a hundredth
    assert not rule.is_violated(np.array([100.0]), np.array([100.9]))


def test_of_several_signals_the_spread_counts():
    rule = DifferenceLimit(("a.x", "b.x"), rtol=1e9, atol=1.0)
    assert rule.is_violated(np.array([0.0, 0.0]), np.array([5.0, 6.5]))
    assert not rule.is_violated(np.array([0.0, 0.0]), np.array([5.0, 5.5]))


def test_a_zero_ahead_is_hit():
    """Two steps of the same slope: 0.3 left, 0.5 gone in the last window, so 0.6 of a window."""
    rule = CrossingLimit(("a.x",), atol=0.01, order=1)
    assert rule.factor(course(-0.3, -0.8)) == pytest.approx(0.6)
    assert CrossingLimit(("a.x",), 0.01, safety=1.0, order=1).factor(
        course(-0.3, -0.8)
    ) == pytest.approx(0.3)


def test_a_parabola_sees_a_zero_that_a_line_misses():
    """x = 1 - t^2 at 0.8, with 0.1 windows: zero is 2 windows away; the line says 2.4."""
    at = course(1 - 0.8**2, 1 - 0.7**2, 1 - 0.6**2, slopes=(-1.6, -2.0))
    assert CrossingLimit(("a.x",), 1e-3, order=2)._steps(at) == pytest.approx(2.0)
    assert CrossingLimit(("a.x",), 1e-3, order=1)._steps(at) == pytest.approx(2.4)


@pytest.mark.parametrize(
    ("now", "before", "earlier", "factor"),
    [
        (0.002, -0.4, None, 1.2),  # crossed, well within the tolerance
        (0.008, -0.4, None, 1.0),
        (0.3, -0.4, None, 0.5),
        (0.3, -0.2, 0.1, 0.0),  # swings farther each time: the least size
        (0.5, 0.4, None, 3.0),  # going away
        (0.4, 0.41, None, 3.0),  # 40 windows away
    ],
)
def test_windows_around_a_zero(now, before, earlier, factor):
    rule = CrossingLimit(("a.x",), atol=0.01, order=1)
    assert rule.factor(course(now, before, earlier)) == factor


def test_two_signals_are_compared():
    rule = CrossingLimit(("a.x", "b.top"), atol=0.01)
    assert rule.is_violated(np.array([1.0, 2.0]), np.array([2.5, 2.0]))
    assert not rule.is_violated(np.array([1.0, 2.0]), np.array([2.005, 2.0]))


@pytest.mark.parametrize(
    ("time", "size"), [(0.0, 0.5), (0.5, 1.5), (1.999999999999, 1e-12), (2.0, 1.5)]
)
def test_sampling_ends_windows_at_its_instants(time, size):
    """Instants 0.5, 2, 3.5; one that is a rounding error away has been reached."""
    rule = SamplingLimit((), every=1.5, offset=0.5)
    expected = 1.5 if size == 1e-12 else size
    assert rule.next_size(time) == pytest.approx(expected)


def test_a_rule_is_a_text():
    text = limit_text("crossing", ("a.x[1, 2]", "b.top"), {"atol": 0.1, "order": 1})
    assert step_limit(text) == CrossingLimit(("a.x[1, 2]", "b.top"), atol=0.1, order=1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("crosing a.x", "Did you mean 'crossing'?"),
        ("crossing", "looks at 0 signals; a crossing takes one, or two to compare"),
        ("crossing a.x b.x c.x", "looks at 3 signals"),
        ("crossing a.x order=3", "order must be 1 or 2"),
        ("difference a.x atol=0", "atol must be above zero"),
        ("difference a.x atol=much", "atol must be a number"),
        ("sampling a.x", "a sampling names none"),
        ("sampling every=0", "every must be above zero"),
        ("difference 'a.x", "cannot be read"),
    ],
)
def test_what_is_no_rule_is_told(text, message):
    with pytest.raises(dv.OptionError) as error:
        dv.Constraints((text,))
    assert message in str(error.value)


def ramp(slope=1.0):
    return dv.Dynamic(
        states={"x": 0.0},
        parameters={"slope": slope, "top": 1.0},
        outputs=["x"],
        derivatives=lambda t, x, u, p: [p.slope],
    )


def drawn():
    system = dv.System("one")
    system.add("a", ramp())
    return system


def test_a_window_ends_at_the_zero():
    """x = t reaches top = 1; without the rule windows of 0.3 end at 0.9 and 1.2."""
    rule = "crossing a.x a.top atol=0.001 order=1"
    windows = dv.Constraints((rule,), first_size=0.3, min_size=1e-6, max_size=0.3)
    result = dv.simulate(drawn(), stop=2.0, controller=windows, quiet=True)
    assert np.abs(np.array(result.time) - 1.0).min() < 1e-3
    assert "limit" not in str(result.verdict)


def test_a_jump_is_narrowed_down_by_rollbacks():
    """A step of 1 at t = 0.77 violates 0.1 in every window it is in: down to the least size."""
    step = dv.Dynamic(
        states={"x": 0.0},
        outputs=["y"],
        derivatives=lambda t, x, u, p: [0.0],
        output=lambda t, x, u, p: [float(t >= 0.77)],
    )
    system = dv.System("one")
    system.add("a", step)
    rule = "difference a.y atol=0.1 rtol=10"
    windows = dv.Constraints((rule,), first_size=0.1, min_size=0.01, max_size=0.1)
    result = dv.simulate(system, stop=1.0, controller=windows, quiet=True)
    times, values = np.array(result.time), np.array(result["a.y"])
    k = int(np.argmax(values > 0.5))
    assert times[k] - times[k - 1] == pytest.approx(0.01)
    assert result.statistics.rejected_by_error > 0
    assert "1 of" in str(result.verdict) and f"violated a limit, at last '{rule}'" in str(
        result.verdict
    )


def test_without_rollback_windows_are_accepted_and_counted():
    rule = "difference a.x atol=0.1 rtol=10"
    windows = dv.Constraints((rule,), first_size=0.5, max_size=0.5, rollback=False)
    result = dv.simulate(drawn(), stop=1.0, controller=windows, quiet=True)
    assert result.statistics.rejected_by_error == 0
    assert "1 of" in str(result.verdict)  # the first, of 0.5; the next are a hundredth of it
    assert result.time[1] == 0.5 and result.time[2] == pytest.approx(0.505)


def test_sampling_does_not_make_the_next_window_short():
    """Windows of 0.4 cut at 0.5, 1, 1.5: after a cut they have 0.4 again, not the rest."""
    rules = ("difference a.x atol=1 rtol=10", "sampling every=0.5")
    windows = dv.Constraints(rules, first_size=0.4, max_size=0.4)
    result = dv.simulate(drawn(), stop=1.5, controller=windows, quiet=True)
    assert np.array(result.time) == pytest.approx([0, 0.4, 0.5, 0.9, 1.0, 1.4, 1.5])


def test_a_signal_that_is_not_there_is_told():
    windows = dv.Constraints(("difference a.z",))
    with pytest.raises(dv.OptionError, match=r"'a\.z', which is no output or parameter"):
        dv.simulate(drawn(), stop=1.0, controller=windows, quiet=True)


def test_it_is_kept_in_files(tmp_path, archive):
    system = dv.System("kept")
    system.add("a", dv.load(archive("linear")))
    system.run_settings = dv.formats.RunSettings(
        stop=1.0, controller=dv.Constraints(("difference a.y atol=0.1",), max_size=0.1)
    )
    system.save(tmp_path / "kept.yaml")
    assert dv.open(tmp_path / "kept.yaml").run_settings == system.run_settings
