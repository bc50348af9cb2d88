"""An FMU that says its state can be saved, and does not survive it, runs all the same."""

from __future__ import annotations

import os
import sys
import time

import pytest

import dovetail as dv
from dovetail.fmi import model
from dovetail.fmi.archive import findings
from dovetail.fmi.parts import part, rollback_trial

from .fleet import ring, run

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="a process is copied there only")

FLAWS = {"restore_crash": r"crashes when its state is set \(SIGABRT\)", "save_refused": "GetFMU"}


@pytest.fixture(autouse=True)
def nothing_is_known(monkeypatch, tmp_path):
    """Of any FMU; and what is found is believed."""
    monkeypatch.setenv("DOVETAIL_CACHE", str(tmp_path))
    monkeypatch.setattr(findings, "_HERE", {})
    monkeypatch.setattr(model, "keep_against_rollback", findings.keep_against_rollback)
    monkeypatch.setattr(part, "keep_tried", findings.keep_tried)


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("flaw", FLAWS)
def test_balls_that_cannot_be_set_back_bounce_as_they_do_alone(archive, way, version, flaw):
    """An event of one cuts the windows of the other, which would go back for it."""
    model = dv.load(archive("ball", version, flaw=flaw), kind="model exchange")
    options = {"controller": dv.FixedStep(0.05), "algorithm": dv.Jacobi(), "quiet": True}
    both, alone = dv.System("both"), dv.System("alone")
    both.add("a", model)
    both.add("b", model, h=0.7)
    alone.add("a", model)
    runs = [dv.simulate(system, stop=1.0, **options) for system in (both, alone)]
    ends = [run["a.h"][-1] for run in runs]
    assert ends[0] == pytest.approx(ends[1], abs=1e-6)  # bounces are located to 1e-9 or so
    assert runs[0]["a.bounces"][-1] == runs[1]["a.bounces"][-1] >= 1


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("flaw", FLAWS)
def test_a_run_that_was_chosen_says_why_it_cannot_be(archive, way, version, flaw):
    path = archive("linear", version, flaw=flaw, directional_derivatives=False)
    system, again = ring(dv.load(path)), "a further run does not ask it to"
    with pytest.raises(dv.PartFailed, match=f"{FLAWS[flaw]}.*{again}"):
        run(system, controller=dv.StepDoubling(1e-3, 1e-3))
    with pytest.raises(dv.CapabilityError, match=FLAWS[flaw]):
        dv.simulate(system, controller=dv.StepDoubling(1e-3, 1e-3), stop=1.0, quiet=True)


@pytest.mark.parametrize("flaw", FLAWS)
def test_a_run_left_to_dovetail_estimates_it(archive, way, flaw):
    path = archive("linear", 2, flaw=flaw, directional_derivatives=False)
    assert dv.simulate(ring(dv.load(path)), stop=1.0, quiet=True).finished
    notes = "\n".join(dv.load(path).notes)
    assert "counts as one that cannot roll back: its library" in notes


def test_it_is_tried_once_and_for_all(archive, way, monkeypatch):
    tried = []
    monkeypatch.setattr(part, "flaw_of", lambda instance: tried.append(instance.name) or "")
    path = archive("linear", 2)
    for _ in range(2):
        run(ring(dv.load(path)), algorithm=dv.GaussSeidel(5))
        monkeypatch.setattr(findings, "_HERE", {})  # as in another process
    assert len(tried) == 1


def test_a_trial_that_does_not_end_is_ended(monkeypatch):
    monkeypatch.setattr(rollback_trial, "_LONGEST", 0.05)
    child = os.fork()
    if not child:
        try:
            time.sleep(60)
        finally:
            os._exit(0)
    assert rollback_trial._ended(child) is None
    with pytest.raises(ChildProcessError):
        os.waitpid(child, os.WNOHANG)
