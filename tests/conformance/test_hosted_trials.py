"""FMUs in hosts that do not survive that their state is saved or set: found out there as well."""

from __future__ import annotations

import json
import sys

import pytest

import dovetail as dv
from dovetail.hosts.sandbox import missing
from dovetail.xml import cache

from . import test_state_trial
from .fleet import ring

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="hosts are for Linux")
CAGED = pytest.mark.skipif(bool(missing()), reason=f"no sandbox here: {missing()}")
pytestmark = [LINUX, pytest.mark.usefixtures("hosted")]
nothing_is_known = test_state_trial.nothing_is_known
FLAWS = test_state_trial.FLAWS

test_a_host_goes_on_with_estimates = test_state_trial.test_a_run_left_to_dovetail_estimates_it


@CAGED
@pytest.mark.parametrize("flaw", FLAWS)
def test_a_sandbox_makes_no_copies_and_is_crashed_in_once(archive, way, flaw):
    """It can write no finding down either: its master does."""
    path = archive("linear", 2, flaw=flaw, directional_derivatives=False)
    system, placement = ring(dv.load(path)), dv.Isolated(sandbox=True)
    ways = {"stop": 0.3, "quiet": True, "verify": False}
    assert dv.simulate(system, placement=placement, **ways).finished
    (note,) = [n for n in dv.load(path).notes if "cannot roll back: its library" in n]
    assert ("crashes when its state is set" if flaw == "restore_crash" else "GetFMU") in note


def test_what_a_host_found_sound_is_not_tried_again(archive, way):
    path = archive("linear", 2)
    ways = {"algorithm": dv.GaussSeidel(5), "step": 0.1, "quiet": True, "verify": False}
    assert dv.simulate(ring(dv.load(path)), stop=0.3, **ways).finished
    (kept,) = (cache.folder() / "findings").glob("*.json")
    assert json.loads(kept.read_text()) == {"states tried": True}


def test_findings_inside_a_nested_system_are_known_outside(archive, way):
    path = archive("linear", 2, flaw="save_refused", directional_derivatives=False)
    inner, outer = ring(dv.load(path)), dv.System("outer")
    doubling = dv.StepDoubling(1e-3, 1e-3)
    outer.add("inner", dv.Nested(inner, dv.GaussSeidel(5), controller=doubling))
    ways = {"algorithm": dv.Jacobi(), "controller": dv.FixedStep(0.1), "quiet": True}
    said = pytest.raises(dv.PartFailed, match="a further run does not ask it to")
    with said, dv.Session(outer, stop=0.3, **ways) as session:
        session.run()
    assert not dv.load(path).description.capabilities.can_restore
