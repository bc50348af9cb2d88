"""Windows of sizes that a controller chooses, in native code: the same bits as from Python."""

from __future__ import annotations

import os
import signal
import tempfile
import threading
import time
from pathlib import Path
from unittest.mock import patch

import pytest
from conformance.conftest import called_by
from conformance.fleet import is_clean, oscillator, pair, ring, run, same
from conformance.test_curves import knotted
from conformance.test_native_windows import Walk, from_python, step
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from papers.test_mastersim_lotka_volterra import ALGORITHMS, ITERATIONS, WINDOWS

import dovetail as dv
from dovetail.fmi.archive import findings
from dovetail.run.fused_run import FusedRun
from dovetail.run.window_loop import WindowLoop

TIGHT = {"rtol": 1e-10, "atol": 1e-10}
ONCE = [
    dv.Jacobi(),
    dv.GaussSeidel(),
    dv.GaussSeidel(order_of_parts=("c", "a")),
    dv.GaussSeidel(inputs="ramp"),
    dv.Jacobi(extrapolation=3),
    dv.GaussSeidel(extrapolation=1),
]
AGAIN = [
    dv.Jacobi(20),
    dv.GaussSeidel(20, **TIGHT),
    dv.GaussSeidel(2, on_limit="accept", **TIGHT),
    dv.GaussSeidel(20, inputs="ramp"),
    dv.Jacobi(20, inputs="ramp"),
    dv.Newton(inputs="ramp", **TIGHT),
]
DOUBLING = [
    dv.StepDoubling(1e-4, 1e-4, first_size=0.5, max_size=0.4 + 0.2),
    dv.StepDoubling(1e-4, 1e-9, first_size=1e-3, scale="range"),
    dv.StepDoubling(1e-5, 1e-5, first_size=0.2, min_size=0.02),
]
BY_DEFECT = [dv.InputDefect(), dv.InputDefect(1e-3, 1e-4, min_size=1e-3, scale="range")]
CHECKS = [dv.ErrorCheck(0.05, 1e-4, 1e-4), dv.ErrorCheck(0.5, 1e-4, 1e-4, on_error="stop")]
CASES = [
    *((a, c) for a in ONCE for c in (*DOUBLING, *BY_DEFECT)),
    *((a, c) for a in ONCE if a.order <= 2 for c in CHECKS),
    *((a, c) for a in AGAIN for c in (*DOUBLING[:2], dv.Adaptive(0.01), CHECKS[0])),
    (dv.GaussSeidel(3, **TIGHT), dv.Adaptive(0.01)),
    (dv.GaussSeidel(3, **TIGHT), DOUBLING[0]),
    (dv.GaussSeidel(4, **TIGHT), dv.FixedStep(0.4)),
    (dv.GaussSeidel(4, **TIGHT), dv.FixedStep(0.4, min_size=0.01)),
]


def attempted(drawing, **options):
    """A run and what it said, also where it fails."""
    try:
        return "", run(drawing, **options)
    except dv.RunError as error:
        return str(error), error.result


def one_by_one(make):
    """The same where the kernel steps the FMUs of a window, and Python goes on to the next."""
    away = patch.object(WindowLoop, "_may_be_native", lambda *_: False)
    with called_by("native"), away, patch.object(FusedRun, "is_stuck", True):
        return make()


def agree(first, second):
    assert first[0] == second[0]
    assert same(first[1], second[1])
    assert second[1].statistics.native_windows == 0


@pytest.mark.parametrize(("algorithm", "controller"), CASES, ids=repr)
def test_bits_are_those_of_python(fmu, both, algorithm, controller):
    model = fmu("linear", 2, input_derivatives=3)
    options = {"algorithm": algorithm, "controller": controller, "stop": 1.5}
    native, python = both(lambda: attempted(knotted(model), **options))
    agree(native, python)
    statistics = native[1].statistics
    cut = statistics.rejected_by_convergence and isinstance(controller, dv.FixedStep)
    assert statistics.native_windows == statistics.windows or cut
    assert is_clean(model)


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("algorithm", [dv.Jacobi(), dv.GaussSeidel(), dv.GaussSeidel(9)])
def test_fmus_of_both_versions_that_hold_their_inputs(fmu, both, version, algorithm):
    model = fmu("linear", version)
    options = {"algorithm": algorithm, "controller": DOUBLING[0], "record": ["*", "still.u"]}
    agree(*both(lambda: attempted(knotted(model), **options)))
    assert is_clean(model)


def test_a_window_that_is_cut_is_followed_natively(fmu):
    """Python cuts a window of one size; native code goes on with shorter ones."""
    options = {"algorithm": dv.GaussSeidel(4, **TIGHT), "controller": dv.FixedStep(0.4)}
    found = run(ring(fmu("linear", 2)), **options).statistics
    assert found.rejected_by_convergence > 0
    assert found.native_windows > 0.5 * found.windows


