"""A Python model alone is exported for model exchange as well, with directional derivatives."""

from __future__ import annotations

import fmpy
import numpy as np
import pytest
from exporting.drawings import SIZE, got, instance, put, ran, started
from fmpy.validation import validate_fmu

import dovetail as dv

MODEL = dv.Dynamic(
    states={"x": 1.0, "v": [0.0, 0.5]},
    inputs={"f": 0.2},
    outputs=["x", "e"],
    parameters={"k": 4.0},
    derivatives=lambda t, x, u, p: [
        x.v[0],
        np.array([-p.k * x.x + u.f * np.sin(t), -x.v[1] * x.x]),
    ],
    output=lambda t, x, u, p: [x.x, x.v[1] * u.f],
    units={"f": "N"},
)


@pytest.fixture(scope="module")
def exports(tmp_path_factory):
    folder = tmp_path_factory.mktemp("exports")
    return {
        fmi: dv.export(MODEL, folder / f"m{fmi}.fmu", fmi=fmi, step=SIZE, algorithm=dv.Jacobi())
        for fmi in (2, 3)
    }


@pytest.fixture(scope="module")
def drawn():
    return ran(MODEL, algorithm=dv.Jacobi())


@pytest.mark.parametrize("fmi", [2, 3])
def test_fmpy_and_dovetail_solve_its_equations(fmi, exports, drawn):
    path = exports[fmi]
    assert validate_fmu(str(path)) == []
    rows = fmpy.simulate_fmu(
        str(path), stop_time=2.0, output_interval=SIZE, fmi_type="ModelExchange",
        relative_tolerance=1e-9,
    )  # fmt: skip
    loaded = dv.load(str(path), kind="model exchange", solver="rk45", rtol=1e-9, atol=1e-10)
    ours = ran(loaded, algorithm=dv.Jacobi())
    for name in ("x", "e"):
        wanted = drawn[f"model.{name}"][:]
        assert np.allclose(rows[f"model.{name}"], wanted, atol=1e-6)  # rtol of the model
        found = ours[f"m{fmi}.model.{name}"][:]
        assert np.allclose(found, wanted, atol=1e-6)


@pytest.mark.parametrize("fmi", [2, 3])
def test_its_structure_lists_states_and_exact_dependencies(fmi, exports):
    fmu = dv.load(str(exports[fmi])).fmu
    assert fmu.deviations == ()
    assert fmu.states == ("model.x", "model.v[1]", "model.v[2]")
    found = {u.name: u.dependencies for u in (*fmu.structure.outputs, *fmu.structure.derivatives)}
    assert {name: set(seen) for name, seen in found.items()} == {
        "model.x": {"model.x"},
        "model.e": {"model.v[2]", "model.f"},
        "der(model.x)": {"model.v[1]"},
        "der(model.v[1])": {"model.x", "model.f"},
        "der(model.v[2])": {"model.x", "model.v[2]"},
    }


@pytest.mark.parametrize("fmi", [2, 3])
def test_directional_derivatives_are_those_of_the_functions(fmi, exports, tmp_path):
    with instance(exports[fmi], tmp_path / "it") as (fmu, references):
        put(fmu, references["model.f"], 0.7)
        started(fmu)
        fmu.doStep(0.0, 0.5)
        unknown = ["der(model.x)", "der(model.v[1])", "der(model.v[2])", "model.x", "model.e"]
        known = ["model.x", "model.v[1]", "model.v[2]", "model.f"]
        x, _, v = got(fmu, *(references[n] for n in known[:3]))
        exact = [
            [0, 1, 0, 0],
            [-4, 0, 0, np.sin(0.5)],
            [-v, 0, -x, 0],
            [1, 0, 0, 0],
            [0, 0, 0.7, v],
        ]
        ask = fmu.getDirectionalDerivative
        for k, name in enumerate(known):
            found = ask([references[n] for n in unknown], [references[name]], [1.0])
            assert list(found) == pytest.approx([row[k] for row in exact], rel=1e-15)


@pytest.mark.parametrize("estimator", [None, dv.Costarica(), dv.Identified()], ids=repr)
def test_newton_and_costarica_take_a_compiled_model_for_any_fmu(estimator, exports, archive):
    system = dv.System("loop")
    system.add("it", dv.load(str(exports[2]), kind="co-simulation"))
    system.add("other", dv.load(str(archive("linear", 2))), a=-2.0, x=0.5)
    system.connect("it.model.x", "other.u")
    system.connect("other.y", "it.model.f")
    flat = dv.System("flat")
    flat.add("model", MODEL)
    flat.add("other", dv.load(str(archive("linear", 2))), a=-2.0, x=0.5)
    flat.connect("model.x", "other.u")
    flat.connect("other.y", "model.f", convert=False)
    options = {"algorithm": dv.Newton(rtol=1e-8, atol=1e-8)}
    best = ran(flat, **options)["model.x"][:]
    chosen = {} if estimator is None else {"estimators": {"it": estimator}}
    found = ran(system, **options, **chosen)["it.model.x"][:]
    # the same windows; an estimate is as good as the model of the part is linear over one
    near = 1e-6 if estimator is None else 2e-3
    assert np.max(np.abs(found - best)) < near


def test_what_has_no_equations_refuses_model_exchange(archive, tmp_path):
    system = dv.System("one")
    system.add("part", dv.load(str(archive("linear", 2))))
    path = system.export(tmp_path / "it.fmu", step=SIZE)
    model = dv.load(str(path))
    assert model.fmu.model_exchange is None
    with pytest.raises(dv.InputError, match="model exchange"):
        dv.load(str(path), kind="model exchange")
