"""Co-simulation FMUs with events in native windows and from Python: the same to the last bit."""

from __future__ import annotations

import re

import pytest
from conformance.fleet import alone, is_clean, oscillator, same

import dovetail as dv
from dovetail.fmi.kernel import kernel

FIXED = dv.FixedStep(0.02)
DOUBLING = dv.StepDoubling(1e-4, 1e-4, first_size=0.02, max_size=0.1)
HELD = (dv.Jacobi(), dv.GaussSeidel(), dv.GaussSeidel(10), dv.Jacobi(20))
SEARCHED = (dv.Newton(), dv.Jacobi(solver=dv.rootfinders.IqnIls()))
SEARCHED += (dv.Jacobi(extrapolation=2), dv.GaussSeidel(extrapolation=1))
CONTROLLERS = (FIXED, dv.FixedStep(0.02, min_size=1e-3), DOUBLING, dv.ErrorCheck(0.02))
ME = {"model_exchange": True, "co_simulation": False}


@pytest.fixture(autouse=True)
def _with_a_kernel():
    if kernel() is None:
        pytest.skip("there is no native path here")


def made(system, *, native, stop=2.0, single=False, **options):
    options = {"algorithm": dv.Jacobi(), "controller": FIXED, "quiet": True} | options
    with dv.Session(system, stop=stop, **options) as session:
        assert session.native.level == "windows", session.native
        if not native:
            session._loop._fused = session._loop._controlled = None
        if single:
            for _ in session:
                pass
            return session.result
        return session.run()


def agree(system, *, least=0.5, **options):
    """Both runs are the same; at least such a share of the windows was native."""
    found = [made(system, native=native, **options) for native in (True, False)]
    counts = found[0].statistics
    assert counts.native_windows >= least * counts.windows - 2, counts
    assert found[1].statistics.native_windows == 0
    assert same(*found)
    return found[0]


def _without_counting(xml):
    """All that it puts out are reals."""
    reference = re.search(r'<Int32 name="bounces" valueReference="(\d+)" causality="output"', xml)
    local = xml.replace(reference[0], reference[0].replace("output", "local"))
    return re.sub(rf'<Output valueReference="{reference[1]}"[^>]*/>', "", local)


def heated(room, relay):
    """A relay that switches at what a plant puts out, and drives it."""
    system = dv.System("heated")
    system.add("plant", room, x=0.0, a=-1.0, b=4.0, drive=0.5)
    system.add("relay", relay, low=-1.0, high=1.0)
    system.connect("plant.y", "relay.u")
    system.connect("relay.y", "plant.u", gain=-1.0)
    return system


# what leaves at events only -------------------------------------------------------------------


@pytest.mark.parametrize("controller", CONTROLLERS, ids=repr)
def test_a_ball_leaves_at_its_bounces_only(fmu, controller):
    """Alone it saves its state in native windows, and not from Python; it counts in integers."""
    model = fmu("ball", 3, strict=True)
    result = agree(alone(model), controller=controller, least=0.7)
    assert result.statistics.events == result["part.bounces"][-1] == 4
    assert is_clean(model)


@pytest.mark.parametrize("controller", CONTROLLERS, ids=repr)
@pytest.mark.parametrize("algorithm", HELD, ids=repr)
def test_a_relay_and_its_plant(fmu, algorithm, controller):
    parts = fmu("linear", 3, strict=True), fmu("relay", 3, strict=True)
    result = agree(heated(*parts), algorithm=algorithm, controller=controller, least=0.3)
    assert result.statistics.events > 3
    assert is_clean(*parts)


@pytest.mark.parametrize("algorithm", SEARCHED, ids=repr)
def test_a_relay_and_its_plant_otherwise_coupled(fmu, algorithm):
    parts = fmu("linear", 2, strict=True, input_derivatives=3), fmu("relay", 3, strict=True)
    assert agree(heated(*parts), algorithm=algorithm, least=0.5).statistics.events > 3
    assert is_clean(*parts)


