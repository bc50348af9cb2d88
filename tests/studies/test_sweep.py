"""Many runs: the same values as single ones, whatever becomes of some of them."""

import faulthandler
import os
import signal
import time

import numpy as np
import pytest
from studies.corner import RUN, Marks, system

import dovetail as dv


def sweep(vary, drawn=None, **more):
    return dv.sweep(drawn or system(), vary, **{**RUN, "jobs": 2, **more})


def test_runs_are_those_of_simulate_to_the_bit():
    study = sweep({"strut.d": [500.0, 1500.0, 3000.0], "body.m": [250.0, 300.0]})
    assert study["body.x"].shape == (3, 2, 5)
    for i, d in enumerate([500.0, 1500.0, 3000.0]):
        for j, m in enumerate([250.0, 300.0]):
            values = {"strut.d": d, "body.m": m}
            one = dv.simulate(system(), stop=0.4, step=0.1, values=values, verify=False, quiet=True)
            assert np.array_equal(study["body.x"][i, j], one.at(study.time, "body.x"))
    assert not study.failed and all(row.status == "done" for row in study.rows)


@pytest.mark.parametrize("jobs", [0, 1, 3])
def test_the_number_of_processes_changes_nothing(jobs):
    vary = {"strut.d": dv.studies.Uniform(500, 3000)}
    one, other = (sweep(vary, samples=9, jobs=n) for n in (2, jobs))
    assert np.array_equal(one["body.x"], other["body.x"])


def test_gains_models_and_ways_are_varied():
    stiff = dv.Algebraic(
        inputs=["x", "v"], outputs=["force"], function=lambda t, u, p: [-9e4 * u.x]
    )
    gains = sweep({"strut.force -> body.force": [0.0, 1.0]})
    assert np.ptp(gains["body.x"][0]) == 0 < np.ptp(gains["body.x"][1])
    models = sweep({"strut": [system().parts["strut"].model, stiff]})
    assert not np.array_equal(*models["body.x"])
    ways = sweep({"algorithm": ["jacobi", dv.GaussSeidel(50, inputs="ramp")], "step": [0.1, 0.05]})
    assert [row.windows for row in ways.rows] == [4, 8, 4, 8]
    exact = dv.simulate(system(), stop=0.4, step=0.05, algorithm="jacobi", quiet=True)
    assert np.array_equal(ways["body.x"][0, 1], exact.at(ways.time, "body.x"))


def test_a_run_that_fails_is_a_row_with_its_reason():
    study = sweep({"body.m": [300.0, 0.0], "strut.d": [1500.0]})
    row = study.failed[0]
    assert (row.number, row.status) == (1, "failed") and "part 'body' failed" in row.reason
    assert np.isnan(study["body.x"][1]).any() and not np.isnan(study["body.x"][0]).any()
    assert "run 1 (body.m=0.0, strut.d=1500.0) failed: part 'body'" in str(study)


def test_values_that_do_not_fit_are_refused_for_their_run_only():
    study = sweep({"body.m": [300.0, "3 seconds"]})
    assert [row.status for row in study.rows] == ["done", "refused"]
    assert "seconds" in study.failed[0].reason


def segfault():
    faulthandler.disable()  # of this process, which is a copy of pytest's
    os.kill(os.getpid(), signal.SIGSEGV)


def abort():
    faulthandler.disable()
    os.abort()


@pytest.mark.parametrize(
    ("way", "said"),
    [
        (segfault, "was ended by SIGSEGV, twice"),
        (lambda: os._exit(0), "ended with exit code 0, twice"),
        (abort, "was ended by SIGABRT, twice"),
    ],
)
def test_a_run_that_takes_its_process_along_costs_itself_only(way, said):
    def death(d):
        if d == 700.0:
            way()

    values = [500.0, 600.0, 700.0, 800.0, 900.0, 1000.0]
    study = sweep({"strut.d": values}, system(death))
    assert [row.status for row in study.rows].count("done") == 5
    assert study.rows[2].status == "crashed" and said in study.rows[2].reason
    assert np.isnan(study["body.x"][2]).all()


def test_a_worker_that_is_killed_loses_nothing(tmp_path):
    marks = Marks(tmp_path / "marks")

    def death(d):
        if d == 700.0 and not (tmp_path / "once").exists():
            (tmp_path / "once").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        marks(d)

    study = sweep({"strut.d": [500.0, 600.0, 700.0, 800.0]}, system(death))
    assert not study.failed and not np.isnan(study["body.x"]).any()


