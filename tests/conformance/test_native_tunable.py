"""Connected parameters in native windows and from Python: the same to the last bit."""

from __future__ import annotations

import numpy as np
import pytest
from conformance.conftest import called_by
from conformance.fleet import is_clean, same
from conformance.test_native_events import DOUBLING, FIXED, agree, made
from conformance.test_plan import refusal

import dovetail as dv
from dovetail.fmi.kernel import kernel
from dovetail.runplan.printing import lines
from dovetail.runplan.reading import read
from dovetail.runplan.writing import write

CONTROLLERS = (FIXED, DOUBLING, dv.ErrorCheck(0.02), dv.FixedStep(0.02, min_size=1e-3))
HELD = (dv.Jacobi(), dv.GaussSeidel(), dv.GaussSeidel(10), dv.Jacobi(20), dv.Newton())
MOVING = (dv.Jacobi(extrapolation=2), dv.GaussSeidel(10, inputs="ramp"))
SEARCHED = (dv.Jacobi(solver=dv.rootfinders.IqnIls()), dv.Iterative(inputs="hold"))
FOLLOWING = {2: {"input_derivatives": 3}, 3: {"intermediate_update": True}}
ME = {"model_exchange": True, "co_simulation": False}


@pytest.fixture(autouse=True)
def _with_a_kernel():
    if kernel() is None:
        pytest.skip("there is no native path here")


def cycle(first, second):
    """A parameter of each follows the other, as does an input."""
    system = dv.System("cycle")
    system.add("a", first, x=1.0)
    system.add("b", second, x=0.5, drive=0.5)
    system.connect("a.y", "b.a", gain=-0.4, offset=-0.2)
    system.connect("b.y", "a.u")
    system.connect("b.y", "a.a", gain=-0.7)
    return system


def stairs(stair, part):
    """A parameter that changes now and then."""
    system = dv.System("stairs")
    system.add("stair", stair, period=0.25)
    system.add("part", part, u=1.0, x=0.0)
    system.connect("stair.y", "part.a", gain=-1.0)
    return system


@pytest.mark.parametrize("versions", [(2, 2), (3, 2), (3, 3)])
@pytest.mark.parametrize("algorithm", [*HELD, *MOVING, *SEARCHED], ids=repr)
def test_parameters_that_move_all_the_time(fmu, versions, algorithm):
    parts = [fmu("linear", version, strict=True, **FOLLOWING[version]) for version in versions]
    agree(cycle(*parts), algorithm=algorithm, least=0.9)
    assert is_clean(*parts)


@pytest.mark.parametrize("controller", CONTROLLERS, ids=repr)
@pytest.mark.parametrize("algorithm", [dv.Jacobi(), dv.GaussSeidel(10), *MOVING], ids=repr)
def test_under_every_controller(fmu, algorithm, controller):
    parts = [fmu("linear", version, strict=True, **FOLLOWING[version]) for version in (2, 3)]
    if isinstance(controller, dv.ErrorCheck) and algorithm != dv.Jacobi():
        return  # it watches windows that are made once, with inputs that are held
    agree(cycle(*parts), algorithm=algorithm, controller=controller, least=0.9)
    assert is_clean(*parts)


@pytest.mark.parametrize("algorithm", [dv.GaussSeidel(), dv.GaussSeidel(5)], ids=repr)
def test_without_the_kernel(fmu, algorithm):
    found = []
    for way in ("native", "python"):
        with called_by(way):
            system = cycle(fmu("linear", 2, strict=True), fmu("linear", 3, strict=True))
            options = {"algorithm": algorithm, "controller": FIXED, "quiet": True}
            found.append(dv.simulate(system, stop=1.0, verify=False, **options))
    assert [r.statistics.native_windows for r in found] == [50, 0]
    assert same(*found)


def test_between_windows_that_are_made_one_by_one(fmu):
    """Native windows and those from Python go on from what the FMU has of its parameters."""
    parts = fmu("linear", 2, strict=True), fmu("linear", 3, strict=True)
    whole = made(cycle(*parts), native=True, algorithm=dv.GaussSeidel(10))
    session = dv.Session(
        cycle(*parts), stop=2.0, algorithm=dv.GaussSeidel(10), controller=FIXED, quiet=True
    )
    with session:
        fused = session._loop._fused
        for k in range(100):
            session._loop._fused = fused if k % 3 else None
            session.advance()
        assert same(whole, session.result)
    assert is_clean(*parts)


