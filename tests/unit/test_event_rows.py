"""Two rows at an event, left and right of it, in every recorder and file."""

import numpy as np
import pytest

import dovetail as dv


def falling():
    ball = dv.Dynamic(
        states={"h": 1.0, "v": 0.0},
        outputs=["h", "v"],
        derivatives=lambda t, x, u, p: [x.v, -9.81],
        zero_crossings=lambda t, x, u, p: [x.h],
        on_event=lambda which, t, x, u, p: {"h": 0.0, "v": -0.7 * x.v},
    )
    system = dv.System("falling")
    system.add("ball", ball)
    return system


@pytest.mark.parametrize(
    "recorder",
    [
        lambda folder: dv.Memory(),
        lambda folder: dv.Parquet(folder / "run.parquet"),
        lambda folder: dv.File(folder / "run.csv"),
        lambda folder: dv.File(folder / "run.tsv"),
        lambda folder: dv.File(folder / "run.h5"),
        lambda folder: dv.File(folder / "run.mat"),
        lambda folder: dv.Thinning(1e-3),
        lambda folder: dv.Sampling(0.25, events=True),
        lambda folder: dv.Sampling(0.25, interpolate=True, events=True),
    ],
    ids=["memory", "parquet", "csv", "tsv", "hdf5", "mat", "thinned", "sampled", "interpolated"],
)
def test_both_sides_of_an_event_are_kept(recorder, tmp_path):
    result = dv.simulate(
        falling(),
        stop=0.6,
        algorithm=dv.Jacobi(),
        controller=dv.FixedStep(0.1),
        recorder=recorder(tmp_path),
        quiet=True,
    )
    hit = np.sqrt(2 / 9.81)
    rows = np.flatnonzero(np.abs(result.time - hit) < 1e-6)
    assert len(rows) == 2
    assert result.time[rows[0]] == result.time[rows[1]]
    left, right = result["ball.v"][rows]
    assert left == pytest.approx(-9.81 * hit, rel=1e-5)
    assert right == pytest.approx(-0.7 * left, rel=1e-9)


def test_rows_along_a_grid_are_there_beside_those_of_events():
    options = {"algorithm": dv.Jacobi(), "controller": dv.FixedStep(0.05), "quiet": True}
    plain = dv.simulate(falling(), stop=0.6, recorder=dv.Sampling(0.2), **options)
    both = dv.simulate(falling(), stop=0.6, recorder=dv.Sampling(0.2, events=True), **options)
    assert plain.time == pytest.approx([0.0, 0.2, 0.4, 0.6])
    hit = np.sqrt(2 / 9.81)
    assert both.time == pytest.approx([0.0, 0.2, 0.4, hit, hit, 0.6])


def test_who_follows_a_run_sees_clocks_tick():
    system = dv.System("ticking")
    system.add("clock", dv.Clock(times=[0.3, 0.5]))
    options = {"algorithm": dv.Jacobi(), "controller": dv.FixedStep(0.25), "quiet": True}
    with dv.Session(system, stop=0.6, **options) as session:
        seen = [(step.time, step["clock.tick"]) for step in session]
    assert seen == [(0.25, False), (0.3, True), (0.5, True), (0.6, False)]
