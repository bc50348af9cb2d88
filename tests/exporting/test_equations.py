"""Python models inside exports: compiled, and the same to rounding."""

from __future__ import annotations

import numpy as np
import pytest
from exporting.drawings import SIZE, alone, got, imported, instance, put, ran, started
from fmpy.validation import validate_fmu

import dovetail as dv
from dovetail.exporting.compiled import comparison
from dovetail.exporting.compiled import model as compiled_model

PREY = {
    "states": {"x": 1.0},
    "inputs": {"predators": 1.0},
    "outputs": ["preys"],
    "parameters": {"alpha": 0.67, "beta": 1.33},
    "derivatives": lambda t, x, u, p: [x.x * (p.alpha - p.beta * u.predators)],
    "output": lambda t, x, u, p: [x.x],
}
PREDATOR = dv.Dynamic(
    states={"y": 1.0},
    inputs={"preys": 1.0},
    outputs=["y"],
    derivatives=lambda t, x, u, p: [x.y * (u.preys - 1.0)],
)
BENT = dv.Algebraic(
    inputs=["a"],
    outputs=["b"],
    parameters={"k": 1.0},
    function=lambda t, u, p: [np.where(u.a > 0.5, p.k * u.a, 0.5 * p.k + np.sin(u.a - 0.5))],
)
NAMES = ["prey.preys", "predator.y", "bent.b"]


def predation(**options):
    system = dv.System("predation")
    system.add("prey", dv.Dynamic(**PREY, **options), alpha=0.7)
    system.add("predator", PREDATOR)
    system.add("bent", BENT)
    system.connect("prey.preys", "bent.a")
    system.connect("bent.b", "predator.preys")
    system.connect("predator.y", "prey.predators")
    return system


def close(path, drawn, names, rel=1e-11):
    found = imported(path, stop=3.0)
    for name in names:
        wanted = np.asarray(drawn[name][:])
        assert np.allclose(found[f"it.{name}"][:], wanted, rtol=rel, atol=rel), name


@pytest.mark.parametrize("fmi", [2, 3])
@pytest.mark.parametrize(
    "algorithm",
    [
        dv.Jacobi(),
        dv.GaussSeidel(20, rtol=1e-9, atol=1e-9),
        dv.GaussSeidel(inputs="ramp"),
        dv.Jacobi(extrapolation=2),
    ],
    ids=repr,
)
def test_python_models_give_the_same_to_rounding(algorithm, fmi, tmp_path):
    system = predation()
    path = system.export(tmp_path / "it.fmu", fmi=fmi, step=SIZE, algorithm=algorithm)
    close(path, ran(system, stop=3.0, algorithm=algorithm), NAMES)


@pytest.mark.parametrize(
    "options",
    [
        {"solver": "rk45", "rtol": 1e-9},
        *({"solver": s, "step": 0.02} for s in ("rk4", "heun", "midpoint", "euler")),
        {"solver": "semi_implicit", "step": 0.02},
    ],
    ids=lambda o: o["solver"],
)
def test_each_explicit_solver_is_that_of_the_model(options, tmp_path):
    if options["solver"] == "semi_implicit":
        model = dv.Dynamic(
            states={"q": 1.0, "v": 0.0},
            outputs=["q"],
            derivatives=lambda t, x, u, p: [x.v, -4 * x.q],
            **options,
        )
        system, names = alone(model), ["part.q"]
    else:
        system, names = predation(**options), NAMES
    path = system.export(tmp_path / "it.fmu", step=SIZE, algorithm=dv.Jacobi())
    close(path, ran(system, stop=3.0, algorithm=dv.Jacobi()), names)


def test_sources_are_compiled(tmp_path):
    system = dv.System("driven")
    wave = dv.Source(
        outputs=["y"], parameters={"w": 2.0}, function=lambda t, p: [1.0 + 0.5 * np.sin(p.w * t)]
    )
    system.add("wave", wave, w=3.0)
    system.add("predator", PREDATOR)
    system.connect("wave.y", "predator.preys")
    path = system.export(tmp_path / "it.fmu", step=SIZE, algorithm=dv.GaussSeidel())
    drawn = ran(system, stop=3.0, algorithm=dv.GaussSeidel())
    close(path, drawn, ["wave.y", "predator.y"])