def test_a_run_that_takes_too_long_is_ended():
    def death(d):
        if d == 600.0:
            time.sleep(60)

    begin = time.monotonic()
    study = sweep({"strut.d": [500.0, 600.0, 700.0]}, system(death), time_limit=3.0)
    assert [row.status for row in study.rows] == ["done", "too long", "done"]
    assert "longer than 3 s" in study.rows[1].reason
    assert time.monotonic() - begin < 50


def test_equal_points_are_run_once(tmp_path):
    marks = Marks(tmp_path / "marks")
    study = sweep({"strut.d": [500.0, 500.0, 500.0]}, system(marks))
    assert marks.count == 1 and np.ptp(study["body.x"], axis=0).max() == 0


def test_what_a_study_offers(tmp_path):
    units = sweep({"strut.d": [500.0, 900.0], "body.m": dv.studies.Normal(300, 9)}, samples=3)
    data = units.data
    assert data["body.x"].dims == ("strut.d", "sample", "time")
    assert data["body.x"].attrs["units"] == "m"
    assert data["body.m"].dims == ("sample",) and data["status"].shape == (2, 3)
    assert data.attrs["seed"] == 0 and data.attrs["samples"] == 3
    found = data["body.x"].sel({"strut.d": 900.0}).isel(sample=2, time=-1)
    assert float(found) == units["body.x"][1, 2, -1] == units.run(5)["body.x"][-1]
    assert list(units.table().columns[:3]) == ["strut.d", "body.m", "status"]
    assert units.worst("seconds").seconds == max(row.seconds for row in units.rows)
    with pytest.raises(dv.OptionError, match="verify=True"):
        units.worst()
    whole = units.rerun(4)
    assert whole.time.size == 5 and whole["body.x"][-1] == units["body.x"][1, 1, -1]
    with pytest.raises(KeyError, match=r"Did you mean 'body\.x'"):
        units["body.y"]


def test_errors_are_estimated_where_they_are_asked_for():
    study = sweep({"strut.d": [500.0, 1500.0]}, verify=True, jobs=1)
    assert all(row.error > 0 for row in study.rows)
    assert study.worst().error == max(row.error for row in study.rows)


def test_files_and_single_models_can_be_varied():
    ball = dv.Dynamic(states={"h": 1.0}, outputs=["h"], derivatives=lambda t, x, u, p: [-x.h])
    study = sweep({"h": [1.0, 2.0]}, ball)
    assert study["model.h"][:, 0].tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("vary", "more", "said"),
    [
        ({"strut.e": [1]}, {}, "strut.e"),
        ({"strut.d": [1], "boddy.m": [1]}, {}, "boddy"),
        ({"boddy": [1]}, {}, "no part of this system and no option of a run"),
        ({"body.x -> strut.v": [1]}, {}, "there is no connection"),
        ({"step": [0.1], "controller": ["fixed_step(0.1)"]}, {}, "not both"),
        ({"strut.d": [1]}, {"times": 1}, "times must be at least 2"),
        ({"strut.d": [1]}, {"times": [0.0, 9.0]}, "times= go from 0 to 9 s"),
        ({"strut.d": [1]}, {"times": [1.0, 0.0]}, "that rise"),
        ({"strut.d": [1]}, {"jobs": -1}, "jobs must be at least 0"),
        ({"strut.d": [1]}, {"time_limit": 0}, "time_limit must be above zero"),
        ({"strut.d": [1]}, {"stop": -1.0}, "stop"),
        ({"strut.d": [1]}, {"workers": 3}, "it is jobs="),
        ({"strut.d": [1]}, {"record": "wheel.*"}, "means no output or connected input"),
        ({"strut.d": [1]}, {"algorithm": "gaus_seidel"}, "gauss_seidel"),
    ],
)
def test_what_cannot_be_run_is_refused_before_anything_runs(vary, more, said, tmp_path):
    marks = Marks(tmp_path / "marks")
    with pytest.raises(dv.InputError, match=said):
        sweep(vary, system(marks), **more)
    assert marks.count == 0


def test_a_study_needs_what_it_varies():
    with pytest.raises(dv.OptionError, match=r"needs its vary, as in dv.sweep\(system, vary\)"):
        dv.sweep(system())  # type: ignore[call-arg]
