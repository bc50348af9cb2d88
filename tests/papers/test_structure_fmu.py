"""The article's toolchain: a model-exchange FMU is analyzed, cut, and run in mixed mode."""

import json
from dataclasses import replace

import exchanger
import numpy as np
import pytest
from fmus.build import build

import dovetail as dv
from dovetail.cli.main import main
from dovetail.integrators import Mixed

ROWS = [f"{row}[{i}]" for row in ("Ta", "Tw", "Tb") for i in range(1, 11)]


@pytest.fixture(scope="module", params=[2, 3], ids=["fmi2", "fmi3"])
def fmu(request, tmp_path_factory):
    return build("exchanger", request.param, tmp_path_factory.mktemp("fmus"))


def test_analysis_of_the_fmu_is_that_of_the_python_model(fmu, capsys):
    assert main(["analyze", str(fmu), "--step", "0.04", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    expected = dv.analyze(exchanger.exchanger(10))
    assert told["bounds"] == pytest.approx(expected.bounds, rel=1e-9)
    assert told["cycles"] == expected.cycles == 95
    assert told["stiffness"] == pytest.approx(expected.stiffness, rel=1e-9)
    assert told["separability"] == pytest.approx(expected.separability, rel=1e-9)
    assert told["partition"]["fast"] == list(expected.partition(0.04).fast)


def test_a_mixed_run_of_the_fmu_is_that_of_the_python_model(fmu, tmp_path, capsys):
    path = tmp_path / "run.parquet"
    words = ["--integrator", "mixed-euler", "--step", "0.04", "--output", str(path), "--quiet"]
    assert main(["run", str(fmu), *words]) == 0
    capsys.readouterr()
    found = dv.read(path)
    system = dv.System("python")
    system.add("hx", exchanger.exchanger(10, solver=Mixed(0.04, "euler")))
    expected = dv.simulate(system, stop=5.0, controller=dv.FixedStep(0.04), quiet=True)
    part = next(iter(found.names)).partition(".")[0]
    assert found.time == pytest.approx(expected.time)
    for name in ROWS:
        given = np.asarray(expected[f"hx.{name}"])
        assert np.asarray(found[f"{part}.{name}"]) == pytest.approx(given, rel=1e-9)
    mine, theirs = found.statistics.effort_by_part[part], expected.statistics.effort_by_part["hx"]
    # one that might have to go back asks for the first rates of every window anew
    assert theirs.evaluations == 126 and mine.evaluations in (126, 250)
    assert replace(mine, evaluations=0) == replace(theirs, evaluations=0)
    assert mine.newton_iterations == 125


def test_the_fmu_can_be_split_into_parts_of_two_rates(fmu):
    A, _ = exchanger.matrix(10)
    errors = []
    algorithm = dv.GaussSeidel(max_iterations=20, inputs="ramp")
    for model in (exchanger.exchanger(10, pattern=A != 0), dv.load(fmu, kind="model exchange")):
        cut = dv.analyze(model).partition(0.04)
        system = dv.split(model, cut, windows={"fast": 0.0025}, rtol=1e-9, atol=1e-9)
        run = {"controller": dv.FixedStep(0.01), "algorithm": algorithm}
        errors.append(system.deviation(0.3, **run).errors)
    assert errors[1] == pytest.approx(errors[0], rel=1e-2, abs=1e-6)
    assert max(errors[1].values()) < 0.005
    # only what the declared dependencies say: the other sides of the walls
    assert {v.name for v in system.parts["fast"].description.inputs} == {
        "inlet_a",
        "inlet_b",
        *(f"Tw[{i}]" for i in range(1, 11)),
    }


def test_an_fmu_with_events_is_not_split(tmp_path):
    model = dv.load(build("ball", 2, tmp_path), kind="model exchange")
    with pytest.raises(dv.ModelError, match="it has events of its own"):
        dv.split(model, [["h"], ["v"]])


def test_an_fmu_without_states_is_told_so(tmp_path):
    model = dv.load(build("stair", 2, tmp_path), kind="model exchange")
    with pytest.raises(dv.ModelError, match="cannot be analyzed: it has no continuous states"):
        dv.analyze(model)


@pytest.mark.parametrize("integrator", ["mixed-euler", "mixed"])
def test_a_checkpoint_of_a_mixed_run_of_the_fmu_goes_on_to_the_last_bit(fmu, tmp_path, integrator):
    system = dv.System("exchanger")
    system.add("hx", dv.load(fmu, kind="model exchange", solver=integrator, step=0.04))
    run = {"stop": 1.0, "controller": dv.FixedStep(0.04), "quiet": True}
    whole = dv.simulate(system, **run)
    with dv.Session(system, **run) as session:
        while session.time < 0.5:
            session.advance()
        session.checkpoint(tmp_path / "half")
    assert dv.simulate(system, resume=tmp_path / "half", **run).final == whole.final


def test_the_fmu_merged_with_a_python_part_is_analyzed_and_agrees_with_the_coupled_run(fmu):
    system = dv.System("plant")
    system.add("hx", dv.load(fmu, kind="model exchange"))
    boiler = dv.Dynamic(
        states={"T": 323.15},
        inputs={"back": 300.0},
        outputs=["T"],
        derivatives=lambda t, x, u, p: [0.5 * (325 - x.T) - 0.02 * (u.back - 290)],
    )
    system.add("boiler", boiler)
    system.connect("hx.Tb[10]", "boiler.back")
    system.connect("boiler.T", "hx.inlet_a")
    found = dv.analyze(dv.merge(system))
    assert len(found.names) == 31
    assert found.bounds["hx.Ta[1]"] == pytest.approx(1.5 / 119.047619, rel=1e-5)
    assert "boiler.T" in found.limiting("boiler.T").states
    whole = dv.System("whole")
    whole.add("plant", dv.merge(system, solver="radau"))
    run = {"stop": 0.5, "controller": dv.FixedStep(0.02), "quiet": True}
    coupled = dv.simulate(system, algorithm=dv.GaussSeidel(20, inputs="ramp"), **run)
    told = coupled.compare(dv.simulate(whole, **run), rtol=2e-3)
    assert told.within, str(told)