def test_linear_tables_are_compiled(tmp_path):
    system = dv.System("driven")
    road = dv.Table(
        time=[0.0, 0.5, 0.51, 2.0], columns={"z": [0.0, 1.0, -1.0, 0.3], "w": [1.0, 2.0, 3.0, 4.0]}
    )
    system.add("road", road)
    system.add("predator", PREDATOR)
    system.connect("road.w", "predator.preys")
    path = system.export(tmp_path / "it.fmu", step=0.07, algorithm=dv.GaussSeidel())
    drawn = ran(system, step=0.07, stop=2.5, algorithm=dv.GaussSeidel())
    found = imported(path, step=0.07, stop=2.5)
    for name in ("road.z", "road.w", "predator.y"):  # a steep row makes much of a rounded time
        assert np.allclose(found[f"it.{name}"][:], drawn[name][:], rtol=1e-12, atol=1e-12)


def test_python_models_and_fmus_go_together(archive, tmp_path):
    system = dv.System("both")
    system.add("fmu", dv.load(str(archive("linear", 3))), x=2.0)
    system.add("mass", PREDATOR)
    system.connect("fmu.y", "mass.preys")
    system.connect("mass.y", "fmu.u", gain=0.1)
    path = system.export(tmp_path / "it.fmu", step=SIZE, algorithm=dv.GaussSeidel())
    close(path, ran(system, stop=3.0, algorithm=dv.GaussSeidel()), ["fmu.y", "mass.y"])
    inside = dv.load(str(path)).description
    assert {"mass.y", "fmu.a"} <= {v.name for v in inside.parameters}  # start values too


def test_a_model_alone_is_an_fmu_with_state_units_and_limits(tmp_path):
    pid = dv.Dynamic(
        states={"integral": 0.0},
        inputs={"error": dv.Variable("error", unit="rad", minimum=-2.0, maximum=2.0)},
        outputs=["torque"],
        parameters={"kp": 2.0, "ki": dv.Variable("ki", start=0.5, minimum=0.0)},
        derivatives=lambda t, x, u, p: [u.error],
        output=lambda t, x, u, p: [p.kp * u.error + p.ki * x.integral],
        units={"torque": "N.m"},
    )
    path = dv.export(pid, tmp_path / "pid.fmu", step=0.01, algorithm=dv.Jacobi())
    assert validate_fmu(str(path)) == []
    model = dv.load(str(path))
    assert model.description.capabilities.can_serialize
    units = {v.name.split(".")[1]: v.unit for v in model.description.outputs}
    assert units == {"torque": "N.m"}
    assert model.description.inputs[0].maximum == 2.0
    with instance(path, tmp_path / "it") as (fmu, references):
        known = {name.split(".")[-1]: r for name, r in references.items()}
        put(fmu, known["error"], 1.5)
        put(fmu, known["kp"], 3.0)
        started(fmu)
        assert got(fmu, known["torque"]) == [4.5]
        fmu.doStep(0.0, 1.0)
        assert got(fmu, known["torque"])[0] == pytest.approx(4.5 + 0.5 * 1.5, rel=1e-12)
        state = fmu.getFMUstate()
        put(fmu, known["ki"], 1.0)  # tunable, so it counts at once
        fmu.doStep(1.0, 1.0)
        assert got(fmu, known["torque"])[0] == pytest.approx(4.5 + 1.0 * 3.0, rel=1e-12)
        fmu.setFMUstate(state)
        assert got(fmu, known["ki"]) == [0.5]
        fmu.freeFMUstate(state)


def test_arrays_and_vectors_are_compiled(tmp_path):
    chain = dv.Dynamic(
        states={"T": [1.0, 0.0, 0.0]},
        inputs={"left": 0.0},
        outputs=["T"],
        parameters={"k": [1.0, 2.0, 3.0]},
        derivatives=lambda t, x, u, p: [
            p.k * (np.array([u.left, x.T[0], x.T[1]]) - x.T) + 0.1 * np.sin(t)
        ],
    )
    turned = dv.Dynamic(
        states={"q": [1.0, 0.0]},
        outputs=["q"],
        derivatives=lambda t, x, u, p: np.array([[0.0, 1.0], [-4.0, -0.1]]) @ x,
        vector=True,
    )
    system = dv.System("arrays")
    system.add("chain", chain, k=[1.0, 2.5, 3.0])
    system.add("turned", turned)
    path = system.export(tmp_path / "it.fmu", step=SIZE, algorithm=dv.Jacobi())
    names = ["chain.T[3]", "turned.q[1]"]
    close(path, ran(system, stop=3.0, algorithm=dv.Jacobi()), names)