@pytest.mark.parametrize("algorithm", [dv.Jacobi(), dv.GaussSeidel(10)], ids=repr)
def test_window_by_window(fmu, algorithm):
    parts = fmu("linear", 3, strict=True), fmu("relay", 3, strict=True)
    agree(heated(*parts), algorithm=algorithm, single=True)
    assert is_clean(*parts)


@pytest.mark.parametrize("controller", [FIXED, DOUBLING], ids=repr)
def test_events_that_are_announced(fmu, controller):
    """A window that reaches one is left before anybody has moved."""
    parts = fmu("stair", 3, strict=True), fmu("linear", 3, strict=True)
    system = dv.System("stairs")
    system.add("stair", parts[0], period=0.25)
    system.add("plant", parts[1], a=-1.0, b=1.0, drive=0.0, x=0.0)
    system.connect("stair.y", "plant.u")
    assert agree(system, controller=controller, least=0.4).statistics.events == 8
    assert is_clean(*parts)


@pytest.mark.parametrize("controller", [FIXED, DOUBLING], ids=repr)
def test_steps_that_end_early_without_event_mode(fmu, controller):
    model = fmu("ball", 3, strict=True, event_mode=False, edit=_without_counting)
    result = agree(alone(model), controller=controller)
    assert result.statistics.events == 0
    assert len(result) > 101 or controller is DOUBLING
    assert is_clean(model)


@pytest.mark.parametrize("algorithm", HELD, ids=repr)
def test_beside_a_part_whose_equations_are_solved_here(fmu, algorithm):
    parts = fmu("linear", 3, strict=True, **ME), fmu("relay", 3, strict=True)
    agree(heated(*parts), algorithm=algorithm, least=0.4)
    assert is_clean(*parts)


def test_a_run_is_resumed_between_events(fmu, tmp_path):
    parts = fmu("linear", 3, strict=True), fmu("relay", 3, strict=True)
    options = {"algorithm": dv.GaussSeidel(), "controller": FIXED, "quiet": True}
    with dv.Session(heated(*parts), stop=2.0, **options) as session:
        whole = session.run()
    with dv.Session(heated(*parts), stop=2.0, **options) as session:
        while session.time < 0.9:
            session.advance()
        session.checkpoint(tmp_path / "run.ckpt")
    with dv.Session(heated(*parts), stop=2.0, resume=tmp_path / "run.ckpt", **options) as session:
        again = session.run()
        assert session.statistics.native_windows
    assert same(whole, again)


# what keeps a run from it ---------------------------------------------------------------------


def told(system, algorithm=dv.Jacobi(), controller=FIXED):
    return str(system.check(algorithm, controller).native)


def test_what_stands_against_it_is_said(fmu):
    cannot = fmu("ball", 3, state_saving=False)
    assert "part 'part' has events, and cannot save its state" in told(alone(cannot))
    assert told(alone(fmu("ball", 3, state_saving=False, load={"events": False})))
    ticking = alone(fmu("metronome", 3))
    assert "has clocks" in told(ticking)
    parts = fmu("linear", 3), fmu("relay", 3)
    assert "has events, which" in told(heated(*parts), dv.Iterative(inputs="hermite"))


@pytest.mark.parametrize("algorithm", [dv.GaussSeidel(), dv.GaussSeidel(10)], ids=repr)
@pytest.mark.parametrize("controller", [dv.ErrorCheck(0.1), dv.FixedStep(0.1, min_size=0.01)])
def test_equations_solved_here_under_a_controller_that_watches(fmu, algorithm, controller):
    """Native windows took them without having been lent them, and crashed."""
    parts = [fmu(name, 3, strict=True, **ME) for name in ("body", "spring")]
    agree(oscillator(*parts), algorithm=algorithm, controller=controller, least=0.7)
    assert is_clean(*parts)
