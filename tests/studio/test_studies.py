"""Benchmarks and sweeps of the studio, in processes of their own; runs side by side."""

import time

import pytest

import dovetail as dv
from dovetail.studio.desk import Desk
from dovetail.studio.differences import difference_of
from dovetail.studio.folder import WorkFolder
from dovetail.studio.questions import QUESTIONS

PATIENCE = 90  # s


@pytest.fixture
def desk(folder):
    made = Desk(WorkFolder.of(folder), is_trusted=True, told=lambda run: None)
    made.ask("open", {"name": "oscillator.yaml"})
    made.ask("edit", {"command": {"do": "settings", "run": {"stop": 1.0, "step": 0.05}}})
    yield made
    made.close()


def ask(desk, what, **given):
    return QUESTIONS[what](desk, **given)


def over(desk, number):
    assert desk.studies._known(number).ready.wait(PATIENCE)
    return ask(desk, "study", number=number)


def test_a_sweep_has_the_signals_of_single_runs(desk):
    vary = {"mass.m": [1.0, 4.0], "mass.x": [1.0, 2.0]}
    found = over(desk, ask(desk, "sweep", vary=vary, record=["mass.x"]))
    assert found["state"] == "finished", found["text"]
    rows = found["found"]["rows"]
    assert [r["values"] for r in rows] == [
        {"mass.m": m, "mass.x": x} for m in (1.0, 4.0) for x in (1.0, 2.0)
    ]
    assert {r["status"] for r in rows} == {"done"}
    system = desk.copy()
    system.set("mass.m", 4.0)
    system.set("mass.x", 2.0)
    alone = dv.simulate(system, quiet=True)
    assert rows[3]["lines"]["mass.x"][-1] == pytest.approx(alone["mass.x"][-1], rel=1e-12)
    assert found["found"]["times"][-1] == 1.0


def test_a_run_of_a_sweep_that_fails_is_a_row_with_the_reason(desk):
    found = over(desk, ask(desk, "sweep", vary={"mass.m": [1.0, 0.0]}, record=["mass.x"]))
    good, bad = found["found"]["rows"]
    assert (good["status"], bad["status"]) == ("done", "failed")
    assert bad["reason"] and bad["lines"]["mass.x"][1:] == [None] * 100


@pytest.mark.parametrize(
    ("vary", "record", "why"),
    [
        ({}, ["mass.x"], "names with their values"),
        ({"mass.m": []}, ["mass.x"], "takes a list of values"),
        ({"mass.m": [[1]]}, ["mass.x"], "takes a list of values"),
        ({"mass.m": [float("inf")]}, ["mass.x"], "takes a list of values"),
        ({"mass.k": [1.0]}, ["mass.x"], "mass.k"),
        ({"mass.m": [1.0] * 201}, ["mass.x"], "too many"),
        ({"mass.m": [1.0]}, [], "signals are drawn"),
        ("mass.m", ["mass.x"], "names with their values"),
    ],
)
def test_a_sweep_that_cannot_be_is_refused_before_anything_runs(desk, vary, record, why):
    with pytest.raises(dv.DovetailError, match=why):
        ask(desk, "sweep", vary=vary, record=record)
    assert ask(desk, "studies") == []


def test_a_benchmark_recommends_settings_that_the_drawing_takes_and_that_run(desk):
    number = ask(desk, "benchmark", budget=60, tolerance=1e-2, cost="evaluations")
    found = over(desk, number)
    assert found["state"] == "finished", found["text"]
    told = found["found"]
    best = [row for row in told["rows"] if row["best"]]
    assert len(best) == 1 and best[0]["good"] and best[0]["error"] <= 1e-2
    others = [r["evaluations"] for r in told["rows"] if r["good"]]
    assert best[0]["evaluations"] <= 1.15 * min(others), "what is as good may be more accurate"
    assert told["recommended"].startswith(best[0]["algorithm"])
    desk.ask("edit", {"command": {"do": "settings", "run": told["run"]}})
    result = dv.simulate(desk.copy(), quiet=True)
    assert result.statistics.evaluations == best[0]["evaluations"], "it is run as it was tried"


def test_a_study_is_stopped_with_everything_that_it_started(desk):
    desk.ask("edit", {"command": {"do": "settings", "run": {"stop": 1e6, "step": 1e-3}}})
    number = ask(desk, "sweep", vary={"mass.m": [1.0, 2.0]}, record=["mass.x"])
    end = time.monotonic() + PATIENCE
    while not ask(desk, "studies")[0].get("total"):
        assert time.monotonic() < end
        time.sleep(0.05)
    ask(desk, "end_study", number=number)
    assert over(desk, number)["state"] == "stopped"


def test_the_difference_of_two_runs_is_what_lies_between_their_rows(tmp_path):
    (tmp_path / "a.csv").write_text(
        "time [s],x [m],y,only\n0.0,0.0,0.0,1.5\n1.0,2.0,1.0,1.5\n2.0,4.5,2.0,1.5\n"
    )
    (tmp_path / "b.csv").write_text("time [s],x [m],y\n0.0,0.0,0.0\n2.0,3.0,2.0\n")
    found = difference_of(tmp_path / "a.csv", tmp_path / "b.csv", [])
    assert [r["name"] for r in found["rows"]] == ["x", "y"]
    assert found["rows"][0] | {"time": 2.0} == found["rows"][0]
    assert (found["rows"][0]["error"], found["rows"][0]["share"]) == (1.5, 1.5 / 4.5)
    assert found["curves"]["lines"] == {"x": [0.0, 0.5, 1.5]}
    assert found["only"] == [["only"], []]
    both = difference_of(tmp_path / "a.csv", tmp_path / "b.csv", ["y", "gone"])
    assert both["curves"]["lines"] == {"y": [0.0, 0.0, 0.0]}
