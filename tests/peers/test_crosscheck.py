"""The cross-check's runner tells FMUs that agree with their references from those that do not."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "fmus"))
import build
from benchmarks.crosscheck import by_dovetail
from benchmarks.crosscheck.__main__ import facts
from benchmarks.crosscheck.files import Rows, cases, rows
from benchmarks.crosscheck.loose import loose
from benchmarks.crosscheck.measure import distance
from benchmarks.crosscheck.outcome import judged
from benchmarks.crosscheck.page import is_obtainable, is_settled, section
from benchmarks.crosscheck.settings import Setting, setting

LIMIT = 60.0


@pytest.fixture
def placed(tmp_path):
    """Puts an FMU and what belongs to it where the cross-check would have it."""

    def put(name, *, options="", kind="cs", **tables):
        folder = tmp_path / "fmus" / "2.0" / kind / "linux64" / "Own" / "1.0" / name
        folder.mkdir(parents=True)
        offers = {"co_simulation": kind == "cs", "model_exchange": kind == "me"}
        shutil.copy(build.build(name, 2, tmp_path / "built", **offers), folder / f"{name}.fmu")
        (folder / f"{name}_ref.opt").write_text(options)
        for what, table in tables.items():
            lines = [",".join(f'"{n}"' for n in ("time", *table.columns))]
            body = np.column_stack([table.time, *table.columns.values()])
            lines += [",".join(f"{x:.17g}" for x in row) for row in body]
            (folder / f"{name}_{what}.csv").write_text("\n".join(lines) + "\n")
        return next(cases(tmp_path))

    return put


OPTIONS = "StartTime, 0.0 // in seconds\nStopTime,2\nStepSize, 1e-002\nRelTol, 0.0001\n"
TIMES = np.arange(201) / 100
PREDATORS = Rows(TIMES, {"u": 5 + 5 * TIMES})


def preys(ahead=0):
    """x' = (0.1 - 0.02 u) x, with u held over a step at its start, or at its end."""
    u = PREDATORS.columns["u"]
    held = u[ahead : ahead + 200]
    growth = np.exp(np.cumsum((0.1 - 0.02 * held) * 0.01))
    return Rows(TIMES, {"x": 10.0 * np.concatenate([[1.0], growth])})


def test_an_fmu_that_gives_its_reference_agrees(placed):
    case = placed("prey", options=OPTIONS, ref=preys(), **{"in": PREDATORS})
    assert (case.start, case.stop, case.step) == (0.0, 2.0, 0.01)
    found = judged(case, LIMIT, against="fmpy")
    assert (found.verdict, found.reason) == ("agrees", "")
    assert max(found.off.deviation, found.peer_off.deviation, found.apart.deviation) < 1e-12


def test_one_that_does_not_is_told_with_the_place():
    wrong = preys()
    wrong.columns["x"][150:152] += 0.1 * np.ptp(preys().columns["x"])
    found = distance(preys(), wrong)
    assert (found.name, found.time, found.in_band) == ("x", 1.5, True)
    assert found.deviation == pytest.approx(0.1, rel=0.02)


def test_inputs_at_the_end_of_a_step_are_told_from_those_at_its_start(placed):
    case = placed("prey", options=OPTIONS, ref=preys(ahead=1), **{"in": PREDATORS})
    start, end = (
        by_dovetail.run(case, Setting(ahead=ahead), lambda: None) for ahead in (False, True)
    )
    assert distance(start, case.reference).deviation > 1e-3
    assert distance(end, case.reference).deviation < 1e-12


def falling(size, stop):
    """A ball by Euler's method, which bounces where a step ends below the ground."""
    rows, h, v = [(0.0, 1.0)], 1.0, 0.0
    for k in range(1, round(stop / size) + 1):
        h, v = h + size * v, v - size * 9.81
        if h < 0:
            rows.append((k * size, h))
            h, v = 0.0, -0.7 * v
        rows.append((k * size, h))
    time, height = np.array(rows).T
    return Rows(time, {"h": height})


def test_references_of_plain_euler_steps_are_met_with_these(placed):
    options = "StopTime, 1.0\nStepSize, 0.001\n"
    case = placed("ball", options=options, kind="me", ref=falling(0.001, 1.0))
    exact, same = (
        by_dovetail.run(case, how, lambda: None) for how in (Setting(), Setting(solver="euler"))
    )
    assert distance(exact, case.reference).deviation > 1e-3
    assert distance(same, case.reference).deviation < 1e-12


