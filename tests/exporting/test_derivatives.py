"""Directional derivatives of exported systems: the chain rule through parts, wires and loops."""

from __future__ import annotations

import numpy as np
import pytest
from exporting.drawings import SIZE, alone, got, instance, put, ran, ring, started
from fmpy.validation import validate_fmu

import dovetail as dv

BEAM = dv.Dynamic(
    states={"q": 0.4, "v": [0.1, -0.2]},
    inputs={"f": 0.2},
    outputs=["w", "q"],
    parameters={"k": 4.0},
    derivatives=lambda t, x, u, p: [
        x.v[0],
        np.array([-p.k * np.sin(x.q) + u.f, x.v[0] * x.q - x.v[1]]),
    ],
    output=lambda t, x, u, p: [x.v[1] * u.f, x.q],
)
CUBE = dv.Algebraic(
    inputs=["a", "b"], outputs=["c"], function=lambda t, u, p: [u.a**3 + np.sin(u.b) * u.a]
)


def mixed(archive):
    """FMUs of both versions, Python models, gains, and an algebraic loop through two of them."""
    system = dv.System("mixed")
    through = {"feedthrough": True, "strict": True}
    system.add("one", dv.load(str(archive("linear", 2, **through))), x=0.5, d=0.3)
    system.add("two", dv.load(str(archive("linear", 3, **through))), x=-0.4, d=0.4)
    system.add("beam", BEAM)
    system.add("cube", CUBE)
    system.connect("one.y", "two.u", gain=1.5)
    system.connect("two.y", "cube.a", gain=-0.5, offset=0.25)
    system.connect("beam.w", "cube.b")
    system.connect("cube.c", "one.u")
    return system


@pytest.fixture(scope="module")
def exports(archive, tmp_path_factory):
    folder = tmp_path_factory.mktemp("exports")
    return {
        fmi: mixed(archive).export(
            folder / f"it{fmi}.fmu", fmi=fmi, step=SIZE / 4, algorithm=dv.GaussSeidel()
        )
        for fmi in (2, 3)
    }


def initialized(fmu):
    if hasattr(fmu, "setupExperiment"):
        fmu.setupExperiment(startTime=0.0)
    fmu.enterInitializationMode()


def names_of(path):
    fmu = dv.load(str(path)).fmu
    knowns = [*fmu.states, *(v.name for v in fmu.variables if v.causality == "input")]
    unknowns = [u.name for u in (*fmu.structure.derivatives, *fmu.structure.outputs)]
    return knowns, unknowns


def matrix_of(fmu, references, knowns, unknowns):
    sought = [references[n] for n in unknowns]
    ask = fmu.getDirectionalDerivative
    return np.array([list(ask(sought, [references[n]], [1.0])) for n in knowns]).T


@pytest.mark.parametrize("fmi", [2, 3])
def test_derivatives_are_those_of_differences(fmi, exports, tmp_path):
    """While it is initialized states can be set, and outputs agree with them at once."""
    knowns, unknowns = names_of(exports[fmi])
    assert knowns == ["one.x", "two.x", "beam.q", "beam.v[1]", "beam.v[2]", "beam.f"]
    assert "der(beam.v[1])" in unknowns and "cube.c" in unknowns
    with instance(exports[fmi], tmp_path / "it") as (fmu, references):
        initialized(fmu)
        found = matrix_of(fmu, references, knowns, unknowns)
        h = 1e-5
        for k, name in enumerate(knowns):
            (here,) = got(fmu, references[name])
            ends = []
            for side in (1, -1):
                put(fmu, references[name], here + side * h)
                ends.append(np.array(got(fmu, *(references[n] for n in unknowns))))
            put(fmu, references[name], here)
            difference = (ends[0] - ends[1]) / (2 * h)
            # of h and rounding: third derivatives are about 1, the loop is solved to 1e-10
            assert found[:, k] == pytest.approx(difference, abs=1e-7), name
        assert np.linalg.matrix_rank(found) == 6


@pytest.mark.parametrize("fmi", [2, 3])
def test_dependencies_have_every_derivative_that_is_not_zero(fmi, exports, tmp_path):
    knowns, unknowns = names_of(exports[fmi])
    structure = dv.load(str(exports[fmi])).fmu.structure
    listed = {u.name: u.dependencies for u in (*structure.outputs, *structure.derivatives)}
    with instance(exports[fmi], tmp_path / "it") as (fmu, references):
        initialized(fmu)
        found = matrix_of(fmu, references, knowns, unknowns)
    for row, unknown in zip(found, unknowns, strict=True):
        assert {k for k, d in zip(knowns, row, strict=True) if d} <= set(listed[unknown])
    assert set(listed["beam.w"]) == {"beam.v[2]", "beam.f"}
    assert set(listed["der(beam.v[1])"]) == {"beam.q", "beam.f"}
    assert set(listed["one.y"]) == {"one.x", "two.x", "beam.v[2]", "beam.f"}


