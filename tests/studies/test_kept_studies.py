"""A study that is kept goes on where it was stopped, whatever stopped it."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from studies.corner import RUN, Marks, system

import dovetail as dv

VALUES = [500.0 + 50.0 * k for k in range(12)]


def sweep(store, drawn=None, vary=None, **more):
    given = {**RUN, "jobs": 2, "store": store, **more}
    return dv.sweep(drawn or system(), vary or {"strut.d": VALUES}, **given)


def test_a_second_call_makes_nothing_again(tmp_path):
    marks = Marks(tmp_path / "marks")
    first = sweep(tmp_path / "study", system(marks))
    assert marks.count == 12
    again = sweep(tmp_path / "study", system(marks))
    assert marks.count == 12
    assert np.array_equal(first["body.x"], again["body.x"])


def test_only_what_is_missing_is_made(tmp_path):
    marks = Marks(tmp_path / "marks")
    sweep(tmp_path / "study", system(marks), {"strut.d": VALUES[:5]})
    more = sweep(tmp_path / "study", system(marks))
    assert marks.count == 12 and len(more) == 12
    assert np.array_equal(more["body.x"], sweep(tmp_path / "other")["body.x"])


def test_another_system_or_setting_is_another_run(tmp_path):
    marks = Marks(tmp_path / "marks")
    drawn = system(marks)
    vary = {"strut.d": VALUES[:2]}
    sweep(tmp_path / "study", drawn, vary)
    sweep(tmp_path / "study", drawn, vary, step=0.05)
    assert marks.count == 4
    sweep(tmp_path / "study", drawn, vary, algorithm="jacobi")
    assert marks.count == 6
    drawn.set("body.m", 301.0)
    sweep(tmp_path / "study", drawn, vary)
    assert marks.count == 8
    sweep(tmp_path / "study", drawn, vary, step=0.05, times=7)
    assert marks.count == 10


def test_a_global_value_that_a_function_reads_counts(tmp_path, monkeypatch):
    def drawn():
        made = system()
        soft = dv.Algebraic(
            inputs=["x", "v"], outputs=["force"], function=lambda t, u, p: [-corner_force(u.x)]
        )
        made.remove("strut")
        made.add("strut", soft)
        made.connect("body.x", "strut.x")
        made.connect("body.v", "strut.v")
        made.connect("strut.force", "body.force")
        return made

    vary = {"body.m": [300.0]}
    before = sweep(tmp_path / "study", drawn(), vary)["body.x"]
    monkeypatch.setitem(globals(), "STIFFNESS", 40e3)
    assert not np.array_equal(before, sweep(tmp_path / "study", drawn(), vary)["body.x"])


STIFFNESS = 20e3


def corner_force(x):
    return STIFFNESS * x


def test_a_kept_study_is_opened_without_its_system(tmp_path):
    made = sweep(tmp_path / "study", vary={"strut.d": VALUES, "algorithm": [dv.Jacobi()]})
    found = dv.studies.open(tmp_path / "study")
    assert np.array_equal(found["body.x"], made["body.x"]) and str(found) == str(made)
    assert found.dimensions == {"strut.d": VALUES, "algorithm": ["Jacobi()"]}
    assert found.run(3)["body.x"].tolist() == made["body.x"][3, 0].tolist()
    with pytest.raises(dv.OptionError, match="does not know the system"):
        found.rerun(3)


SCRIPT = """
import sys, time
sys.path.insert(0, {tests!r})
from studies.corner import system, Marks
from pathlib import Path
import dovetail as dv
marks = Marks(Path({folder!r}) / "marks")
def slow(d):
    if d not in marks.seen:
        time.sleep(0.1)
    marks(d)
dv.sweep(system(slow), {{"strut.d": {values!r}}}, stop=0.4, step=0.1, times=5, jobs=2,
         store=Path({folder!r}) / "study")
