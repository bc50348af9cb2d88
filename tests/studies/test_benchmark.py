"""A benchmark measures every way to run a system, and recommends one that is good enough."""

import os
import signal
from dataclasses import dataclass
from itertools import count
from time import monotonic

import numpy as np
import pytest
from scipy.linalg import expm
from studies import corner, pairs

import dovetail as dv
from dovetail.formats.yaml_ways import write_ways
from dovetail.studies.benchmarking import candidates as tried
from dovetail.studies.benchmarking import race
from dovetail.studies.benchmarking.timed_run import dense, error_of

RUN = {"stop": 1.0, "jobs": 0, "cost": "evaluations"}


@pytest.fixture
def few(monkeypatch):
    """Three algorithms, which take a second instead of a minute."""
    forms = (dv.GaussSeidel(), dv.GaussSeidel(extrapolation=1), dv.GaussSeidel(100, inputs="ramp"))
    monkeypatch.setattr(tried, "_FORMS", forms)
    monkeypatch.setattr(tried, "_ESTIMATED", ())
    monkeypatch.setattr(tried, "_STEERED", ())


def exact(time):
    k, d, m = 20e3, 1500.0, 300.0
    A = np.array([[0.0, 1.0], [-k / m, -d / m]])
    return np.array([expm(A * t) @ [0.05, 0.0] for t in time]).T


def test_the_recommended_run_is_as_right_as_it_says(few):
    """Errors of the report are those against the exact solution, to a tenth."""
    found = dv.benchmark(corner.system(), record="body.x", tolerance=1e-2, **RUN)
    best = found.recommended
    assert best.error <= 1e-2 and "merged" in found.reference.way
    drawn = corner.system()
    found.apply(drawn)
    result = dv.simulate(drawn, stop=1.0, quiet=True)
    right = exact(result.time)[0]
    span = np.ptp(exact(np.linspace(0.0, 1.0, 1001))[0])
    assert abs(result["body.x"] - right).max() / span == pytest.approx(best.error, rel=0.1)
    assert result.statistics.evaluations == best.evaluations


def test_no_candidate_that_is_good_enough_is_cheaper(few):
    found = dv.benchmark(corner.system(), record="body.x", tolerance=1e-2, **RUN)
    good = [row.evaluations for row in found.rows if row.done and row.error <= 1e-2]
    assert found.recommended.evaluations <= 1.15 * min(good) and len(good) >= 2
    assert {e.candidate.title.split(",")[0] for e in found.entrants} >= {"GaussSeidel()"}
    assert str(found).splitlines()[-1].startswith("Recommended: ")
    assert len(found.table()) == len(found.rows)


def test_where_equations_cannot_be_merged_two_small_windows_are_the_reference(tmp_path, few):
    """The reference says how well it is known; it is: the truth is closer than ten times that."""
    system = pairs.thermostat(tmp_path)
    found = dv.benchmark(system, stop=4.0, tolerance=1e-2, jobs=0, cost="evaluations")
    assert "windows of" in found.reference.way and found.reference.error < 1e-3
    A = np.array([[-0.5 - 2.0, 1.5], [-1.0, 0.0]])  # x' = -x/2 + 2 (1 - x) + 1.5 i, i' = 1 - x
    rest = np.linalg.solve(A, -np.array([2.0, 1.0]))
    time = np.asarray(found.reference.time)[::97]
    right = np.array([(rest - expm(A * t) @ rest)[0] for t in time])
    seen = np.asarray(found.reference.columns["room.y"])[::97]
    assert abs(seen - right).max() < max(10 * found.reference.error, 1e-6) * np.ptp(right)


def test_what_cannot_run_is_a_row_with_the_reason(tmp_path, few):
    """An FMU that does not roll back is not asked to; the candidate says so."""
    from fmus import build

    system = dv.System("one way")
    for name in ("prey", "predator"):
        fmu = build.build(name, 2, tmp_path, state_saving=False)
        system.add(name, dv.load(fmu))
    system.connect("prey.x", "predator.u")
    system.connect("predator.x", "prey.u")
    found = dv.benchmark(system, stop=5.0, tolerance=3e-2, jobs=0, cost="evaluations")
    left = {e.candidate.title: e.ended for e in found.entrants if not e.good}
    (why,) = (why for title, why in left.items() if "ramp" in title)
    assert "cannot run on this system" in why and "\n" not in why
    assert "could not run" in str(found)


@dataclass(frozen=True)
class Deadly(dv.GaussSeidel):
    """An algorithm in which a part takes its process along."""

    def step(self, attempt, state):
        os.kill(os.getpid(), signal.SIGKILL)


