"""What an export says of itself: names, units, types, start values, dependencies."""

from __future__ import annotations

import fmpy
import pytest
from exporting.drawings import SIZE, imported, ran
from fmpy.validation import validate_fmu

import dovetail as dv


@pytest.fixture(scope="module")
def drawn(archive):
    system = dv.System("oscillator")
    system.add("body", dv.load(str(archive("body", 2))), mass=2e4)
    system.add("spring", dv.load(str(archive("spring", 3))))
    system.connect("body.position", "spring.position")
    system.connect("spring.force", "body.force")
    return system


@pytest.fixture(params=[2, 3])
def path(request, drawn, tmp_path):
    return drawn.export(
        tmp_path / "it.fmu", fmi=request.param, step=SIZE, algorithm=dv.GaussSeidel()
    )


def test_fmpy_and_dovetail_have_no_objection(path):
    """FMPy compares with the schemas of FMI as well."""
    assert validate_fmu(str(path)) == []
    model = dv.load(str(path))
    assert model.fmu.deviations == ()
    assert model.fmu.variable_naming == "structured"


def test_inputs_are_those_that_nothing_feeds_and_parameters_keep_their_names(path):
    description = dv.load(str(path)).description
    assert [v.name for v in description.inputs] == ["spring.velocity"]
    assert {"body.position", "body.velocity", "spring.force"} == {
        v.name for v in description.outputs
    }
    parameters = {v.name: v for v in description.parameters}
    assert {"body.mass", "spring.stiffness", "spring.switch_time"} <= parameters.keys()
    assert parameters["body.mass"].start == 2e4  # as it was drawn
    assert parameters["spring.mass"].start == 1e4
    assert parameters["body.mass"].minimum == 0.0


def test_units_are_kept(path):
    description = dv.load(str(path)).description
    units = {v.name: v.unit for v in (*description.inputs, *description.outputs)}
    assert units == {
        "spring.velocity": "m/s",
        "body.position": "m",
        "body.velocity": "m/s",
        "spring.force": "N",
    }
    found = {v.name: v.unit for v in description.parameters}
    assert found["body.stiffness"] == "N/m"


def test_dependencies_go_through_parts_and_wires(path):
    fmu = dv.load(str(path)).fmu
    outputs = {u.name: u.dependencies for u in fmu.structure.outputs}
    assert set(outputs["spring.force"]) == {
        *("spring.velocity", "body.position"),
        *("spring.x", "spring.v"),
    }
    assert outputs["body.position"] == ("body.position",)  # a state
    unknown = {u.name for u in fmu.structure.initial_unknowns}
    rates = {u.name for u in fmu.structure.derivatives}
    assert unknown == {"spring.force"} | rates  # the others are states, whose start is given


def test_parameters_that_are_set_outside_reach_the_parts(path, drawn):
    other = drawn.copy()
    other.set("body.mass", 1.5e4)
    other.set("spring.stiffness", 2e3)
    other.set("spring.velocity", 0.5)
    expected = ran(other, algorithm=dv.GaussSeidel())
    values = {"body.mass": 1.5e4, "spring.stiffness": 2e3, "spring.velocity": 0.5}
    found = imported(path, **values)
    assert (found["it.spring.force"][:] == expected["spring.force"][:]).all()


def test_outputs_are_chosen_by_patterns(drawn, tmp_path):
    path = drawn.export(tmp_path / "it.fmu", step=SIZE, outputs=["body.*"])
    assert {v.name for v in dv.load(str(path)).description.outputs} == {
        "body.position",
        "body.velocity",
    }


def test_arrays_become_scalars_with_an_index(archive, tmp_path):
    system = dv.System("arrays")
    system.add("a", dv.load(str(archive("arrays", 3))), {"gain": [2.0, 3.0, 4.0]})
    system.add("b", dv.load(str(archive("arrays", 3))))
    system.connect("a.y", "b.u")
    path = system.export(tmp_path / "it.fmu", step=SIZE, algorithm=dv.GaussSeidel())
    assert validate_fmu(str(path)) == []
    description = dv.load(str(path)).description
    assert [v.name for v in description.inputs] == ["a.u[1]", "a.u[2]", "a.u[3]"]
    expected = system.copy()
    expected.set("a.u", [1.0, 2.0, 3.0])
    expected.set("b.gain", [1.0, 5.0, 3.0])
    drawn = ran(expected, algorithm=dv.GaussSeidel())
    values = {"a.u[1]": 1.0, "a.u[2]": 2.0, "a.u[3]": 3.0, "b.gain[2]": 5.0}
    found = imported(path, **values)
    for k in range(3):
        assert (found[f"it.b.y[{k + 1}]"][:] == drawn[f"b.y[{k + 1}]"][:]).all()


def test_the_default_experiment_is_that_of_the_drawing(archive, tmp_path):
    system = dv.System("one")
    system.add("a", dv.load(str(archive("linear", 2))))
    path = system.export(tmp_path / "it.fmu", step=0.25, start=1.0, stop=4.0)
    experiment = fmpy.read_model_description(str(path)).defaultExperiment
    found = experiment.startTime, experiment.stopTime, experiment.stepSize
    assert tuple(map(float, found)) == (1.0, 4.0, 0.25)
