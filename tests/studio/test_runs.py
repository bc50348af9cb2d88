"""Runs of the studio: in processes of their own, seen while they go on, all rows on disk."""

import math
import os
import signal
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dovetail as dv
from dovetail.studio.advising import advice_for
from dovetail.studio.curves import Curves, thinned
from dovetail.studio.document import EditedDocument
from dovetail.studio.feed import part_of
from dovetail.studio.folder import WorkFolder
from dovetail.studio.runs import StudioRuns

PATIENCE = 60  # s; a run here takes two, most of them to load Dovetail


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


def slowly(document, stop=1e5, step=1e-3):
    document.do({"do": "settings", "run": {"stop": stop, "step": step}})
    return document.system


def test_a_run_gives_the_rows_and_the_verdict_of_the_command_line(document, runs, folder):
    run = runs.start(document.system)
    assert run.ready.wait(PATIENCE)
    assert run.state == "finished", run.facts
    same = dv.simulate(folder / "oscillator.yaml", quiet=True)
    kept = dv.read(run.path)
    assert (kept["mass.x"] == same["mass.x"]).all()
    assert run.facts["status"] == same.verdict.status
    assert run.facts["lines"] == same.verdict.lines()
    assert run.facts["weakest"] == same.verdict.weakest
    times, (x,) = run.feed.shown(["mass.x"])
    assert abs(x - np.cos(2 * times)).max() < 1e-3, "mass on a spring: cos 2t"
    times, (x,) = part_of(run.path, ["mass.x"], 1.0, 1.5, 500)
    assert times[0] <= 1.0 and times[-1] >= 1.5 and len(times) < len(same.time)


def test_rows_are_seen_while_it_goes_on_and_it_can_be_steered(document, runs):
    run = runs.start(slowly(document))
    until(lambda: run.feed.rows > 100, lambda: run.facts)
    assert run.state == "running"
    runs.tell(run.number, "pause")
    before = -1
    while before != run.feed.rows:  # it stands
        before = run.feed.rows
        time.sleep(1.0)
    for _ in range(3):
        runs.tell(run.number, "step")
    until(lambda: run.feed.rows == before + 3, lambda: (run.feed.rows, before))
    runs.tell(run.number, "set", name="mass.m", value=4.0)
    runs.tell(run.number, "step")
    until(lambda: "change" in run.facts)
    assert run.facts["change"] == {"done": True, "name": "mass.m", "value": 4.0}
    runs.tell(run.number, "set", name="mass.x", value=4.0)
    runs.tell(run.number, "step")
    until(lambda: run.facts["change"]["name"] == "mass.x")
    assert "mass.x" in run.facts["change"]["text"], "a start value cannot change any more"
    runs.tell(run.number, "stop")
    assert run.ready.wait(PATIENCE)
    assert run.state == "stopped"
    assert len(dv.read(run.path).time) >= before + 4
    with pytest.raises(dv.OptionError, match="is over"):
        runs.tell(run.number, "go")
    with pytest.raises(dv.OptionError, match="there is no run 7"):
        runs.tell(7, "go")


def test_a_crash_costs_the_run_and_says_what_happened(runs, document, folder, archive):
    (folder / "crash.fmu").write_bytes(archive("crash", 2).read_bytes())
    document.new()
    document.do({"do": "add", "name": "it", "model": "crash.fmu"})
    document.do({"do": "settings", "run": {"stop": 1.0, "step": 0.01}})
    run = runs.start(document.system)
    assert run.ready.wait(PATIENCE)
    assert run.state == "failed"
    assert "ended by a segmentation fault (SIGSEGV)" in run.facts["text"]
    assert "each FMU in a process of its own" in run.facts["text"]
    isolated = runs.start(document.system, isolate=True)
    assert isolated.ready.wait(PATIENCE)
    assert isolated.facts["text"].startswith("part 'it' failed while advancing at t = 0.5 s")
    assert dv.read(isolated.path).time[-1] == pytest.approx(0.5), "it crashes in the next window"


