"""Nested systems are exported: an FMU in the FMU, with windows of its own."""

from __future__ import annotations

import numpy as np
import pytest
from exporting.drawings import imported, ran, ring

import dovetail as dv


def inner(archive) -> dv.System:
    """Two FMUs in a row; the input of the first comes from outside."""
    system = dv.System("inner")
    linear = dv.load(str(archive("linear", 2)))
    system.add("a", linear, x=2.0, b=0.5)
    system.add("b", linear, x=1.0, a=-2.0)
    system.connect("a.y", "b.u")
    return system


def around(archive, **options) -> dv.System:
    nested = dv.Nested(inner(archive), **options)
    system = dv.System("outer")
    system.add("n", nested)
    system.add("c", dv.load(str(archive("linear", 3))), b=0.7)
    names = options.get("names") or {"b.y": "b.y", "a.u": "a.u"}
    out, into = list(names)
    system.connect(f"n.{out}", "c.u")
    system.connect("c.y", f"n.{into}", gain=0.9)
    return system


WAYS = {
    "as the outer windows": {},
    "shorter windows": {"controller": dv.FixedStep(0.02), "algorithm": dv.Jacobi()},
    "iterated, other names": {"algorithm": dv.GaussSeidel(20), "names": {"y": "b.y", "u": "a.u"}},
}


@pytest.mark.parametrize("fmi", [2, 3])
@pytest.mark.parametrize("name", WAYS)
def test_nested_systems_give_the_same_bits(name, fmi, archive, tmp_path):
    system = around(archive, **WAYS[name])
    drawn = ran(system, algorithm=dv.GaussSeidel())
    path = system.export(tmp_path / "it.fmu", fmi=fmi, step=0.1, algorithm=dv.GaussSeidel())
    found = imported(path)
    output = "n.y" if "names" in WAYS[name] else "n.b.y"
    for one in (output, "c.y"):
        assert np.array_equal(found[f"it.{one}"][:], drawn[one][:]), one


def test_a_nested_system_in_a_nested_system_iterated_from_outside(archive, tmp_path):
    """Whole windows are made again, inner ones and all."""
    middle = dv.System("middle")
    middle.add("n", dv.Nested(inner(archive), controller=dv.FixedStep(0.05)))
    system = dv.System("outer")
    system.add("m", dv.Nested(middle))
    system.add("c", dv.load(str(archive("linear", 2))), b=0.7)
    system.connect("m.n.b.y", "c.u")
    system.connect("c.y", "m.n.a.u")
    drawn = ran(system, algorithm=dv.Newton(rtol=1e-10, atol=1e-12))
    path = system.export(tmp_path / "it.fmu", step=0.1, algorithm=dv.Newton(rtol=1e-10, atol=1e-12))
    assert np.allclose(imported(path)["it.c.y"][:], drawn["c.y"][:], rtol=1e-13)


def test_values_and_parameters_of_a_nested_system_are_kept(archive, tmp_path):
    system = around(archive)
    system.set("n.a.x", 7.0)
    path = system.export(tmp_path / "it.fmu", step=0.1, algorithm=dv.Jacobi())
    drawn = ran(system, algorithm=dv.Jacobi())
    found = imported(path)
    assert np.array_equal(found["it.n.b.y"][:], drawn["n.b.y"][:])
    assert found["it.n.a.y"][0] == 7.0


def test_what_nested_systems_do_that_exports_do_not_is_told(archive, tmp_path):
    def said(system, **options):
        with pytest.raises(dv.ExportRefused) as error:
            system.export(tmp_path / "it.fmu", **{"step": 0.1, "algorithm": dv.Jacobi(), **options})
        return str(error.value)

    assert "takes inputs that are held" in said(
        around(archive), algorithm=dv.GaussSeidel(extrapolation=1)
    )
    assert (
        "holds a system that cannot be exported: an export makes no windows with ErrorCheck"
        in said(around(archive, controller=dv.ErrorCheck(0.1)))
    )
    assert (
        "with windows of 0.03 s, which do not fit into 0.1 s; choose step= as a multiple"
        in said(around(archive, controller=dv.FixedStep(0.03)))
    )
    assert "part 'n' holds a system: part 'q' is" in said(_clocked())
    assert not list(tmp_path.iterdir())


def _clocked() -> dv.System:
    inside = ring()
    inside.add("q", dv.Algebraic(
        inputs=["a"], outputs=["b"], function=lambda t, u, p: [u.a if u.a > 0 else 0.0]
    ))  # fmt: skip
    system = dv.System("outer")
    system.add("n", dv.Nested(inside))
    return system


def test_a_nested_system_that_cannot_be_exported_runs_beside(tmp_path):
    """With `beside` it goes along in a Python of its own."""
    inside = dv.System("inside")
    rise = dv.Dynamic(
        states={"x": 1.0}, outputs=["x"], derivatives=lambda t, x, u, p: [-x.x], solver="rk4",
        step=0.01,
    )  # fmt: skip
    inside.add("q", rise)
    system = dv.System("outer")
    system.add("n", dv.Nested(inside, controller=dv.StepDoubling(rtol=1e-6, atol=1e-6)))
    path = system.export(tmp_path / "it.fmu", step=0.1, algorithm=dv.Jacobi(), beside=True)
    assert imported(path, stop=0.3)["it.n.q.x"][-1] == pytest.approx(np.exp(-0.3), rel=1e-6)
