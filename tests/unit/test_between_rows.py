"""Values between the rows of a run whose windows followed an error."""

import numpy as np
import pytest

import dovetail as dv
from dovetail.results.between_rows import between_rows

WANTED = np.linspace(0.0, 4.0, 4001)


def read(time, values, *, curved=True, at=WANTED):
    return between_rows(np.asarray(time), np.asarray(values), at, "y", real=True, curved=curved)


def uneven(count):
    """Rows whose distances differ by up to half, from 0 to 4."""
    steps = np.cumsum(np.random.default_rng(3).uniform(0.6, 1.0, count))
    return np.concatenate([[0.0], 4.0 * steps / steps[-1]])


@pytest.mark.parametrize(("count", "gain"), [(20, 10), (40, 20)])
def test_a_smooth_curve_is_nearer_than_a_straight_line(count, gain):
    """By so much more the closer rows are: a line is of second order, the cubic of fourth."""
    time = uneven(count)
    inside = WANTED[(time[1] <= WANTED) & (time[-2] >= WANTED)]
    off = [
        np.abs(read(time, np.sin(2 * time), curved=c, at=inside) - np.sin(2 * inside)).max()
        for c in (True, False)
    ]
    assert gain * off[0] < off[1]


def test_rows_themselves_are_met_to_the_bit():
    time = uneven(20)
    assert read(time, np.sin(time), at=time).tobytes() == np.sin(time).tobytes()


def test_a_jump_that_no_event_announces_does_not_overshoot():
    time = uneven(20)
    found = read(time, (time > 2) * 1.0)
    assert found.min() == 0.0 and found.max() == 1.0


def test_events_are_not_looked_across():
    """A corner at an event: straight on both sides, and read so."""
    time = np.array([0.0, 1.0, 2.0, 2.0, 3.0, 4.0])
    found = read(time, np.array([0.0, 1.0, 2.0, 2.0, 1.0, 0.0]))
    assert np.abs(found - (2 - np.abs(WANTED - 2))).max() < 1e-12


def test_rows_far_away_and_very_near_ones_bend_nothing():
    """A cubic through rows at 1e-6 of a distance would be made of rounding."""
    time = np.array([0.0, 1.0, 1.0 + 1e-6, 2.0, 40.0])
    noise = np.array([0.0, 0.0, 1e-9, 0.0, 5.0])
    assert np.abs(read(time, noise, at=np.linspace(0, 2, 50))).max() < 2e-9
    ended = np.array([0.0, 1.0, 2.0, 2.0 + 1e-9]), np.array([0.0, 0.0, 0.0, 1e-9])
    assert np.abs(read(*ended, at=np.linspace(0, 2, 50))).max() < 2e-9


def test_windows_of_one_size_are_read_on_straight_lines():
    lag = dv.Dynamic(states={"y": 1.0}, outputs=["y"], derivatives=lambda t, x, u, p: [-x.y])
    system = dv.System("lag")
    system.add("lag", lag)
    result = dv.simulate(system, stop=2.0, step=0.5, quiet=True)
    middle = (result["lag.y"][0] + result["lag.y"][1]) / 2
    assert result.at(0.25, "lag.y") == pytest.approx(middle, abs=1e-15)


def test_a_result_from_a_file_is_read_like_the_one_it_was(tmp_path):
    drawn = dv.System("two")
    lag = dv.Dynamic(
        states={"y": 1.0}, inputs=["u"], outputs=["y"], derivatives=lambda t, x, u, p: [u.u - x.y]
    )
    drawn.add("a", lag)
    drawn.add("b", lag)
    drawn.connect("a.y", "b.u")
    drawn.connect("b.y", "a.u", gain=-1.0)
    result = dv.simulate(drawn, stop=2.0, verify=False, quiet=True)
    result.save(tmp_path / "run.parquet")
    times = np.linspace(0, 2, 101)
    again = dv.read(tmp_path / "run.parquet").at(times, "a.y")
    assert again.tobytes() == result.at(times, "a.y").tobytes()
    assert not np.array_equal(again, np.interp(times, result.time, result["a.y"]))
