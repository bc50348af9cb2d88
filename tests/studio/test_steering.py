"""Runs that go back to a mark, and runs that keep step with the clock."""

import time

import numpy as np
import pytest

import dovetail as dv
from dovetail.studio.document import EditedDocument
from dovetail.studio.folder import WorkFolder
from dovetail.studio.runs import StudioRuns

PATIENCE = 60  # s


@pytest.fixture
def document(folder):
    found = EditedDocument(WorkFolder.of(folder), is_trusted=True)
    found.open("oscillator.yaml")
    return found


@pytest.fixture
def runs(document):
    made = StudioRuns(document.folder, lambda run: None)
    yield made
    made.close()


def until(true, what=lambda: ""):
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, what()
        time.sleep(0.02)


def test_a_run_goes_back_to_a_mark_and_on_from_there_as_if_nothing_had_been(document, runs, folder):
    document.do({"do": "settings", "run": {"stop": 5.0, "step": 1e-2}})
    run = runs.start(document.system, verify=False, pace=2.0)
    until(lambda: (run.facts.get("time") or 0.0) > 0.2, lambda: run.facts)
    runs.tell(run.number, "mark")
    until(lambda: run.facts.get("marks"), lambda: run.facts)
    (mark,) = run.facts["marks"]
    runs.tell(run.number, "back", to=7)
    until(lambda: run.facts.get("unmarked"))
    assert run.facts["unmarked"] == "there is no mark 7 in this run"
    runs.tell(run.number, "set", name="mass.m", value=50.0)
    until(lambda: run.facts["time"] > mark["time"] + 0.3, lambda: run.facts)
    runs.tell(run.number, "back", to=mark["number"])
    until(lambda: run.facts["time"] == mark["time"], lambda: run.facts)
    assert run.state == "paused"
    until(lambda: run.feed.rows > 0 and run.feed.last["mass.x"] is not None)
    assert run.feed.curves.shown(["mass.x"])[0][-1] == mark["time"], "rows behind it are gone"
    runs.tell(run.number, "pace", factor=None)
    runs.tell(run.number, "go")
    assert run.ready.wait(PATIENCE) and run.state == "finished", run.facts
    kept = dv.read(run.path)
    same = dv.simulate(folder / "oscillator.yaml", stop=5.0, step=1e-2, quiet=True, verify=False)
    assert (kept.time == same.time).all()
    assert (kept["mass.x"] == same["mass.x"]).all(), "what was changed behind the mark is undone"


def test_a_run_that_is_over_goes_on_from_a_mark_as_another_run(document, runs, folder):
    document.do({"do": "settings", "run": {"stop": 5.0, "step": 1e-2}})
    first = runs.start(document.system, verify=False, pace=4.0)
    until(lambda: (first.facts.get("time") or 0.0) > 0.2, lambda: first.facts)
    runs.tell(first.number, "mark")
    until(lambda: first.facts.get("marks"), lambda: first.facts)
    runs.tell(first.number, "pace", factor=None)
    assert first.ready.wait(PATIENCE) and first.state == "finished", first.facts
    (mark,) = first.facts["marks"]
    with pytest.raises(dv.OptionError, match="there is no mark 9 in run 1"):
        runs.again(first.number, 9)
    other = runs.again(first.number, mark["number"])
    until(lambda: other.state == "paused", lambda: other.facts)
    assert other.facts["time"] == mark["time"] and other.facts["marks"] == [mark]
    assert other.facts["algorithm"] == first.facts["algorithm"]
    runs.tell(other.number, "set", name="mass.m", value=50.0)
    runs.tell(other.number, "mark")
    until(lambda: len(other.facts["marks"]) == 2, lambda: other.facts)
    assert other.facts["marks"][1] == {"number": 2, "time": mark["time"]}
    runs.tell(other.number, "go")
    assert other.ready.wait(PATIENCE) and other.state == "finished", other.facts
    old, new = dv.read(first.path), dv.read(other.path)
    count = int((old.time <= mark["time"]).sum())
    assert (new.time[:count] == old.time[:count]).all(), "rows up to the mark are taken over"
    assert (new["mass.x"][:count] == old["mass.x"][:count]).all()
    assert len(new.time) == len(old.time) + 1, "one row more, where the value was changed"
    assert abs(new["mass.x"][-1] - old["mass.x"][-1]) > 0.1, "it went on with the new value"
    places = [run.marks for run in (first, other)]
    assert all(place.exists() for place in places)
    runs.close()
    assert not any(place.exists() for place in places), "checkpoints go with the studio"


def test_a_run_in_real_time_takes_as_long_as_it_says(document, runs):
    document.do({"do": "settings", "run": {"stop": 2.0, "step": 0.05}})
    run = runs.start(document.system, verify=False, pace=2.0)
    until(lambda: run.facts.get("time") is not None, lambda: run.facts)
    began, at = time.monotonic(), run.facts["time"]
    assert run.ready.wait(PATIENCE) and run.state == "finished", run.facts
    taken = time.monotonic() - began
    assert taken > 0.8 * (2.0 - at) / 2.0, "not faster than the clock"
    for wrong in (0, -1.0, True, "fast", float("nan")):
        with pytest.raises(dv.OptionError, match="as fast as the clock"):
            runs.start(document.system, pace=wrong)


def test_a_mark_that_cannot_be_written_is_told_and_the_run_goes_on(document, runs):
    document.do({"do": "settings", "run": {"stop": 1.0, "step": 0.05}})
    run = runs.start(document.system, verify=False, pace=1.0)
    until(lambda: run.facts.get("time") is not None, lambda: run.facts)
    run.marks.rmdir()  # as on a disk that is gone
    runs.tell(run.number, "mark")
    until(lambda: run.facts.get("unmarked"), lambda: run.facts)
    assert "cannot be written" in run.facts["unmarked"]
    runs.tell(run.number, "pace", factor=None)
    assert run.ready.wait(PATIENCE) and run.state == "finished", run.facts
    assert np.isfinite(dv.read(run.path)["mass.x"]).all()
