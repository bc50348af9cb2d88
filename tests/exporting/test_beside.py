"""Python models that run beside their importer: the same values, states, derivatives, and ends."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import time

import fmpy
import numpy as np
import pytest
from exporting.drawings import SIZE, got, instance, put, started
from exporting.python_models import BALL, MODELS, RELAY, ROOT, SWING, pair, processes
from fmpy.validation import validate_fmu

import dovetail as dv

STOP = 1.0


@pytest.fixture(scope="module")
def exports(tmp_path_factory):
    folder = tmp_path_factory.mktemp("exports")
    return {
        (name, fmi): dv.export(model, folder / f"{name}{fmi}.fmu", fmi=fmi, beside=True, step=SIZE)
        for name, model in MODELS.items()
        for fmi in (2, 3)
    }


def ran(model, **options):
    return dv.simulate(model, stop=STOP, step=SIZE, quiet=True, verify=False, **options)


def later(result, name):
    """What a variable is at the ends of windows, right of events."""
    found = {round(float(t), 9): v for t, v in zip(result.time, result[name][:], strict=True)}
    return [found[round(k * SIZE, 9)] for k in range(round(STOP / SIZE) + 1)]


@pytest.mark.parametrize("fmi", [2, 3])
@pytest.mark.parametrize("name", ["swing", "ball", "wave", "root"])
def test_it_computes_what_the_model_computes_here(name, fmi, exports):
    path, drawn = exports[name, fmi], ran(MODELS[name])
    assert validate_fmu(str(path)) == []
    rows = fmpy.simulate_fmu(str(path), stop_time=STOP, output_interval=SIZE)
    for v in MODELS[name].description.outputs:
        column = f"model.{v.name}"
        assert np.array_equal(rows[column], later(drawn, column)), column


def test_a_sampled_model_takes_the_samples_of_a_run_here(exports, tmp_path):
    """As compiled ones: inputs set at a sample time are sampled."""
    with instance(exports["relay", 2], tmp_path / "it") as (fmu, references):
        started(fmu)
        found = []
        for k in range(10):
            put(fmu, references["model.e"], 0.3 if k < 5 else -0.3)
            fmu.doStep(k * SIZE, SIZE)
            found += got(fmu, references["model.y"])
    system = dv.System("sampled")
    system.add("e", dv.Source(outputs=["e"], function=lambda t, p: [0.3 if t < 0.5 else -0.3],
                              jumps=[0.5]))  # fmt: skip
    system.add("model", RELAY)
    system.connect("e.e", "model.e")
    drawn = later(ran(system, algorithm=dv.Jacobi()), "model.y")
    assert -1.0 in drawn and 1.0 in drawn
    assert found[:4] == drawn[1:5] and found[6:] == drawn[7:]


@pytest.mark.parametrize("fmi", [2, 3])
def test_states_are_saved_restored_and_serialized(fmi, exports, tmp_path):
    with instance(exports["ball", fmi], tmp_path / "it") as (fmu, references):
        started(fmu)
        get, put_back = (
            (fmu.getFMUstate, fmu.setFMUstate) if fmi == 2 else (fmu.getFMUState, fmu.setFMUState)
        )
        fmu.doStep(0.0, 0.4)
        state = get()
        data = fmu.serializeFMUstate(state) if fmi == 2 else fmu.serializeFMUState(state)
        fmu.doStep(0.4, 0.4)
        first = got(fmu, references["model.h"], references["model.v"])
        put_back(state)
        fmu.doStep(0.4, 0.4)
        assert got(fmu, references["model.h"], references["model.v"]) == first
        other = fmu.deSerializeFMUstate(data) if fmi == 2 else fmu.deserializeFMUState(data)
        put_back(other)
        assert got(fmu, references["time"]) == [0.4]
        fmu.doStep(0.4, 0.4)
        assert got(fmu, references["model.h"], references["model.v"]) == first
        (fmu.freeFMUstate if fmi == 2 else fmu.freeFMUState)(state)


def test_directional_derivatives_are_those_of_the_model(exports, tmp_path):
    with instance(exports["swing", 2], tmp_path / "it") as (fmu, references):
        started(fmu)
        fmu.doStep(0.0, 0.3)
        names = ["der(model.x)", "der(model.v)", "model.x"]
        x = got(fmu, references["model.x"])[0]
        unknown = [references[n] for n in names]
        by_x = fmu.getDirectionalDerivative(unknown, [references["model.x"]], [1.0])
        by_force = fmu.getDirectionalDerivative(unknown, [references["model.force"]], [2.0])
        assert by_x == pytest.approx([0.0, -math.cos(x) / 2.0, 1.0], abs=1e-6)
        assert by_force == pytest.approx([0.0, 1.0, 0.0], abs=1e-6)
        rate = got(fmu, references["der(model.v)"])[0]
        assert rate == pytest.approx(-math.sin(x) / 2.0, rel=1e-12)


def test_dovetail_iterates_over_it_and_uses_its_derivatives(exports):
    path = exports["swing", 3]
    inner = dv.load(str(path))
    assert inner.fmu.states == ("model.x", "model.v")
    system = dv.System("loop")
    system.add("it", inner)
    system.add("spring", dv.Algebraic(inputs=["x"], outputs=["f"], function=lambda t, u, p: [-u.x]))
    system.connect("it.model.x", "spring.x")
    system.connect("spring.f", "it.model.force")
    drawn = dv.System("drawn")
    drawn.add("it", SWING)
    drawn.add("spring", system.parts["spring"].model)
    drawn.connect("it.x", "spring.x")
    drawn.connect("spring.f", "it.force")
    for algorithm in (dv.GaussSeidel(20, rtol=1e-10, atol=1e-10), dv.Newton()):
        found, wanted = (ran(one, algorithm=algorithm) for one in (system, drawn))
        near = pytest.approx(wanted["it.x"][:][-1], rel=1e-5)
        assert found["it.model.x"][:][-1] == near


def test_start_values_may_be_set_again_in_initialization_mode(exports, tmp_path):
    with instance(exports["swing", 2], tmp_path / "it") as (fmu, references):
        x = references["model.x"]
        put(fmu, x, 0.7)
        fmu.setupExperiment(startTime=0.0)
        fmu.enterInitializationMode()
        assert got(fmu, x) == [0.7]
        put(fmu, x, 0.5)
        put(fmu, references["model.m"], 4.0)
        assert got(fmu, x) == [0.5]
        fmu.exitInitializationMode()
        fmu.doStep(0.0, 0.5)
        found = got(fmu, x)
        with pytest.raises(fmpy.fmi1.FMICallException):
            put(fmu, x, 0.6)  # it has started
    system = dv.System("other")
    system.add("model", SWING, x=0.5, m=4.0)
    drawn = dv.simulate(system, stop=0.5, step=0.5, quiet=True, verify=False)
    assert found == [drawn["model.x"][:][-1]]


def test_the_tolerance_of_the_importer_counts(exports):
    ends = {}
    for tolerance in (1e-3, 1e-6, 1e-11):
        rows = fmpy.simulate_fmu(
            str(exports["swing", 2]), stop_time=STOP, step_size=1.0, output_interval=1.0,
            relative_tolerance=tolerance,
        )  # fmt: skip
        ends[tolerance] = rows["model.x"][-1]
    best = ends[1e-11]
    assert 0.0 < abs(ends[1e-6] - best) < abs(ends[1e-3] - best)


# where it runs ------------------------------------------------------------------------------------


def test_any_folder_will_do_and_two_instances_and_another_python_home(
    exports, tmp_path, monkeypatch
):
    """As of hosts with a Python of their own: what they set is not for this one."""
    monkeypatch.setenv("PYTHONHOME", "/nowhere")
    monkeypatch.setenv("PYTHONPATH", "/nowhere")
    folder = tmp_path / "with a blank, 100% sure %41 Größe"
    fmpy.extract(str(exports["swing", 3]), str(folder))
    before = {p: p.stat().st_mtime_ns for p in folder.rglob("*")}
    monkeypatch.chdir("/")
    with (
        instance(exports["swing", 3], folder, "one") as (one, references),
        instance(exports["swing", 3], folder, "two") as (two, _),
    ):
        put(two, references["model.x"], 0.1)
        for fmu in (one, two):
            started(fmu)
            fmu.doStep(0.0, SIZE)
        assert len(processes(folder)) == 2
        assert got(one, references["model.x"]) == [ran(SWING)["model.x"][:][1]]
        assert got(two, references["model.x"]) != got(one, references["model.x"])
    assert processes(folder) == []
    assert {p: p.stat().st_mtime_ns for p in folder.rglob("*")} == before


def test_a_python_that_is_not_there_is_said_with_what_is_needed(exports, monkeypatch):
    monkeypatch.setenv("DOVETAIL_PYTHON", "/nowhere/python")
    with pytest.raises(dv.DovetailError) as error:
        ran(str(exports["wave", 2]))
    said = str(error.value)
    assert "/nowhere/python, cannot be started: No such file or directory" in said
    assert f"it needs Python 3.{sys.version_info[1]} with dovetail {dv.__version__}" in said
    assert "set DOVETAIL_PYTHON" in said


def test_a_python_without_what_is_needed_says_so(exports, tmp_path, monkeypatch):
    bare = tmp_path / "python"
    bare.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S "$@"\n')
    bare.chmod(0o755)
    monkeypatch.setenv("DOVETAIL_PYTHON", str(bare))
    with pytest.raises(dv.DovetailError, match="it has no dovetail, cloudpickle; this FMU needs"):
        ran(str(exports["wave", 3]))


# how it ends --------------------------------------------------------------------------------------


def dying(t, p):
    if t > 0.25:
        os._exit(3)
    return [t]


def test_a_crash_is_an_error_in_a_sentence_and_a_reset_starts_another_process(tmp_path):
    path = dv.export(dv.Source(outputs=["y"], function=dying), tmp_path / "it.fmu", beside=True)
    with pytest.raises(dv.RunError) as error:
        ran(str(path))
    assert "the Python process of 'it' ended with exit code 3 in fmi2DoStep" in str(error.value)
    with instance(path, tmp_path / "it") as (fmu, references):
        started(fmu)
        fmu.doStep(0.0, 0.2)
        with pytest.raises(fmpy.fmi1.FMICallException):
            fmu.doStep(0.2, 0.2)
        assert processes(tmp_path / "it") == []
        with pytest.raises(fmpy.fmi1.FMICallException):
            fmu.doStep(0.2, 0.2)
        fmu.reset()
        started(fmu)
        fmu.doStep(0.0, 0.2)
        assert got(fmu, references["model.y"]) == [0.2]


def test_an_exception_of_the_model_is_told(tmp_path):
    model = dv.Algebraic(inputs={"a": 1.0}, outputs=["b"], function=lambda t, u, p: [1 / (t - 0.2)])
    path = dv.export(model, tmp_path / "it.fmu", beside=True, fmi=3)
    with pytest.raises(dv.RunError, match="ZeroDivisionError"):
        ran(str(path))


IMPORTER = """
import sys, time, fmpy
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from exporting.drawings import instance, started
with instance(Path(sys.argv[2]), Path(sys.argv[3])) as (fmu, references):
    started(fmu)
    print("ready", flush=True)
    time.sleep(60)
