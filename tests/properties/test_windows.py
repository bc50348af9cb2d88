"""Windows and the lines they are cut along: nothing is accumulated, nothing gets lost."""

from math import isclose, ulp

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

import dovetail as dv
from dovetail.core.window import Grid, Window

sizes = st.floats(1e-9, 1e6)


def walked(grid, start, limit=5000):
    """Windows from `start` to the end of the grid."""
    windows, time = [], start
    while time < grid.stop:
        assert len(windows) < limit, f"still at {time!r} after {limit} windows"
        windows.append(grid.after(time))
        assert windows[-1].start == time
        time = windows[-1].stop
    return windows


@pytest.mark.parametrize(
    ("count", "size", "stop"),
    [(1000, 0.01, 10.0), (1000, 0.005, 5.0), (10_000, 0.001, 10.0), (3, 1 / 3, 1.0)],
)
def test_windows_of_one_size_end_at_the_stop_exactly(count, size, stop):
    windows = walked(Grid(0.0, size, stop), 0.0, 20_000)
    assert len(windows) == count
    assert windows[-1].stop == stop
    assert {w.size for w in windows} == {size}


def test_a_thousand_windows_give_a_thousand_and_one_rows():
    system = dv.System("clock")
    system.add("clock", dv.Source(outputs=["t"], function=lambda t, p: [t]))
    result = dv.simulate(system, stop=10.0, algorithm=dv.Jacobi(), controller=dv.FixedStep(0.01))
    assert len(result) == 1001
    assert result.time[-1] == 10.0
    assert result.statistics.windows == 1000
    assert np.array_equal(result.time[:-1], [0.01 * k for k in range(1000)])
    assert np.array_equal(result["clock.t"], result.time)


@given(st.floats(-100, 100), st.floats(1e-3, 1e3), st.integers(1, 300), st.floats(0, 1))
def test_windows_tile_the_span_without_slivers(start, size, count, share):
    """Whatever the size: no window is a mere rounding, none is longer than asked for."""
    stop = start + (count - 1 + share) * size
    assume(stop > start + 1e-6 * size)
    windows = walked(Grid(start, size, stop), start)
    assert windows[-1].stop == stop
    for k, w in enumerate(windows[:-1]):
        assert w.stop == start + (k + 1) * size
        assert w.size == size
    assert windows[-1].size <= size * (1 + 1e-8)
    assert all(w.stop - w.start > 1e-10 * size for w in windows)


@given(st.floats(1e-3, 1e3), st.integers(1, 50), st.lists(st.floats(0.001, 0.999), max_size=5))
def test_after_an_event_windows_go_back_to_the_lines(size, count, events):
    grid, time, seen = Grid(0.0, size, count * size), 0.0, []
    while time < grid.stop:
        assert len(seen) < 500
        window = grid.after(time)
        if events:
            share = events.pop()
            time = window.start + share * (window.stop - window.start)
            assume(window.start < time < window.stop)
        else:
            time = window.stop
        seen.append(time)
    for line in [(k + 1) * size for k in range(count - 1)]:
        # an event nearer to a line than a billionth of a window stands for it
        assert min(abs(t - line) for t in seen) <= 1.001e-9 * size
    assert seen[-1] == grid.stop


@given(st.floats(-1e3, 1e3), sizes)
def test_halves_meet_in_the_middle(start, size):
    assume(start + size > start)
    window = Window(start, size, start + size)
    first, second = window.halves()
    assert (first.start, second.stop) == (window.start, window.stop)
    assert first.stop == second.start
    assert first.size == second.size == size / 2
    assert isclose(first.stop, start + size / 2, abs_tol=ulp(start))


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
def test_between_keeps_both_ends(start, stop):
    assume(stop > start)
    window = Window.between(start, stop)
    assert (window.start, window.stop, window.size) == (start, stop, stop - start)


@pytest.mark.parametrize(("start", "size"), [(1e6, 0.03), (1e9, 0.01), (1.7e9, 0.1)])
def test_a_start_far_from_zero_is_no_trouble(start, size):
    windows = walked(Grid(start, size, start + 10 * size), start, 20)
    assert len(windows) == 10


@pytest.mark.parametrize("size", [0.1, 1 / 3])
def test_a_billion_windows_are_no_trouble(size):
    grid = Grid(0.0, size, 1e300)
    for k in (10**8, 10**9):
        for j in range(k, k + 200):
            assert grid.after(j * size).stop == (j + 1) * size


@example(0.1, 3)
@given(st.floats(1e-3, 10), st.integers(1, 40))
def test_a_run_makes_the_windows_of_its_grid(size, count):
    system = dv.System("clock")
    system.add("clock", dv.Source(outputs=["t"], function=lambda t, p: [t]))
    result = dv.simulate(
        system, stop=count * size, algorithm=dv.Jacobi(), controller=dv.FixedStep(size)
    )
    assert result.statistics.windows == count
    assert result.time[-1] == count * size