def test_a_part_that_blows_up_ends_with_its_name(tmp_path):
    model = dv.Dynamic(
        states={"x": 1.0}, outputs=["x"], derivatives=lambda t, x, u, p: [x.x**2], solver="rk45"
    )
    path = alone(model).export(tmp_path / "it.fmu", step=SIZE, algorithm=dv.Jacobi())
    with pytest.raises(dv.RunError, match="part 'part' returned status 2"):
        imported(path)  # at t = 1 s


def refused(system, folder):
    with pytest.raises(dv.ExportRefused) as error:
        system.export(folder / "it.fmu", step=SIZE, algorithm=dv.Jacobi())
    assert not list(folder.iterdir())
    return str(error.value)


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (
            dv.Algebraic(
                inputs=["a"], outputs=["b"], function=lambda t, u, p: [u.a if u.a > 0 else 0.0]
            ),
            "part 'part' is a dv.Algebraic, and its function function cannot be compiled: it "
            "branches on a value; np.where, np.maximum and np.minimum do not",
        ),
        (
            dv.Dynamic(
                states={"x": 1.0}, outputs=["x"], derivatives=lambda t, x, u, p: [-x.x],
                solver="radau",
            ),
            "part 'part' is solved by Radau, which is not compiled; give it solver='rk45', or one "
            "of fixed steps",
        ),
        (
            dv.Dynamic(
                states={"h": 1.0, "v": 0.0}, outputs=["h"],
                derivatives=lambda t, x, u, p: [x.v, -9.81],
                zero_crossings=lambda t, x, u, p: [x.h],
                on_event=lambda which, t, x, u, p: {"v": -x.v},
            ),
            "part 'part' has events",
        ),
        (
            dv.Discrete(clock="tick", outputs=["y"], output=lambda t, x, u, p: [1.0]),
            "part 'part' is sampled by a clock; give it a period",
        ),
        (
            dv.Algebraic(
                inputs=["a"], outputs=["b"], parameters={"k": 2.0}, published=["b"],
                function=lambda t, u, p: [p.k * u.a],
            ),
            "part 'part' does not publish 'k', which it starts from; add 'k' to published=",
        ),
        (
            dv.Discrete(
                period=0.1, outputs={"on": False}, output=lambda t, x, u, p: [t > 0.5],
            ),
            "part 'part' has a variable that is not real ('on')",
        ),
        (
            dv.Algebraic(inputs={"on": False}, outputs=["b"], function=lambda t, u, p: [1.0]),
            "part 'part' has a variable that is not real ('on')",
        ),
    ],
)  # fmt: skip
def test_what_is_not_compiled_is_refused_by_name(model, reason, tmp_path):
    beside = "with beside=True a Python that the FMU starts runs 'part'"  # most of them
    listed = f"'alone' cannot be exported:\n  - {reason}\n  - {beside}"
    assert refused(alone(model), tmp_path) in (listed, f"'alone' cannot be exported: {reason}")


def test_a_library_that_computes_something_else_is_not_trusted(tmp_path, monkeypatch):
    """The C of one model under the name of another."""
    from dovetail.exporting.compiled import source

    honest = source.source_of
    monkeypatch.setattr(source, "source_of", lambda e: honest(e).replace("v1 *", "1.0001 * v1 *"))
    model = dv.Algebraic(inputs=["a"], outputs=["b"], function=lambda t, u, p: [u.a * u.a])
    said = refused(alone(model), tmp_path)
    assert "part 'part' is compiled to something else: at t = " in said
    assert comparison.POINTS == 1000 and compiled_model


def test_a_function_without_values_in_its_ranges_is_not_trusted(tmp_path):
    """Negative numbers have no logarithm; limits would say where it is meant to be used."""
    lost = dv.Variable("a", minimum=-3.0, maximum=-1.0)
    model = dv.Algebraic(inputs={"a": lost}, outputs=["b"], function=lambda t, u, p: [np.log(u.a)])
    said = refused(alone(model, a=-2.0), tmp_path)
    assert "has values at 0 of 1000 random points only" in said
    assert "declare minimum and maximum of its variables" in said


def test_without_a_compiler_it_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setenv("CC", "/no/such/compiler")
    model = dv.Algebraic(inputs=["a"], outputs=["b"], function=lambda t, u, p: [7.25 * u.a])
    with pytest.raises(dv.InputError, match="the compiler /no/such/compiler cannot be run"):
        alone(model).export(tmp_path / "it.fmu", step=SIZE)
