"""FMUs for model exchange inside exports: solved by explicit steps, with the same bits."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from conformance.test_model_exchange import without_step_notes
from exporting.drawings import SIZE, alone, got, imported, instance, ran, ring, same, started
from exporting.test_refusals import refused
from fmpy.validation import validate_fmu

import dovetail as dv
from dovetail.integrators import FixedSize

TIGHT = {"rtol": 1e-10, "atol": 1e-10}
NAMES = ["p0.y", "p1.y", "p2.y"]
ME = {"model_exchange": True, "co_simulation": False}
SOLVERS = ["rk45", *(FixedSize(0.013, m) for m in ("euler", "heun", "midpoint", "rk4"))]
ALGORITHMS = [
    dv.GaussSeidel(), dv.Jacobi(extrapolation=1), dv.GaussSeidel(20, **TIGHT), dv.Newton(**TIGHT),
    dv.GaussSeidel(20, inputs="ramp", **TIGHT),
]  # fmt: skip


def without_notes(path: Path) -> Path:
    """It does not want to hear of every step."""
    target = path.with_name(f"quiet-{path.name}")
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "modelDescription.xml":
                data = without_step_notes(data.decode()).encode()
            new.writestr(name, data)
    return target


def mixed(archive, solver):
    """Two for model exchange, one of which is told of steps, and one for co-simulation."""
    told = dv.load(str(archive("linear", 2, **ME)), solver=solver)
    quiet = dv.load(str(without_notes(archive("linear", 2, **ME))), solver=solver)
    return ring(told, quiet, dv.load(str(archive("linear", 2, input_derivatives=3))))


@pytest.mark.parametrize("solver", SOLVERS, ids=repr)
def test_each_solver_gives_the_same_bits(solver, archive, tmp_path):
    system = mixed(archive, solver)
    path = system.export(tmp_path / "it.fmu", step=SIZE, algorithm=dv.GaussSeidel())
    assert validate_fmu(str(path)) == []
    drawn = ran(system, algorithm=dv.GaussSeidel())
    assert drawn.statistics.native_windows == 20
    assert same(imported(path), drawn, NAMES)


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=repr)
def test_each_algorithm_gives_the_same_bits(algorithm, archive, tmp_path):
    system = mixed(archive, "rk45")
    path = system.export(tmp_path / "it.fmu", fmi=3, step=SIZE, algorithm=algorithm)
    assert same(imported(path), ran(system, algorithm=algorithm), NAMES)


def test_states_are_saved_and_restored(archive, tmp_path):
    path = mixed(archive, "rk45").export(
        tmp_path / "it.fmu", step=SIZE, algorithm=dv.GaussSeidel(20, **TIGHT)
    )
    with instance(path, tmp_path / "it") as (fmu, references):
        started(fmu)
        fmu.doStep(0.0, 0.5)
        state = fmu.getFMUState()
        fmu.doStep(0.5, 0.5)
        first = got(fmu, *(references[n] for n in NAMES))
        fmu.doStep(1.0, 0.5)
        fmu.setFMUState(state)
        fmu.doStep(0.5, 0.5)
        assert got(fmu, *(references[n] for n in NAMES)) == first
        fmu.freeFMUState(state)


def test_what_is_not_solved_is_named(archive, tmp_path):
    path = str(archive("linear", 2, **ME))
    said = refused(alone(dv.load(path)), tmp_path)
    assert "is an FMU for model exchange, solved by" in said
    assert said.endswith("which exports do not have; load it with solver='rk45'")
    ball = dv.load(str(archive("ball", 2, **ME)), solver="rk45")
    assert "is an FMU for model exchange with events" in refused(alone(ball), tmp_path)
    third = dv.load(str(archive("linear", 3, **ME)), solver="rk45")
    assert "of FMI 3.0, and exports solve those of FMI 2" in refused(alone(third), tmp_path)


def test_an_event_that_comes_after_all_ends_a_run_with_a_sentence(archive, tmp_path):
    """No description tells of events at times."""
    spring = dv.load(str(archive("spring", 2, **ME)), solver="rk45")
    path = alone(spring, switch_time=1.0).export(
        tmp_path / "it.fmu", step=SIZE, algorithm=dv.Jacobi()
    )
    with pytest.raises(dv.PartFailed) as error:
        imported(path)
    assert "part 'part' has an event behind t = 0.9" in str(error.value)