def test_iterates_that_grow_until_a_part_fails_cut_the_window(fmu, both):
    """Each sweep makes them ten times as large, up to Inf; in half the window twice as large."""
    model = fmu("linear", 2)
    system = dv.System("diverging")
    for name, b in (("a", 100.0), ("b", -10.0)):
        system.add(name, model, b=b)
    system.connect("a.y", "b.u")
    system.connect("b.y", "a.u")
    options = {"algorithm": dv.GaussSeidel(400), "controller": dv.FixedStep(0.1), "stop": 0.5}
    native, python = both(lambda: attempted(system, **options))
    agree(native, python)
    assert native[1].finished and native[1].statistics.rejected_by_convergence > 0
    assert native[1].statistics.native_windows > 10


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("tolerance", [1e-3, 1e-4, 1e-5])
@pytest.mark.parametrize("name", ALGORITHMS)
def test_windows_of_the_reference_are_native(fmu, both, version, name, tolerance):
    """The counts of `lotka_volterra_steps.json`, exactly; from Python where that is quick."""
    controller = dv.StepDoubling(tolerance, tolerance, first_size=0.01, max_size=10, min_size=1e-8)
    options = {"algorithm": ALGORITHMS[name], "controller": controller, "stop": 100.0}
    models = fmu("prey", version), fmu("predator", version)
    if tolerance == 1e-3:
        native, python = both(lambda: run(pair(*models), **options))
        assert same(native, python)
    else:
        native = run(pair(*models), **options)
    statistics, windows = native.statistics, WINDOWS[tolerance][name]
    assert statistics.native_windows == statistics.windows == windows
    once = 3 * windows  # a long step and two halves
    assert statistics.iterations == ITERATIONS[tolerance].get(name, once)


@pytest.mark.parametrize("name", ["error", "nan", "discard", "negative"])
@pytest.mark.parametrize(
    ("algorithm", "controllers"),
    [
        (dv.Jacobi(), (DOUBLING[0], dv.InputDefect(1e-2, 1e-2))),
        (dv.GaussSeidel(), (DOUBLING[2],)),
        (dv.Jacobi(extrapolation=1), (DOUBLING[0], dv.InputDefect(1e-2, 1e-2))),
        (dv.GaussSeidel(9), (DOUBLING[0], dv.Adaptive(0.1), dv.FixedStep(0.1, min_size=0.01))),
        (dv.Newton(), (DOUBLING[0], dv.FixedStep(0.1))),
    ],
    ids=repr,
)
def test_failures_in_the_middle_are_met_as_from_python(fmu, name, algorithm, controllers):
    """Cured by a shorter window, or the end of the run, with the same words and counts."""
    good, bad = fmu("linear", 2), fmu(name, 2)

    def drawing():
        system = dv.System("chain")
        system.add("a", good)
        system.add("bad", bad, at=1.3)
        system.add("c", good)
        for source, target in (("a", "bad"), ("bad", "c"), ("c", "a")):
            system.connect(f"{source}.y", f"{target}.u")
        return system

    for controller in controllers:
        options = {"algorithm": algorithm, "controller": controller}
        native = attempted(drawing(), **options)
        agree(native, one_by_one(lambda o=options: attempted(drawing(), **o)))
        assert native[1].statistics.native_windows > 0
    assert is_clean(good)


@pytest.mark.parametrize("flaw", ["restore", "restore_next", "restore_later"])
@pytest.mark.parametrize("algorithm", [dv.Jacobi(), dv.GaussSeidel(9), dv.Jacobi(extrapolation=1)])
def test_rollback_is_checked_as_from_python(archive, monkeypatch, flaw, algorithm):
    monkeypatch.setattr(findings, "_HERE", {})  # what one run finds out is not known in the next
    path = archive("linear", 2, flaw=flaw)
    controller = dv.StepDoubling(1e-4, 1e-4, first_size=0.01, max_size=0.02)
    options = {"algorithm": algorithm, "controller": controller, "stop": 11.0}
    native = attempted(ring(dv.load(path)), **options)
    findings._HERE.clear()
    agree(native, one_by_one(lambda: attempted(ring(dv.load(path)), **options)))
    assert ("says that it can roll back" in native[0]) == (flaw != "restore_later")


def jumping(models):
    """A spring that hits a wall at a time that nobody announces."""
    system = oscillator(*models)
    return system.set("spring.switch_time", 1.2345) or system


@pytest.mark.parametrize("algorithm", [dv.GaussSeidel(), dv.GaussSeidel(20)], ids=repr)
@pytest.mark.parametrize("scale", ["value", "range"])
def test_jumps_that_nobody_announces_are_passed_over(fmu, both, algorithm, scale):
    models = fmu("body", 2), fmu("spring", 2)
    controller = dv.StepDoubling(1e-4, 1e-6, first_size=1e-3, scale=scale)
    options = {"algorithm": algorithm, "controller": controller, "stop": 3.0}
    native, python = both(lambda: attempted(jumping(models), **options))
    agree(native, python)
    if scale == "value":
        assert "Outputs jumped once without an event" in str(native[1].verdict)
    assert native[1].statistics.native_windows == native[1].statistics.windows


