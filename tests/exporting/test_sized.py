"""Exports whose windows follow their error make those that a run in Dovetail makes."""

from __future__ import annotations

import fmpy
import numpy as np
import pytest
from exporting.drawings import SIZE, got, instance, put, ran, ring, same, started
from exporting.test_refusals import refused
from fmpy.validation import validate_fmu

import dovetail as dv

TIGHT = {"rtol": 1e-8, "atol": 1e-10}
WAYS = [
    (dv.GaussSeidel(), dv.StepDoubling(1e-4, 1e-4, first_size=0.01)),
    (dv.Jacobi(), dv.StepDoubling(1e-4, 1e-4, first_size=0.01, scale="range")),
    (dv.GaussSeidel(20, inputs="ramp", **TIGHT), dv.StepDoubling(1e-5, 1e-6, first_size=0.01)),
    (dv.Newton(**TIGHT), dv.Adaptive(first_size=0.01, max_size=0.1)),
    (dv.GaussSeidel(extrapolation=1), dv.InputDefect(1e-3, 1e-3, first_size=0.01)),
]
STEP = 0.125  # times are exact


@pytest.fixture(scope="module")
def drawn(archive):
    told = dv.load(str(archive("linear", 2, input_derivatives=3)))
    system = ring(told, dv.load(str(archive("linear", 3, intermediate_update=True))), told)
    return system


def at_ends(path, folder, stop=2.0, step=STEP):
    """What FMPy finds where its steps end."""
    with instance(path, folder) as (fmu, references):
        started(fmu)
        found = [got(fmu, references["p0.y"], references["p2.y"])]
        for k in range(round(stop / step)):
            fmu.doStep(k * step, step)
            found.append(got(fmu, references["p0.y"], references["p2.y"]))
    return np.array(found)


@pytest.mark.parametrize(("algorithm", "controller"), WAYS, ids=repr)
def test_windows_of_sizes_that_follow_their_error_give_the_same_bits(
    algorithm, controller, drawn, tmp_path
):
    """One long step is a run; shorter ones are those of a nested system."""
    path = drawn.export(tmp_path / "it.fmu", algorithm=algorithm, controller=controller)
    run = dv.simulate(drawn, stop=2.0, algorithm=algorithm, controller=controller, quiet=True,
                      verify=False)  # fmt: skip
    assert run.statistics.native_windows == run.statistics.windows > 20
    long = at_ends(path, tmp_path / "a", step=2.0)[-1]
    assert long.tolist() == [run[n][:][-1] for n in ("p0.y", "p2.y")]
    outer = dv.System("outer")
    outer.add("in", dv.Nested(drawn, algorithm=algorithm, controller=controller))
    steps = ran(outer, STEP, algorithm=dv.Jacobi())
    found = at_ends(path, tmp_path / "b")
    for k, name in enumerate(("in.p0.y", "in.p2.y")):
        assert found[:, k].tolist() == list(steps[name][:]), name


def test_states_remember_what_the_controller_knows(drawn, tmp_path):
    controller = dv.StepDoubling(1e-4, 1e-4, first_size=0.01, scale="range")
    path = drawn.export(tmp_path / "it.fmu", algorithm=dv.GaussSeidel(), controller=controller)
    assert validate_fmu(str(path)) == []
    assert fmpy.read_model_description(str(path)).defaultExperiment.stepSize is None
    with instance(path, tmp_path / "it") as (fmu, references):
        started(fmu)
        fmu.doStep(0.0, 0.5)
        state = fmu.getFMUState()
        kept = fmu.serializeFMUState(state)
        fmu.doStep(0.5, 0.5)
        first = got(fmu, references["p0.y"])
        put(fmu, references["p0.a"], -5.0)
        fmu.doStep(1.0, 0.5)
        for again in (state, fmu.deserializeFMUState(kept)):
            fmu.setFMUState(again)
            put(fmu, references["p0.a"], -1.0)
            fmu.doStep(0.5, 0.5)
            assert got(fmu, references["p0.y"]) == first
            fmu.freeFMUState(again)


def test_compiled_models_with_samples_go_along(tmp_path):
    """A run here makes the same windows, whose last ones end where something is sampled."""
    system = dv.System("sampled")
    system.add("plant", dv.Dynamic(states={"v": 1.0}, inputs={"f": 0.0}, outputs=["v"],
                                   derivatives=lambda t, x, u, p: [u.f - x.v]))  # fmt: skip
    system.add("sampler", dv.Discrete(period=0.3, states={"s": 0.0}, inputs={"v": 0.0},
                                      outputs=["f"], output=lambda t, x, u, p: [-u.v - 0.5 * x.s],
                                      update=lambda t, x, u, p: [x.s + u.v]))  # fmt: skip
    system.connect("plant.v", "sampler.v")
    system.connect("sampler.f", "plant.f")
    options = {
        "algorithm": dv.GaussSeidel(),
        "controller": dv.StepDoubling(1e-4, 1e-4, first_size=0.01),
    }
    path = system.export(tmp_path / "it.fmu", **options)
    drawn = dv.simulate(system, stop=2.0, quiet=True, verify=False, **options)
    with instance(path, tmp_path / "it") as (fmu, references):
        started(fmu)
        fmu.doStep(0.0, 2.0)
        found = got(fmu, references["plant.v"])[0]
    assert found == pytest.approx(drawn["plant.v"][:][-1], rel=1e-12)


def test_nested_systems_of_one_size_are_refused_in_such_windows(drawn, tmp_path):
    outer = dv.System("outer")
    outer.add("in", dv.Nested(drawn, controller=dv.FixedStep(SIZE)))
    said = refused(outer, tmp_path, step=None, controller=dv.StepDoubling(), algorithm=dv.Jacobi())
    assert "part 'in' holds a system with windows of one size" in said
    assert "give the size of windows, such as step=0.01, or give it a controller" in said


def test_a_nested_system_with_a_controller_is_an_fmu_inside(drawn, tmp_path):
    inner = dv.StepDoubling(1e-4, 1e-4, first_size=0.01)
    outer = dv.System("outer")
    outer.add("in", dv.Nested(drawn, algorithm=dv.GaussSeidel(), controller=inner))
    path = outer.export(tmp_path / "it.fmu", step=STEP, algorithm=dv.Jacobi())
    assert same(
        ran(around(path), STEP, algorithm=dv.Jacobi()),
        ran(outer, STEP, algorithm=dv.Jacobi()),
        ["in.p0.y"],
    )


def around(path) -> dv.System:
    system = dv.System("around")
    system.add("it", dv.load(str(path)))
    return system
