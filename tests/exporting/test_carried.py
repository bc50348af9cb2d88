"""Integers, booleans, strings and enumerations: through an export, and from part to part inside."""

from __future__ import annotations

import fmpy
import numpy as np
import pytest
from exporting.drawings import SIZE, instance, ran, started
from exporting.test_refusals import refused
from fmpy.validation import validate_fmu

import dovetail as dv

NAMES = ["a.level", "a.count", "a.small", "a.shut", "b.level", "b.count", "b.small", "b.mode_out",
         "b.label_out", "c.level", "c.shut", "total.y"]  # fmt: skip


def gates(archive, versions=(1, 2, 3)) -> dv.System:
    """Each opens the next when it is shut; counts, modes and texts go along."""
    system = dv.System("gates")
    for name, version in zip("abc", versions, strict=True):
        system.add(name, dv.load(str(archive("gates", version))), limit=4)
    system.connect("a.shut", "b.open")
    system.connect("b.shut", "c.open")
    system.connect("a.small", "b.add") if versions == (2, 2, 2) else None
    system.connect("a.mode_out", "b.mode")
    system.connect("a.label_out", "b.label")
    system.connect("c.shut", "a.open", table={True: False, False: True})
    model = dv.Algebraic(inputs=["n", "u"], outputs=["y"], function=lambda t, u, p: [u.n + u.u])
    system.add("total", model)
    system.connect("c.count", "total.n", gain=0.5, offset=0.25)
    system.connect("a.level", "total.u")
    system.connect("total.y", "b.u")
    return system


def outside(path, outputs, inputs, stop=2.0):
    """As FMPy runs it: inputs are set at each step."""
    with instance(path, path.with_suffix("")) as (fmu, references):
        model = fmpy.read_model_description(str(path))
        kinds = {v.name: v.type for v in model.modelVariables}
        found = {name: [] for name in outputs}

        def call(word, name):
            kind = {"Real": "Real", "Enumeration": "Integer"}.get(kinds[name], kinds[name])
            if model.fmiVersion == "3.0" and kinds[name] == "Enumeration":
                kind = "Int64"
            return getattr(fmu, word + kind)

        def look():
            for name in outputs:
                value = call("get", name)([references[name]])[0]
                found[name].append(value.decode() if isinstance(value, bytes) else value)

        started(fmu)
        look()
        for k in range(round(stop / SIZE)):
            for name, value in inputs(k).items():
                call("set", name)([references[name]], [value])
            fmu.doStep(k * SIZE, SIZE)
            look()
    return found


@pytest.mark.parametrize("fmi", [2, 3])
@pytest.mark.parametrize("algorithm", [dv.Jacobi(), dv.GaussSeidel()], ids=repr)
def test_values_that_are_no_reals_go_from_part_to_part_as_in_dovetail(
    algorithm, fmi, archive, tmp_path
):
    system = gates(archive)
    path = system.export(tmp_path / "it.fmu", step=SIZE, algorithm=algorithm, fmi=fmi)
    assert validate_fmu(str(path)) == []
    assert dv.load(str(path)).fmu.deviations == ()
    drawn = ran(system, algorithm=algorithm)
    found = outside(path, NAMES, lambda k: {})
    assert len({*drawn["b.count"][:]}) > 3
    assert {*drawn["c.shut"][:]} == {False, True}
    for name in NAMES:
        assert found[name] == list(drawn[name][:]), name


@pytest.mark.parametrize("fmi", [2, 3])
def test_inputs_that_are_no_reals_are_set_between_steps(fmi, archive, tmp_path):
    system = dv.System("alone")
    system.add("a", dv.load(str(archive("gates", 5 - fmi))), add=3, label="first")
    algorithm = dv.GaussSeidel(20)  # iterated: nothing goes from part to part
    path = system.export(tmp_path / "it.fmu", step=SIZE, algorithm=algorithm, fmi=fmi)
    assert validate_fmu(str(path)) == []

    def given(k):
        changed = {"a.open": k % 3 != 1, "a.add": 3 - k, "a.mode": 1 + k % 2, "a.label": f"at {k}"}
        return changed if k else {}

    names = ["a.level", "a.count", "a.shut", "a.mode_out", "a.label_out"]
    found = outside(path, names, given)
    session = dv.Session(system, stop=2.0, controller=dv.FixedStep(SIZE), quiet=True,
                         algorithm=algorithm)  # fmt: skip
    with session:
        for k in range(20):
            for name, value in given(k).items():
                session.set(name, value)
            session.advance()
        times = session.result.time  # what is set makes an event, with a row of its own behind
        ends = [int(np.argmax(np.isclose(times, k * SIZE, atol=1e-9))) for k in range(21)]
        for name in names:
            assert found[name] == [session.result[name][:][k] for k in ends], name


def test_dovetail_runs_them_again_and_goes_back(archive, tmp_path):
    """Iterated with an FMU around it: states with what wires carry are saved and restored."""
    inner = gates(archive, (2, 2, 2))
    path = inner.export(tmp_path / "it.fmu", step=SIZE / 2, algorithm=dv.GaussSeidel())
    system = dv.System("around")
    system.add("it", dv.load(str(path)))
    system.add("other", dv.load(str(archive("linear", 2))))
    system.connect("it.total.y", "other.u")
    system.connect("other.y", "it.a.u")
    nested = dv.System("around")
    nested.add(
        "it", dv.Nested(inner, controller=dv.FixedStep(SIZE / 2), algorithm=dv.GaussSeidel())
    )
    nested.add("other", dv.load(str(archive("linear", 2))))
    nested.connect("it.total.y", "other.u")
    nested.connect("other.y", "it.a.u")
    options = {"algorithm": dv.GaussSeidel(20, rtol=1e-10, atol=1e-10)}
    a, b = ran(system, **options), ran(nested, **options)
    for name in ("it.total.y", "it.c.count", "it.b.shut", "other.y"):
        assert np.array_equal(a[name][:], b[name][:]), name


def test_iterated_windows_carry_reals_only(archive, tmp_path):
    said = refused(gates(archive), tmp_path, algorithm=dv.GaussSeidel(20))
    assert "part 'a' gives 'shut', which is no real, to other parts, and an export" in said
    assert said.endswith("use dv.GaussSeidel() or dv.Jacobi()")


def test_types_that_stay_out_are_named(archive, tmp_path):
    system = dv.System("types")
    system.add("all", dv.load(str(archive("types", 3))))
    assert "part 'all' has a variable that is not real ('float32_in')" in refused(system, tmp_path)