"""


def test_no_process_outlives_an_importer_that_is_killed(exports, tmp_path):
    tests = os.path.dirname(os.path.dirname(__file__))
    words = [sys.executable, "-c", IMPORTER, tests, exports["wave", 2], tmp_path / "it"]
    importer = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    assert importer.stdout is not None and importer.stdout.readline() == "ready\n"
    assert len(processes(tmp_path / "it")) == 1
    importer.kill()
    importer.wait()
    importer.stdout.close()
    for _ in range(200):
        if not processes(tmp_path / "it"):
            return
        time.sleep(0.05)
    raise AssertionError("it is still there")


# in systems ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("fmi", [2, 3])
def test_a_part_of_a_system_may_run_beside_it_with_the_same_bits(fmi, archive, tmp_path):
    system = dv.System("mixed")
    system.add("fmu", dv.load(str(archive("linear", 2))), x=2.0)
    system.add("root", ROOT, gain=0.5)
    system.connect("fmu.y", "root.a")
    system.connect("root.b", "fmu.u")
    algorithm = dv.GaussSeidel(20, rtol=1e-9, atol=1e-9)
    drawn = ran(system, algorithm=algorithm)
    with pytest.raises(dv.ExportRefused) as error:
        system.export(tmp_path / "no.fmu", step=SIZE, algorithm=algorithm)
    assert error.value.beside == ("root",)
    assert "with beside=True a Python that the FMU starts runs 'root'" in str(error.value)
    path = system.export(tmp_path / "it.fmu", fmi=fmi, step=SIZE, algorithm=algorithm, beside=True)
    assert "'root' runs in Python 3" in dv.load(str(path)).fmu.description
    rows = fmpy.simulate_fmu(str(path), stop_time=STOP, output_interval=SIZE)
    assert np.array_equal(rows["fmu.y"], drawn["fmu.y"][:])
    assert np.array_equal(rows["root.b"], drawn["root.b"][:])


def test_a_whole_system_may_run_beside_as_one_model(tmp_path):
    """With whatever Python can do: here events, and windows that adapt."""
    system = pair()
    system.add("ball", BALL)
    nested = dv.Nested(system, controller=dv.StepDoubling(1e-4, 1e-4))
    path = dv.export(nested, tmp_path / "it.fmu", beside=True)
    rows = fmpy.simulate_fmu(str(path), stop_time=STOP, output_interval=SIZE)
    drawn = ran(nested)
    for name in ("swing.x", "ball.h"):
        near = pytest.approx(drawn[f"pair.{name}"][:][-1], rel=1e-9)
        assert rows[f"pair.{name}"][-1] == near


def test_what_cannot_run_beside_is_named(archive, tmp_path):
    inside = dv.System("inside")
    inside.add("fmu", dv.load(str(archive("linear", 2))))
    with pytest.raises(dv.ExportRefused, match="contains FMUs, which would stay where they are"):
        dv.export(dv.Nested(inside), tmp_path / "it.fmu", beside=True)
    clocked = dv.Discrete(clock="tick", outputs=["y"], output=lambda t, x, u, p: [t])
    with pytest.raises(dv.ExportRefused, match="has a clock variable"):
        dv.export(clocked, tmp_path / "it.fmu", beside=True)