def test_many_jumps_in_a_row_are_passed_over_too(fmu, both):
    """More of them than may stand without an ordinary window between."""
    system, model = dv.System("stairs"), fmu("spring", 2)
    for k in range(9):  # a jump every 0.1 s, where windows were to have a few times that
        system.add(f"s{k}", model, switch_time=1.05 + 0.1 * k, x=0.0)
    controller = dv.StepDoubling(1e-4, 1e-4, first_size=0.2, max_size=0.4)
    options = {"algorithm": dv.GaussSeidel(), "controller": controller, "stop": 2.5}
    native, python = both(lambda: attempted(system.copy(), **options))
    agree(native, python)
    assert "Outputs jumped 9 times without an event" in str(native[1].verdict)


def test_what_no_window_is_small_enough_for_ends_the_run_in_the_same_words(fmu, both):
    """An input that jumps in each window: the controller gives up after its parts have moved."""
    model = fmu("linear", 2, feedthrough=True)
    options = {"algorithm": dv.Jacobi(), "controller": dv.InputDefect(), "stop": 3.0}

    def looped():
        system = dv.System("loop")
        for name in "ab":
            system.add(name, model)
        system.connect("a.y", "b.u", gain=-1.1)
        return system.connect("b.y", "a.u") or system

    native, python = both(lambda: attempted(looped(), **options))
    agree(native, python)
    assert "smaller ones do not help" in native[0]


@pytest.mark.parametrize(
    ("algorithm", "controller"),
    [
        (dv.Jacobi(), DOUBLING[1]),
        (dv.GaussSeidel(extrapolation=2), DOUBLING[0]),
        (dv.GaussSeidel(extrapolation=1), BY_DEFECT[1]),
        (dv.GaussSeidel(5, **TIGHT), dv.Adaptive(0.01)),
        (dv.Newton(inputs="ramp"), DOUBLING[0]),
        (dv.GaussSeidel(4, **TIGHT), dv.FixedStep(0.4)),
        (dv.GaussSeidel(), CHECKS[0]),
    ],
    ids=repr,
)
@given(steps=st.lists(step, max_size=8))
@settings(
    max_examples=8,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_however_a_run_is_made_its_bits_are_those_of_python(fmu, algorithm, controller, steps):
    """Native and Python windows, changes by hand, and checkpoints, in any order."""
    model = fmu("linear", 2, input_derivatives=3)
    options = {"stop": 1.0, "controller": controller, "algorithm": algorithm}
    options |= {"quiet": True, "record": ["*", "still.u"]}
    with tempfile.TemporaryDirectory() as folder, called_by("native"):
        walk = Walk(knotted(model), Path(folder), **options)
        for what, amount in steps:
            walk.go(what, amount)
        found = walk.end()
    wanted = from_python(knotted(model), walk.made, **options)
    assert same(found, wanted)
    assert found.changes == wanted.changes
    assert is_clean(model)


def test_ctrl_c_ends_a_run_between_two_windows(fmu):
    """It is heeded in every window, and what was made by then is kept in whole rows."""
    models = fmu("prey", 2), fmu("predator", 2)
    controller = dv.StepDoubling(1e-9, 1e-9, first_size=1e-3)
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    begin = time.perf_counter()
    timer.start()
    try:
        with pytest.raises(dv.Interrupted) as caught:
            run(pair(*models), 1e5, algorithm=dv.Jacobi(), controller=controller)
    finally:
        timer.cancel()
    assert time.perf_counter() - begin < 10  # the whole run takes minutes
    found = caught.value.result
    assert found.statistics.native_windows == found.statistics.windows > 0
    assert len(found) == 2 * found.statistics.windows + 1
    assert is_clean(*models)


def test_a_checkpoint_in_the_middle_of_native_windows_changes_nothing(fmu, tmp_path):
    """Checkpoints that are due all the time, and a run that goes on from one of them."""
    models, whole, half = (fmu("prey", 2), fmu("predator", 2)), "whole.dvc", tmp_path / "half.dvc"
    controller = dv.StepDoubling(1e-7, 1e-9, first_size=1e-3, scale="range")
    options = {"algorithm": dv.Jacobi(), "controller": controller, "quiet": True}
    wanted = run(pair(*models), 30.0, **{k: v for k, v in options.items() if k != "quiet"})
    with dv.Session(pair(*models), stop=30.0, **options) as session:
        found = session.run(checkpoint=tmp_path / whole, every=0)
    assert same(found, wanted)
    with dv.Session(pair(*models), stop=30.0, **options) as session:
        session._loop.many()
        session.checkpoint(half)
        assert 0 < session.time < 30.0
    with dv.Session(pair(*models), stop=30.0, resume=half, **options) as session:
        assert same(session.run(), wanted)


def test_what_a_run_takes_by_default_is_native(fmu):
    """Parts that hold their inputs: error control where all roll back, else what they ask for."""
    plain = {"state_saving": False, "directional_derivatives": False, "exposed_states": False}
    for model in (fmu("linear", 2), fmu("linear", 2, **plain)):
        with dv.Session(ring(model), stop=2.0, quiet=True) as session:
            rolls_back = model.description.capabilities.can_restore
            assert isinstance(session.controller, dv.StepDoubling) == rolls_back
            found = session.run().statistics
        assert found.native_windows == found.windows > 10
