"""Two results side by side."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
from catalogue import pair

import dovetail as dv
from dovetail.core.errors import OptionError
from dovetail.results.comparison import compare
from dovetail.results.result import Result


def straight(times: list[float] | np.ndarray, **values: list[float] | np.ndarray) -> Result:
    return Result.of(times, {f"a.{name}": v for name, v in values.items()}, {"a.x": "m"})


def ball(event: float, left: int = 40, right: int = 60, after: float = 2.0) -> Result:
    """A straight line that jumps from -1 to `after` at an event, on a grid of its own."""
    time = np.concatenate([np.linspace(0, event, left), np.linspace(event, 2, right)])
    value = np.where(np.arange(len(time)) < left, -time / event, after + time - event)
    return straight(time, x=value)


def test_the_same_result_differs_nowhere() -> None:
    a = ball(1.0)
    comparison = a.compare(a)
    assert comparison.within and bool(comparison)
    assert comparison.worst is not None
    assert comparison.worst.error == 0.0
    assert comparison.table()[0].startswith("Within tolerance")
    assert "nowhere" in str(comparison)


def test_other_times_are_read_on_a_straight_line() -> None:
    a = straight([0.0, 0.25, 0.7, 1.0], x=[0.0, 0.5, 1.4, 2.0])
    b = straight([0.0, 0.5, 1.0], x=[0.0, 1.0, 2.0])
    assert compare(a, b).within
    assert compare(b, a).within


def test_the_worst_variable_is_named_with_place_and_size() -> None:
    time = np.linspace(0, 10, 101)
    a = straight(time, x=time, y=np.sin(time))
    b = straight(time, x=time + 1e-3 * (time == time[37]), y=np.sin(time) + 1e-8)
    comparison = a.compare(b, rtol=1e-6, atol=1e-9)
    worst = comparison.worst
    assert worst is not None and worst.name == "a.x" and worst.unit == "m"
    assert worst.time == time[37]
    assert worst.error == pytest.approx(1e-3)
    assert worst.scaled == pytest.approx(1e-3 / (1e-9 + 1e-6 * 10), rel=1e-3)
    assert worst.values == (pytest.approx(3.7), pytest.approx(3.701))
    assert not comparison
    assert "1 of 2 variables" in comparison.table()[0]
    assert "t = 3.7 s: 3.7 and 3.701 m" in str(comparison)


def test_a_range_that_explodes_does_not_excuse_the_error() -> None:
    time = np.linspace(0, 1, 11)
    assert not compare(straight(time, x=time), straight(time, x=1e9 * time), rtol=1e-3)
    assert not compare(straight(time, x=1e9 * time), straight(time, x=time), rtol=1e-3)


def test_rounding_of_large_constants_is_no_difference() -> None:
    time = np.linspace(0, 1, 11)
    a, b = np.full(11, 3e9), np.full(11, 3e9)
    b[4] = np.nextafter(3e9, inf)
    assert compare(straight(time, x=a), straight(time, x=b), rtol=0.0, atol=0.0)


def test_names_in_one_of_them_only_are_listed() -> None:
    a = straight([0.0, 1.0], x=[0.0, 1.0], p=[1.0, 1.0])
    b = straight([0.0, 1.0], x=[0.0, 1.0], q=[1.0, 1.0])
    comparison = compare(a, b)
    assert comparison.within
    assert comparison.only_in_first == ("a.p",)
    assert comparison.only_in_second == ("a.q",)
    assert "Only in the first: a.p." in comparison.table()
    assert [d.name for d in compare(a, b, patterns="a.x").differences] == ["a.x"]
    assert compare(a, b, patterns="a.x").only_in_first == ()


def test_nothing_in_common_is_not_within() -> None:
    comparison = compare(straight([0.0, 1.0], x=[0.0, 1.0]), straight([0.0, 1.0], y=[0.0, 1.0]))
    assert comparison.worst is None and not comparison.within
    assert "no variable in common" in str(comparison)


def test_only_the_common_time_is_compared() -> None:
    a = straight([0.0, 1.0, 2.0, 3.0], x=[0.0, 1.0, 2.0, 99.0])
    b = straight([1.0, 2.0], x=[1.0, 2.0])
    comparison = compare(a, b)
    assert comparison.within
    assert (comparison.start, comparison.stop, comparison.same_range) == (1.0, 2.0, False)
    assert "Only one of them goes beyond 1 to 2 s." in comparison.table()


def test_no_time_in_common_is_an_error() -> None:
    with pytest.raises(OptionError, match="no row of the first"):
        compare(straight([0.0, 1.0], x=[0.0, 1.0]), straight([5.0, 6.0], x=[0.0, 1.0]))
    with pytest.raises(OptionError, match="no row of the first"):
        compare(straight([0.0, 9.0], x=[0.0, 1.0]), straight([5.0, 6.0], x=[0.0, 1.0]))
    with pytest.raises(OptionError, match="without rows"):
        compare(straight([], x=[]), straight([0.0], x=[0.0]))


@pytest.mark.parametrize("shift", [0.0, 1e-9, -1e-9, 1.5e-6, -1.5e-6])
def test_an_event_a_little_later_is_not_blamed_for_its_jump(shift: float) -> None:
    a, b = ball(1.0), ball(1.0 + shift, 77, 33)
    for first, second in ((a, b), (b, a)):
        comparison = compare(first, second, rtol=1e-6, atol=1e-9)
        assert comparison.worst is not None
        assert comparison.worst.error <= abs(shift) + 1e-12


def test_an_event_much_later_is_blamed() -> None:
    worst = compare(ball(1.0), ball(1.2)).worst
    assert worst is not None and worst.error > 2.5


def test_left_is_compared_with_left_and_right_with_right() -> None:
    """A wrong value right of the event is found, though left of it all is well."""
    a = straight([0.0, 1.0, 1.0, 2.0], x=[0.0, 1.0, 3.0, 4.0])
    b = straight([0.0, 1.0, 1.0, 2.0], x=[0.0, 1.0, 3.5, 4.0])
    worst = compare(a, b).worst
    assert worst is not None
    assert (worst.error, worst.time, worst.values) == (0.5, 1.0, (3.0, 3.5))


def test_rows_between_left_and_right_do_not_count() -> None:
    a = straight([0.0, 1.0, 1.0, 1.0, 2.0], x=[0.0, 1.0, 55.0, 3.0, 4.0])
    b = straight([0.0, 1.0, 1.0, 2.0], x=[0.0, 1.0, 3.0, 4.0])
    assert compare(a, b).within
    assert compare(b, a).within


def test_a_result_without_event_rows_may_hold_either_side() -> None:
    events = straight([0.0, 1.0, 1.0, 2.0], x=[0.0, 1.0, 3.0, 4.0])
    for value in (1.0, 3.0):
        single = straight([0.0, 1.0, 2.0], x=[0.0, value, 4.0])
        assert compare(single, events).within
        assert compare(events, single).within
    neither = straight([0.0, 1.0, 2.0], x=[0.0, 2.0, 4.0])
    for first, second in ((neither, events), (events, neither)):
        worst = compare(first, second).worst
        assert worst is not None and worst.error == pytest.approx(1.0)


def test_events_of_which_some_are_missing() -> None:
    time = np.repeat(np.arange(6.0), 2)[1:-1]
    value = np.repeat(np.arange(5.0), 2)
    every = straight(time, x=value)
    some = straight(np.delete(time, 3), x=np.delete(value, 3))
    assert compare(every, some).within
    assert compare(some, every).within


def test_discrete_values_are_held_and_must_be_equal() -> None:
    a = Result.of([0.0, 0.4, 0.6, 1.0], {"a.n": [0, 0, 1, 1], "a.s": ["u", "u", "v", "v"]})
    b = Result.of([0.0, 0.5, 1.0], {"a.n": [0, 1, 1], "a.s": ["u", "v", "w"]})
    comparison = compare(a, b)
    by_name = {d.name: d for d in comparison.differences}
    assert by_name["a.n"].scaled == 0.0
    assert (by_name["a.s"].scaled, by_name["a.s"].time) == (inf, 1.0)
    assert by_name["a.s"].values == ("v", "w")
    assert "'v' and 'w'" in str(comparison)
    assert not comparison.within


def test_a_discrete_change_a_little_later_is_no_difference() -> None:
    a = Result.of([0.0, 0.5, 1.0], {"a.b": [False, True, True]})
    b = Result.of([0.0, 0.5 + 1e-9, 1.0], {"a.b": [False, True, True]})
    assert compare(a, b).within
    assert compare(b, a).within
    late = Result.of([0.0, 0.6, 1.0], {"a.b": [False, True, True]})
    assert not compare(a, late).within


def test_discrete_values_at_events() -> None:
    a = Result.of([0.0, 1.0, 1.0, 2.0], {"a.n": [0, 0, 5, 5]})
    b = Result.of([0.0, 1.0, 1.0, 2.0], {"a.n": [0, 0, 7, 7]})
    assert compare(a, a).within
    single = Result.of([0.0, 1.0, 2.0], {"a.n": [0, 5, 5]})
    assert compare(a, single).within
    assert compare(single, a).within
    worst = compare(a, b).worst
    assert worst is not None and (worst.error, worst.time) == (2.0, 1.0)


def test_whole_numbers_of_a_text_file_compare_with_reals() -> None:
    a = straight([0.0, 0.5, 1.0], x=[0.0, 0.5, 1.0])
    b = Result.of([0, 1], {"a.x": [0, 1]})
    assert compare(a, b).within
    assert compare(b, a).within


def test_what_is_no_number_equals_only_itself() -> None:
    a = straight([0.0, 1.0, 2.0], x=[np.nan, inf, 1.0])
    assert compare(a, a).within
    for other in ([0.0, inf, 1.0], [np.nan, -inf, 1.0], [np.nan, inf, np.nan]):
        worst = compare(a, straight([0.0, 1.0, 2.0], x=other)).worst
        assert worst is not None and worst.scaled == inf


def test_one_row_can_be_compared() -> None:
    assert compare(straight([0.0], x=[1.0]), straight([0.0], x=[1.0])).within
    assert not compare(straight([0.0], x=[1.0]), straight([0.0], x=[2.0])).within


def test_a_long_table_is_cut() -> None:
    names = {f"a.x{k}": [0.0, 1.0 * k] for k in range(30)}
    comparison = compare(Result.of([0, 1], names), Result.of([0, 1], {n: [0, 1] for n in names}))
    lines = comparison.table(most=5)
    assert lines[-1] == "  and 25 more that are closer"
    assert len(lines) == 8


@pytest.mark.parametrize("merged_first", [False, True])
def test_a_system_is_compared_with_itself_merged(merged_first):
    """`left.x` with `pair.left.x`, in either order."""
    system = pair()
    merged = dv.System("pair")
    merged.add("pair", dv.merge(system, rtol=1e-9, atol=1e-9))
    algorithm = dv.GaussSeidel(20, inputs="ramp")
    run = {"stop": 1.0, "controller": dv.FixedStep(0.01), "quiet": True}
    both = [dv.simulate(system, algorithm=algorithm, **run), dv.simulate(merged, **run)]
    first, second = reversed(both) if merged_first else both
    found = first.compare(second, rtol=1e-4, atol=1e-6)
    assert found.within, str(found)
    assert {d.name.removeprefix("pair.") for d in found.differences} == {"left.x", "right.y"}