def test_a_candidate_that_crashes_takes_only_itself_along(few, monkeypatch):
    monkeypatch.setattr(tried, "_FORMS", (Deadly(), dv.GaussSeidel(extrapolation=1)))
    given = {"record": "body.x", "tolerance": 3e-2, "stop": 1.0, "cost": "evaluations"}
    found = dv.benchmark(corner.system(), **given)
    ended = {e.candidate.title: e.ended for e in found.entrants}
    assert "ended by SIGKILL, twice" in ended["Deadly()"], ended
    assert found.recommended.done


def test_time_that_is_up_is_said(few, monkeypatch):
    """Time is up behind the first run, however quick the machine is."""
    looks = count()
    monkeypatch.setattr(race, "monotonic", lambda: monotonic() + 1e6 * next(looks))
    found = dv.benchmark(corner.system(), record="body.x", tolerance=1e-7, budget=60.0, **RUN)
    assert len(found.rows) == 1
    assert any(e.ended == "time was up" for e in found.entrants)
    assert "were not tried, as time was up:" in str(found)
    assert found.seconds < 20.0


def test_the_picture_has_a_curve_for_each(few, tmp_path):
    found = dv.benchmark(corner.system(), record="body.x", tolerance=1e-2, **RUN)
    figure = found.plot(tmp_path / "precision.svg")
    labels = [line.get_label() for line in figure.axes[0].lines]
    assert sum("GaussSeidel" in str(one) for one in labels) >= 3
    assert (tmp_path / "precision.svg").read_text().startswith("<?xml")


def test_errors_count_in_ranges_and_flat_signals_do_not():
    time = np.linspace(0.0, 1.0, 11)
    right = {"x": 4.0 * time, "flat": np.full(11, 3.0)}
    seen = dv.Result.of(time, {"x": 4.0 * time + 0.02, "flat": np.full(11, 3.0 + 1e-13)})
    assert error_of(seen, (time, right), 1e-3) == pytest.approx(0.005)


def test_a_dense_reference_keeps_its_rows_and_its_events():
    time = np.array([0.0, 0.5, 1.0, 1.0, 1.5, 2.0])
    rows = np.array([[0.0, 0.25, 1.0, 5.0, 5.0, 5.0]])
    finer, columns = dense(time, rows, ["x"])
    assert set(time) <= set(finer) and np.count_nonzero(finer == 1.0) == 2
    assert columns["x"][finer > 1.0] == pytest.approx(5.0)
    assert columns["x"][np.flatnonzero(finer == 1.0)].tolist() == [1.0, 5.0]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"tolerance": 0.0}, "tolerance must be"),
        ({"budget": -1.0}, "budget must be"),
        ({"cost": "money"}, "cost is 'seconds' or 'evaluations'"),
        ({"rtol": 1e-3}, "it is tolerance="),
        ({"stop": None}, "no stop time"),
    ],
)
def test_what_cannot_be_meant_is_refused(given, message):
    with pytest.raises(dv.OptionError, match=message):
        dv.benchmark(corner.system(), **{"stop": 1.0, "jobs": 0} | given)


def test_where_nothing_is_exchanged_there_is_nothing_to_choose():
    alone = dv.Dynamic(states={"x": 1.0}, outputs=["x"], derivatives=lambda t, x, u, p: [-x.x])
    with pytest.raises(dv.OptionError, match="nothing is exchanged"):
        dv.benchmark(alone, stop=1.0)


HEAD = """\
dovetail: 1
parts:  # both of them
  prey: models.py:prey
  predator: models.py:predator
connections:
  - prey.preys -> predator.preys
"""
WRITTEN = [
    "",
    "run: {stop: 1, algorithm: jacobi, step: 0.1}\n",
    "run:\n    stop: 1  # s\n    step: 0.1\n",
    "run:\n  algorithm:\n    gauss_seidel:\n      inputs: ramp\n\n  # kept\n  stop: 1\nname: x\n",
    "run:\n",
    "run:\n  estimators: {prey: rollback}\n  stop: 1",
]


@pytest.mark.parametrize("run", WRITTEN)
def test_ways_are_written_into_a_file_and_all_else_stays(run, tmp_path):
    from cli.calling import MODELS

    (tmp_path / "models.py").write_text(MODELS)
    path = tmp_path / "system.yaml"
    path.write_text(HEAD + run)
    ways = dv.GaussSeidel(extrapolation=1), dv.FixedStep(0.25)
    write_ways(path, dv.System("x").run_settings.__class__(None, None, *ways))
    made, text = dv.open(path).run_settings, path.read_text()
    assert (made.algorithm, made.controller, made.estimators) == (*ways, None)
    assert text.startswith(HEAD) and ("# kept" in text) == ("# kept" in run)
    assert ("stop: 1" in run) == (made.stop == 1.0)
    assert ("# s" in text) == ("# s" in run) and "step: 0.1" not in text


def test_ways_are_not_written_into_other_files(tmp_path):
    (tmp_path / "x.ssp").write_bytes(b"")
    with pytest.raises(dv.FileError, match="systems in YAML only"):
        write_ways(tmp_path / "x.ssp", dv.System("x").run_settings)
