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
        lambda folder: dv.Thinned(1e-3),
    ],
    ids=["memory", "parquet", "csv", "tsv", "hdf5", "mat", "thinned"],
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