@pytest.mark.parametrize("fmi", [2, 3])
def test_a_seed_for_several_knowns_is_the_sum_of_them(fmi, exports, tmp_path):
    knowns, unknowns = names_of(exports[fmi])
    seed = [0.5, -2.0, 1.0, 3.0, 0.25, -1.5]
    with instance(exports[fmi], tmp_path / "it") as (fmu, references):
        started(fmu)
        fmu.doStep(0.0, SIZE)
        matrix = matrix_of(fmu, references, knowns, unknowns)
        sought, by = ([references[n] for n in names] for names in (unknowns, knowns))
        found = fmu.getDirectionalDerivative(sought, by, seed)
        assert list(found) == pytest.approx(matrix @ seed, rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("fmi", [2, 3])
def test_it_keeps_the_rules_of_fmi(fmi, exports):
    assert validate_fmu(str(exports[fmi])) == []
    model = dv.load(str(exports[fmi]))
    assert model.fmu.deviations == ()
    assert model.fmu.variable_naming == "structured"
    assert model.interface.provides_directional_derivatives
    assert model.fmu.model_exchange is None
    assert model.description.capabilities.can_linearize


def test_what_is_no_known_or_unknown_is_refused(exports, tmp_path):
    with instance(exports[2], tmp_path / "it") as (fmu, references):
        started(fmu)
        for unknown, known in (("cube.c", "one.a"), ("beam.f", "beam.q"), ("one.x", "beam.q")):
            with pytest.raises(Exception, match="fmi2GetDirectionalDerivative"):
                fmu.getDirectionalDerivative([references[unknown]], [references[known]], [1.0])


def test_states_that_are_no_variables_are_shown(archive, tmp_path):
    """Outputs that are not chosen are states all the same."""
    system = ring(*[dv.load(str(archive("linear", 3)))] * 2)
    path = system.export(tmp_path / "it.fmu", step=SIZE, outputs=["p1.y"])
    fmu = dv.load(str(path)).fmu
    assert fmu.states == ("p0.x", "p1.x")
    with instance(path, tmp_path / "it") as (one, references):
        started(one)
        x, rate, y = got(one, references["p1.x"], references["der(p1.x)"], references["p1.y"])
        assert (x, y) == (1.3, 1.3)
        assert rate == pytest.approx(-1.1 * 1.3 + 0.5 * 1.0 + 1.0)


@pytest.mark.parametrize(
    "options", [{"directional_derivatives": False}, {"exposed_states": False}], ids=str
)
def test_without_those_of_every_part_there_are_none(options, archive, tmp_path):
    models = archive("linear", 2), archive("linear", 2, **options)
    system = ring(*(dv.load(str(path)) for path in models))
    path = system.export(tmp_path / "it.fmu", step=SIZE, algorithm=dv.GaussSeidel())
    model = dv.load(str(path))
    assert not model.interface.provides_directional_derivatives
    assert model.fmu.structure.derivatives == ()
    with instance(path, tmp_path / "it") as (fmu, references):
        started(fmu)
        with pytest.raises(Exception, match="fmi2GetDirectionalDerivative"):
            fmu.getDirectionalDerivative([references["p0.y"]], [references["p0.x"]], [1.0])


@pytest.mark.parametrize("fmi", [2, 3])
def test_an_export_of_an_export_has_the_same_derivatives(fmi, exports, tmp_path):
    outer = alone(dv.load(str(exports[fmi]))).export(
        tmp_path / "outer.fmu", fmi=5 - fmi, step=SIZE / 4, algorithm=dv.Jacobi()
    )
    knowns, unknowns = names_of(exports[fmi])
    with (
        instance(exports[fmi], tmp_path / "inner") as (inner, of_inner),
        instance(outer, tmp_path / "outer") as (fmu, references),
    ):
        for one in (inner, fmu):
            started(one)
            one.doStep(0.0, SIZE)
        wanted = matrix_of(inner, of_inner, knowns, unknowns)
        around = [f"der(part.{n[4:]}" if n.startswith("der(") else f"part.{n}" for n in unknowns]
        found = matrix_of(fmu, references, [f"part.{n}" for n in knowns], around)
        assert np.array_equal(found, wanted)


def plain(archive):
    """Two parts in a row that nothing else feeds."""
    system = dv.System("chain")
    model = dv.load(str(archive("linear", 2)))
    system.add("a", model)
    system.add("b", model, a=-1.5)
    system.connect("a.y", "b.u")
    return system


@pytest.mark.parametrize("fmi", [2, 3])
@pytest.mark.parametrize("estimator", [None, dv.Costarica()], ids=repr)
def test_newton_and_costarica_take_a_system_for_any_fmu(estimator, fmi, archive, tmp_path):
    path = plain(archive).export(
        tmp_path / "it.fmu", fmi=fmi, step=SIZE / 50, algorithm=dv.GaussSeidel()
    )
    around, flat = dv.System("around"), plain(archive)
    around.add("it", dv.load(str(path)))
    for system, names in ((around, ("it.b.y", "it.a.u")), (flat, ("b.y", "a.u"))):
        system.add("other", dv.load(str(archive("linear", 2))), a=-2.0, x=0.5)
        system.connect(names[0], "other.u")
        system.connect("other.y", names[1])
    chosen = {} if estimator is None else {"estimators": {"it": estimator}}
    newton = dv.Newton(rtol=1e-9, atol=1e-9)
    found = ran(around, SIZE, algorithm=newton, **chosen)["it.b.y"][:]
    wanted = ran(around, SIZE, algorithm=newton, estimators={"it": dv.Rollback()})["it.b.y"][:]
    # COSTARICA knows the inner windows only by their derivatives; they are a fiftieth of ours
    assert np.max(np.abs(found - wanted)) < (1e-7 if estimator is None else 2e-3)
    best = ran(flat, SIZE / 50, algorithm=newton)["b.y"][:][::50]
    assert np.max(np.abs(found - best)) < 2e-2  # inputs of whole windows, inside and outside
