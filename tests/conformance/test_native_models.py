"""Compiled models in native windows and in windows from Python: the same to the last bit."""

from __future__ import annotations

import numpy as np
import pytest
from conformance.fleet import same

import dovetail as dv
from dovetail.fmi.kernel import kernel
from dovetail.integrators import FixedSize

FIXED = dv.FixedStep(0.1)
HELD = (dv.Jacobi(), dv.GaussSeidel(), dv.GaussSeidel(10), dv.Jacobi(20), dv.Newton())
MOVING = (dv.Jacobi(extrapolation=2), dv.GaussSeidel(inputs="ramp"), dv.Newton(inputs="ramp"))
FIXED_SIZES = (FixedSize(0.013, m) for m in ("euler", "semi_implicit", "heun", "midpoint", "rk4"))


@pytest.fixture(autouse=True)
def _with_a_kernel():
    if kernel() is None:
        pytest.skip("there is no native path here")


def swinging(**options):
    return dv.Dynamic(
        states={"x": 1.0, "v": 0.2},
        inputs={"u": 0.0},
        outputs=["x", "e"],
        parameters={"k": 4.0, "d": 0.3},
        derivatives=lambda t, x, u, p: [x.v, u.u - p.k * np.sin(x.x) - p.d * x.v],
        output=lambda t, x, u, p: [x.x, 0.5 * p.k * x.x**2 + 0.5 * x.v**2],
        compile=True,
        **options,
    )


def pair(solver="auto"):
    system = dv.System("pair")
    system.add("a", swinging(solver=solver), k=3.0)
    system.add("b", swinging(solver=solver))
    system.connect("a.x", "b.u", gain=0.4)
    system.connect("b.x", "a.u", gain=-0.3)
    return system


def rich():
    """A signal of time, a law without memory, arrays, hidden outputs, a connected parameter."""
    system = dv.System("rich")
    system.add("a", swinging(published=["x", "k", "d", "u"]))
    both = lambda t, p: [[np.where(t < 1.03, np.sin(t), 2.0), np.cos(t)], 0.2 + 0.1 * t]  # noqa: E731
    wave = {"outputs": {"y": np.zeros(2), "d": 0.0}, "function": both}
    system.add("wave", dv.Source(**wave, jumps=[1.03], compile=True))
    law = {"inputs": {"a": np.zeros(2)}, "outputs": {"b": np.zeros(2), "c": 0.0}}
    bent = lambda t, u, p: [np.tanh(u.a) + t, u.a[0] * p.g]  # noqa: E731
    system.add("law", dv.Algebraic(**law, parameters={"g": 0.5}, function=bent, compile=True))
    system.connect("wave.y", "law.a")
    system.connect("law.c", "a.u")
    system.connect("wave.d", "a.d")
    return system


def made(system, *, native, stop=4.0, **options):
    options = {"algorithm": dv.Jacobi(), "controller": FIXED, "quiet": True} | options
    with dv.Session(system, stop=stop, **options) as session:
        assert session.native.level == "windows", session.native
        if not native:
            session._loop._fused = None
        return session.run()


def agree(system, *, least=0.5, **options):
    """Both runs are the same; at least such a share of the windows was native."""
    found = [made(system, native=native, **options) for native in (True, False)]
    counts = found[0].statistics
    assert counts.native_windows >= least * counts.windows - 2, counts
    assert found[1].statistics.native_windows == 0
    assert same(*found)
    return found[0]


@pytest.mark.parametrize("algorithm", [*HELD, *MOVING], ids=repr)
def test_two_parts(algorithm):
    result = agree(pair(), algorithm=algorithm, least=0.9)
    assert result.statistics.effort_by_part["a"].evaluations > 200


@pytest.mark.parametrize("solver", ["rk45", *FIXED_SIZES], ids=repr)
@pytest.mark.parametrize(
    "algorithm", [dv.GaussSeidel(), dv.GaussSeidel(4, inputs="ramp")], ids=repr
)
def test_every_method(algorithm, solver):
    agree(pair(solver), algorithm=algorithm, least=0.9)


@pytest.mark.parametrize("algorithm", [dv.GaussSeidel(), dv.Newton()], ids=repr)
def test_laws_signals_arrays_and_connected_parameters(algorithm):
    result = agree(rich(), algorithm=algorithm, least=0.8)
    assert result.statistics.windows > 40  # one ends at the jump


@pytest.mark.parametrize("algorithm", [dv.GaussSeidel(), dv.Jacobi(8)], ids=repr)
def test_beside_fmus(fmu, algorithm):
    system = dv.System("mixed")
    system.add("body", fmu("body", 2))
    spring = {"inputs": {"x": 0.0, "v": 0.0}, "outputs": ["F"], "parameters": {"c": 1.0}}
    force = lambda t, u, p: [-p.c * u.x - 0.1 * u.v]  # noqa: E731
    system.add("spring", dv.Algebraic(**spring, function=force, compile=True))
    system.add("swing", swinging())
    system.connect("body.position", "spring.x")
    system.connect("body.velocity", "spring.v")
    system.connect("spring.F", "body.force")
    system.connect("body.position", "swing.u")
    agree(system, algorithm=algorithm, estimators={"body": dv.Rollback()}, least=0.9)


def test_a_part_that_turns_stiff_leaves_native_windows():
    model = dv.Dynamic(
        states={"x": 2.0},
        outputs=["x"],
        derivatives=lambda t, x, u, p: [-1e4 * (x.x - np.sin(t))],
        compile=True,
    )
    system = dv.System("alone")
    system.add("model", model)
    result = agree(system, least=0.0, stop=1.0)
    assert result.statistics.effort_by_part["model"].switches
    assert result.statistics.native_windows < result.statistics.windows


def test_an_error_in_a_native_window_is_told_as_in_one_from_python():
    model = dv.Dynamic(
        states={"x": 1.0}, outputs=["x"], derivatives=lambda t, x, u, p: [x.x**2], compile=True
    )
    said, system = [], dv.System("alone")
    system.add("model", model)
    for native in (True, False):
        with pytest.raises(dv.PartFailed) as raised:
            made(system, native=native)
        said.append(str(raised.value))
    assert said[0] == said[1]
    assert "the step size fell below" in said[0] or "not finite" in said[0]


def test_checkpoints_of_native_runs_go_on_with_the_same_bits(tmp_path):
    whole = made(pair(), native=True)
    options = {"algorithm": dv.Jacobi(), "controller": FIXED, "quiet": True}
    with dv.Session(pair(), stop=4.0, **options) as session:
        while session.time < 2.0:
            session.advance()
        session.checkpoint(tmp_path / "it.checkpoint")
    with dv.Session(pair(), stop=4.0, resume=tmp_path / "it.checkpoint", **options) as session:
        rest = session.run()
    assert rest["a.e"][-1] == whole["a.e"][-1]