def test_a_run_in_one_window_is_compared_at_its_events(placed):
    case = placed("ball", options="StopTime, 1.2\n", kind="me", ref=falling(0.001, 1.2))
    how = Setting(rtol=1e-9, whole=True)
    chosen = how.reference_for(case)
    apart = np.diff(chosen.time)
    assert (chosen.time[0], chosen.time[-1]) == (0.0, 1.2)
    assert (apart == 0).sum() == 2 and len(apart) == 5, "two bounces, and what lies between"
    assert how.step_of(case) == 1.2
    found = by_dovetail.run(case, how, lambda: None)
    assert len(found.time) == 6
    assert found.time[1] == pytest.approx(np.sqrt(2 / 9.81), rel=1e-7)


def test_a_crash_is_one_row_of_the_table(placed):
    found = judged(placed("crash", options=OPTIONS, ref=preys()), LIMIT)
    assert (found.verdict, found.run.loaded) == ("fails", True)
    assert "the process died" in found.reason


def test_one_that_hangs_is_given_up(placed):
    found = judged(placed("hang", options=OPTIONS, ref=preys()), 6.0)
    assert (found.verdict, found.run.loaded) == ("too long", True)


def test_a_flank_may_be_a_little_late_but_not_by_two_rows():
    t = np.linspace(0.0, 10.0, 1001)
    step = Rows(t, {"y": (t >= 5.0).astype(float)})
    for late, off in ((0.0005, 0.0), (0.009, 0.0), (0.02, 1.0)):
        moved = Rows(np.array([0.0, 5 + late, 5 + late, 10.0]), {"y": np.array([0.0, 0, 1, 1])})
        assert distance(moved, step).deviation == pytest.approx(off, abs=1e-9)


def test_signals_that_change_in_each_row_must_do_so_in_the_right_one():
    t = np.arange(100.0)
    y = np.resize([0.0, 1.0, 1.0, 0.0, 1.0], 100)
    late = Rows(t[1:], {"y": y[:-1]})
    assert distance(late, Rows(t, {"y": y})).deviation > 0.9


def test_a_table_is_read_as_tools_write_it(tmp_path):
    path = tmp_path / "x_ref.csv"
    path.write_text('"time","a[1,2]",kind,on\r\n0,1e-003, text,true\r\n0.5,2,more,false\r\n1,\r\n')
    found = rows(path)
    assert found.time.tolist() == [0.0, 0.5]
    assert {n: v.tolist() for n, v in found.columns.items()} == {
        "a[1,2]": [1e-3, 2.0],
        "on": [1.0, 0.0],
    }


def test_later_settings_add_to_earlier_ones():
    assert setting("2.0/cs/Nobody/1/x") == Setting()
    assert setting("2.0/cs/MapleSim/2015.1/CoupledClutches").ahead
    assert not setting("2.0/cs/MapleSim/2016.2/CoupledClutches").ahead


def test_fmus_that_lie_anywhere_are_compared_with_fmpy(tmp_path):
    """Each file and kind once, over its default experiment, and no file that is none stops it."""
    checkout = tmp_path / "checkout"
    (checkout / "a").mkdir(parents=True)
    (checkout / "b").mkdir()
    built = build.build("vanderpol", 2, tmp_path / "built")
    for place in ("a/x.fmu", "b/copy.fmu"):
        shutil.copy(built, checkout / place)
    (checkout / "b" / "none.fmu").write_bytes(b"version https://git-lfs")
    found = [judged(case, LIMIT, against="fmpy") for case in loose([checkout])]
    assert [(one.case.name, one.case.kind) for one in found] == [
        ("x", "cs"),
        ("x", "me"),
        ("none", "cs"),
    ]
    assert [one.verdict for one in found] == ["agrees", "agrees", "does not load"]
    assert max(one.apart.deviation for one in found[:2]) < 1e-3


def test_the_page_counts_what_could_run(placed):
    case = placed("prey", options=OPTIONS, ref=preys(), **{"in": PREDATORS})
    good = facts(judged(case, LIMIT, against="fmpy"))
    lost = good | {"verdict": "does not load", "off": None, "apart": None, "key": "2.0/cs/x"}
    foreign = lost | {"reason": "it has binaries for win64, but none for this machine"}
    broken = lost | {"reason": "it is damaged"}
    assert [is_obtainable(one) for one in (good, foreign, broken)] == [True, False, True]
    assert [is_settled(one) for one in (good, broken)] == [True, False]
    text = section([good, foreign, broken])
    assert "3 FMUs: 2 does not load, 1 agrees. 2 have a binary" in text
    assert "1 of these (50 %) agree or are explained." in text
    assert "| Own | 3 | 1 |" in text
