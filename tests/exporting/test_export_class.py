"""Classes with typed fields and do_step: as parts here, and as FMUs of both versions."""

from __future__ import annotations

import fmpy
import numpy as np
import pytest
from exporting.drawings import got, instance, put, started
from exporting.python_models import Counter
from fmpy.validation import validate_fmu

import dovetail as dv


@pytest.fixture(scope="module", params=[2, 3])
def path(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("classes")
    return dv.export(Counter, folder / "counter.fmu", fmi=request.param, step=0.1, stop=1.0)


def ran(model, **values):
    system = dv.System("classes")
    system.add("it", model, **values)
    return dv.simulate(system, stop=1.0, step=0.1, quiet=True, verify=False)


def test_its_variables_are_those_of_the_class(path):
    assert validate_fmu(str(path)) == []
    found = dv.load(str(path)).fmu
    variables = {v.name: v for v in found.variables}
    assert [v.name for v in found.variables] == [
        "time", "rate", "on", "way", "steps", "title", "gain", "label",
    ]  # fmt: skip
    assert variables["rate"].unit == "m/s" and variables["gain"].minimum == 0.0
    assert variables["rate"].description == "how quickly it grows"
    assert variables["steps"].variability == "discrete"
    assert found.description.startswith("Counts its steps. It runs in Python beside")


def test_it_is_a_part_here_and_an_fmu_elsewhere_with_the_same_values(path):
    drawn = ran(Counter, gain=3.0, label="n")
    around = ran(dv.load(str(path)), gain=3.0, label="n")
    for name in ("way", "steps", "title"):
        assert list(drawn[f"it.{name}"][:]) == list(around[f"it.{name}"][:]), name
    assert drawn["it.title"][:][-1] == "n 10"
    rows = fmpy.simulate_fmu(str(path), output_interval=0.1, start_values={"gain": 3.0})
    assert np.allclose(rows["way"], drawn["it.way"][:], rtol=1e-14)  # its steps are k * 0.1


def test_all_types_are_set_and_read_and_states_kept(path, tmp_path):
    with instance(path, tmp_path / "it") as (fmu, references):
        three = hasattr(fmu, "setFloat64")
        put(fmu, references["rate"], 2.0)
        (fmu.setString)([references["label"]], ["näh"])
        started(fmu)
        fmu.doStep(0.0, 0.5)
        title = [
            t if isinstance(t, str) else t.decode() for t in fmu.getString([references["title"]])
        ]
        assert title == ["näh 1"]
        steps = fmu.getInt32 if three else fmu.getInteger
        assert list(steps([references["steps"]])) == [1]
        state = fmu.getFMUState() if three else fmu.getFMUstate()
        fmu.doStep(0.5, 0.5)
        assert got(fmu, references["way"]) == [4.0]
        (fmu.setFMUState if three else fmu.setFMUstate)(state)
        fmu.setBoolean([references["on"]], [False])
        put(fmu, references["gain"], 5.0)
        fmu.doStep(0.5, 0.5)
        assert got(fmu, references["way"]) == [2.0]
        assert list(steps([references["steps"]])) == [1]


def test_a_step_that_says_false_is_an_error(path):
    with pytest.raises(dv.RunError, match="do_step returned False"):
        ran(dv.load(str(path)), rate=-20.0)
    with pytest.raises(dv.RunError, match="do_step returned False"):
        ran(Counter, rate=-20.0)


@dv.export_class
class Law:
    """A law that answers at once, and knows its derivative."""

    x: float = dv.field("input", 0.5)
    y: float = dv.field("output")

    def update_outputs(self, time: float) -> None:
        self.y = self.x**3

    def do_step(self, current_time: float, step_size: float) -> bool:
        return True

    def jacobian(self, time: float) -> list[list[float]]:
        return [[3.0 * self.x**2]]


def test_derivatives_that_a_class_gives_are_those_of_the_fmu(tmp_path):
    path = Law.export(tmp_path / "law.fmu", fmi=2)
    with instance(path, tmp_path / "it") as (fmu, references):
        started(fmu)
        assert got(fmu, references["y"]) == [0.125]
        found = fmu.getDirectionalDerivative([references["y"]], [references["x"]], [2.0])
        assert list(found) == [1.5]
    assert dv.load(str(path)).description.depends("y") == {"x"}


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"do_step": None}, "the class Wrong needs do_step"),
        ({"x": dv.field("input")}, "the field 'x' of the class Wrong has no type; write x: float"),
        (
            {"x": dv.field("input", 1.5), "__annotations__": {"x": int}},
            "the start value of 'x' of the class Wrong is no int",
        ),
    ],
)
def test_what_is_wrong_with_a_class_is_said(body, message):
    made = type("Wrong", (), {"do_step": lambda self, t, h: True, **body})
    with pytest.raises(dv.ModelError, match=message):
        dv.export_class(made)


def test_fields_are_inputs_outputs_or_parameters():
    with pytest.raises(dv.ModelError, match="a field is an 'input', 'output' or 'parameter'"):
        dv.field("local")  # type: ignore[arg-type]