def test_it_is_set_only_where_it_has_changed(fmu):
    """A strict FMU of FMI 3 counts the window as one with an event; others do not mind."""
    parts = fmu("stair", 3, strict=True), fmu("linear", 2, strict=True)
    result = agree(stairs(*parts), least=0.4)
    assert set(result["part.a"]) == {-float(k) for k in range(9)}
    assert result.statistics.events == 8
    assert is_clean(*parts)


EVENTS = {
    "event mode": ({"event_mode": True, "early_return": True}, {}),
    "model exchange": (ME, {"kind": "model exchange"}),
    "rk45": (ME, {"kind": "model exchange", "solver": "rk45"}),
}


@pytest.mark.parametrize("kind", EVENTS)
@pytest.mark.parametrize("algorithm", [dv.Jacobi(), dv.GaussSeidel(5)], ids=repr)
def test_windows_are_left_where_a_change_is_an_event(fmu, kind, algorithm):
    options, loading = EVENTS[kind]
    parts = fmu("stair", 3, strict=True), fmu("linear", 3, strict=True, load=loading, **options)
    result = agree(stairs(*parts), algorithm=algorithm, least=0.4)
    assert result["part.a"][result.time == 0.5].tolist() == [-1.0, -2.0]  # at once
    assert is_clean(*parts)


@pytest.mark.parametrize("algorithm", [dv.Jacobi(), dv.GaussSeidel()], ids=repr)
@pytest.mark.parametrize("kind", EVENTS)
def test_where_each_window_is_one_they_rest(fmu, kind, algorithm):
    options, loading = EVENTS[kind]
    parts = fmu("linear", 2, strict=True), fmu("linear", 3, strict=True, load=loading, **options)
    system = dv.System("moving")
    system.add("a", parts[0], x=0.0, drive=1.0)
    system.add("b", parts[1])
    system.connect("a.y", "b.a", gain=-1.0)
    system.connect("b.y", "a.u")
    estimators = {"a": dv.Rollback()}
    result = agree(system, algorithm=algorithm, estimators=estimators, least=0.0)
    assert result.statistics.windows == 100
    assert is_clean(*parts)


def test_arrays(fmu):
    model = fmu("arrays", 3)
    system = dv.System("arrays")
    for name in "ab":
        system.add(name, model, u=[1.0, 1.0, 2.0])
    system.connect("a.y", "b.gain")
    system.connect("b.y", "a.u", gain=0.1)
    result = agree(system, algorithm=dv.GaussSeidel(), least=0.9)
    assert np.ptp(result["b.y[1]"]) > 0


def test_what_stays_in_python_says_so(fmu):
    system = dv.System("texts")
    system.add("a", fmu("tunable", 2))
    system.add("b", fmu("tunable", 2))
    system.connect("a.int32_out", "b.int32_offset")
    decision = system.check(dv.Jacobi(), FIXED).native
    assert decision.level == "python"
    cubic = cycle(fmu("linear", 2, strict=True), fmu("linear", 2, strict=True)).check(
        dv.GaussSeidel(9, "hermite"), FIXED
    )
    assert "which takes no cubics" in str(cubic.native)


def test_the_plan_says_which_inputs_are_parameters(fmu):
    system = cycle(fmu("linear", 2, strict=True), fmu("linear", 3, strict=True))
    with dv.Session(system, stop=1.0, algorithm=dv.Jacobi(), controller=FIXED) as session:
        plan = session.assembly.batch.plan
    assert (plan.tuned.count.tolist(), plan.tuned.n_refs.tolist()) == ([1, 1], [1, 1])
    block = write(plan)
    assert write(read(block)) == block
    assert "  0 'a': the last 1 of its inputs are parameters" in lines(block)
    for name, value, said in (
        ("count", 3, "member 0 has not so many inputs"),
        ("n_refs", 0, "member 0 has not so many inputs"),
        ("n_refs", 2, "member 0 has not one reference for each parameter"),
    ):
        wrong = read(block)
        getattr(wrong.tuned, name)[0] = value
        assert said in refusal(wrong, 2)