def test_parts_that_crash_when_they_are_asked_leave_the_studio_alone(document, folder, archive):
    (folder / "it.fmu").write_bytes(archive("stillborn", 2).read_bytes())
    for k in "ab":
        document.do({"do": "add", "name": k, "model": "it.fmu"})
    document.do({"do": "connect", "source": "a.y", "target": "b.u"})
    document.do({"do": "connect", "source": "b.y", "target": "a.u"})
    found = advice_for(document.system, document.folder)
    assert "ended by a segmentation fault" in found["problem"]
    for _ in range(4):
        document.undo()
    found = advice_for(document.system, document.folder)
    assert found["text"] == f"{dv.open(folder / 'oscillator.yaml').check().recommendation}."
    document.do({"do": "settings", "run": {"stop": 10.0, **found["run"]}})  # what Apply does


def test_a_run_that_is_killed_keeps_its_rows(document, runs):
    run = runs.start(slowly(document))
    until(lambda: run.feed.rows > 1000)
    os.kill(run.child.process_id, signal.SIGKILL)
    assert run.ready.wait(PATIENCE)
    assert run.state == "failed"
    assert "(SIGKILL)" in run.facts["text"] and run.name in run.facts["text"]
    left = dv.read(run.path.with_name(run.path.name + ".rows"))
    assert len(left.time) >= 1000


def test_a_run_ends_with_the_studio(document, folder):
    made = StudioRuns(document.folder, lambda run: None)
    run = made.start(slowly(document))
    until(lambda: run.feed.rows > 0)
    made.close()
    until(lambda: not os.path.exists(f"/proc/{run.child.process_id}"))


def test_two_runs_that_begin_at_once_write_two_files(document, runs):
    one, two = runs.start(document.system), runs.start(document.system)
    assert one.path != two.path
    assert one.ready.wait(PATIENCE) and two.ready.wait(PATIENCE)
    assert (one.state, two.state) == ("finished", "finished")


def test_a_drawing_without_a_stop_time_is_not_run(document, runs):
    document.do({"do": "settings", "run": {}})
    with pytest.raises(dv.OptionError, match="no stop time"):
        runs.start(document.system)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=400),
    st.lists(st.integers(1, 60), min_size=1, max_size=20),
)
def test_no_peak_is_lost_and_memory_does_not_grow(values, portions):
    curves, done, k = Curves(["y"], 8), 0, 0
    column = np.array(values)
    while done < len(column):
        end = done + portions[k % len(portions)]
        curves.add(np.arange(done, min(end, len(column)), dtype=float), column[done:end, None])
        done, k = min(end, len(column)), k + 1
    times, (line,) = curves.shown(["y"])
    assert len(times) <= 2 * 8 + 1
    assert (np.diff(times) >= 0).all()
    assert times[0] == 0 and times[-1] == len(column) - 1
    tail = curves.rows - len(curves._times)  # rows of a bucket that is not full yet
    assert line.max() >= column[:tail].max(initial=-np.inf)
    assert line.min() <= column[:tail].min(initial=np.inf)
    assert line[-1] == column[-1] or tail == len(column)


def test_few_rows_are_shown_as_they_are():
    times = np.linspace(0.0, 1.0, 100)
    lines = np.stack([np.sin(times), np.cos(times)])
    shown = thinned(times, lines, 50)
    assert (shown[0] == times).all() and (shown[1] == lines).all()
    few, (line, _) = thinned(times, lines, 10)
    assert len(few) <= 41 and line.max() == lines[0].max()


def test_an_x_y_plot_gets_whole_rows_and_what_was_not_recorded_is_nan(tmp_path):
    times = np.linspace(0.0, 1.0, 1000)
    path = tmp_path / "r.csv"
    rows = "".join(f"{t!r},{math.cos(9 * t)!r},{math.sin(9 * t)!r},on\n" for t in times.tolist())
    path.write_text("time,a.x,a.y,a.text\n" + rows)
    few, (x, ghost, y) = part_of(path, ["a.x", "ghost", "a.y"], 0.0, 1.0, 100, whole_rows=True)
    assert 100 < len(few) <= 200
    assert abs(x**2 + y**2 - 1).max() < 1e-12, "pairs stay on the circle"
    assert np.isnan(ghost).all()
    _, lines = part_of(path, ["ghost", "a.x"], 0.0, 1.0, 10_000)
    assert np.isnan(lines[0]).all() and (lines[1] == [math.cos(9 * t) for t in times]).all()
    assert np.isnan(part_of(path, ["a.text"], 0.0, 1.0)[1]).all(), "a text is no number"