"""


def begun(tmp_path):
    tests = str(Path(__file__).parents[1])
    text = SCRIPT.format(tests=tests, folder=str(tmp_path), values=VALUES)
    script = tmp_path / "script.py"
    script.write_text(text)
    return subprocess.Popen(
        [sys.executable, str(script)], stderr=subprocess.PIPE, text=True, start_new_session=True
    )


def until_made(tmp_path, least):
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            with sqlite3.connect(tmp_path / "study" / "study.db") as db:
                if db.execute("SELECT count(*) FROM runs").fetchone()[0] >= least:
                    return
        except sqlite3.Error:
            pass
        time.sleep(0.02)
    raise AssertionError("nothing was made")


def alive(group):
    """Processes of a group, as the system lists them."""
    words = ["ps", "-o", "pid=,stat=", "-g", str(group)]
    found = subprocess.run(words, capture_output=True, text=True, check=False)
    return [line for line in found.stdout.splitlines() if "Z" not in line]


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_study_that_was_killed_goes_on(how, tmp_path):
    process = begun(tmp_path)
    until_made(tmp_path, 3)
    process.send_signal(how)
    said = process.communicate(timeout=60)[1]
    assert process.returncode != 0
    if how == signal.SIGINT:
        assert "the same call goes on from there" in said
    with sqlite3.connect(tmp_path / "study" / "study.db") as db:
        kept = db.execute("SELECT count(*) FROM runs").fetchone()[0]
    assert 3 <= kept < 12
    second = begun(tmp_path)
    assert (second.communicate(timeout=60)[1], second.returncode) == ("", 0)
    whole = sweep(tmp_path / "other")
    assert np.array_equal(dv.studies.open(tmp_path / "study")["body.x"], whole["body.x"])


def test_nothing_is_left_behind_when_the_first_process_is_killed(tmp_path):
    process = begun(tmp_path)
    until_made(tmp_path, 2)
    group = os.getpgid(process.pid)
    process.kill()
    process.communicate(timeout=60)
    deadline = time.monotonic() + 20
    while alive(group) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not alive(group)


def test_two_studies_cannot_be_made_in_one_folder(tmp_path):
    process = begun(tmp_path)
    until_made(tmp_path, 1)
    try:
        with pytest.raises(dv.FileError, match="another study is being made in this folder"):
            sweep(tmp_path / "study")
    finally:
        process.kill()
        process.communicate()


def test_a_full_disk_is_told_and_what_was_kept_is_there(tmp_path):
    text = SCRIPT.format(tests=str(Path(__file__).parents[1]), folder=str(tmp_path), values=VALUES)
    limit = "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
    limit += "resource.setrlimit(resource.RLIMIT_FSIZE, (800_000, resource.RLIM_INFINITY))\n"
    text = limit + text.replace("times=5", "times=2000")
    words = [sys.executable, "-c", text]
    found = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert found.returncode == 1
    assert "the study can no longer be written" in found.stderr and "make room" in found.stderr
    with sqlite3.connect(tmp_path / "study" / "study.db") as db:
        kept = db.execute("SELECT count(*) FROM runs").fetchone()[0]
    before = len(list((tmp_path / "marks").iterdir()))
    words[-1] = text.removeprefix(limit)
    again = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert (again.returncode, again.stderr) == (0, "")
    after = len(list((tmp_path / "marks").iterdir()))
    assert 0 < kept < 12 and after - before == 12 - kept  # nothing that was kept is made again


@pytest.mark.parametrize("damage", [b"", b"no database at all, but a text", None])
def test_damaged_studies_are_refused(damage, tmp_path):
    sweep(tmp_path / "study", vary={"strut.d": [1.0]})
    path = tmp_path / "study" / "study.db"
    for beside in ("study.db-wal", "study.db-shm"):
        (tmp_path / "study" / beside).unlink(missing_ok=True)
    kept = path.read_bytes()
    path.write_bytes(kept[:3000] + b"\xff" * 3000 if damage is None else damage)
    with pytest.raises(dv.FileError, match=r"study"):
        dv.studies.open(tmp_path / "study").data  # noqa: B018


def test_where_there_is_no_study_that_is_said(tmp_path):
    with pytest.raises(dv.FileError, match="there is no study here"):
        dv.studies.open(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(dv.FileError, match="no folder can be made here"):
        sweep(tmp_path / "file" / "study")
