"""FMUs coupled by every algorithm: against equations, and one way of calling against another."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from conformance.fleet import (
    ALGORITHMS,
    CONTROLLERS,
    is_clean,
    oscillator,
    pair,
    ring,
    run,
    same,
    walked,
)
from papers.test_mastersim_lotka_volterra import ITERATIONS, WINDOWS
from problems import Linear, Species

import dovetail as dv
from dovetail.fmi.native.batch import FmuBatch
from dovetail.subsystems.batch import BatchProgress

VERSIONS = (1, 2, 3)
EACH = [(version, algorithm) for version in VERSIONS for algorithm in ALGORITHMS]
CONTROLLED = [
    (version, algorithm, controller)
    for version, algorithm in EACH
    for controller in CONTROLLERS
    if controller == "fixed" or (version > 1 and algorithm in ("jacobi", "newton"))
]


def linear(k):
    """Part k of a ring, as equations."""
    return Linear(("u",), ("y",), -1.0 - 0.1 * k, 0.5, 1.0, 0.0, 1.0, 0.0, (1.0 + 0.3 * k,))


def ring_of_equations(n=3):
    system = dv.System("ring")
    for k in range(n):
        system.add(f"p{k}", linear(k))
    for k in range(n):
        system.connect(f"p{k}.y", f"p{(k + 1) % n}.u")
    return system


@pytest.mark.parametrize(("version", "algorithm"), EACH)
def test_a_ring_agrees_with_its_equations(fmu, way, version, algorithm):
    model = fmu("linear", version)
    found = run(ring(model), algorithm=ALGORITHMS[algorithm])
    wanted = run(ring_of_equations(), algorithm=ALGORITHMS[algorithm])
    for name in ("p0.y", "p1.y", "p2.y"):
        assert found[name] == pytest.approx(wanted[name], rel=1e-9)
    assert is_clean(model)


@pytest.mark.parametrize("version", VERSIONS)
def test_one_part_agrees_with_its_closed_form(fmu, way, version):
    system = dv.System("one")
    system.add("p", fmu("linear", version), x=3.0, a=-2.0, b=0.5, drive=1.0, u=4.0)
    found = run(system)
    assert found["p.y"] == pytest.approx(1.5 + 1.5 * np.exp(-2 * found.time), rel=1e-12)


@pytest.mark.parametrize(("version", "algorithm"), EACH)
def test_an_oscillator_agrees_with_its_equations(fmu, way, version, algorithm):
    drawing = oscillator(fmu("body", version), fmu("spring", version))
    found = run(drawing, algorithm=ALGORITHMS[algorithm])
    wanted = run(_equations_of_the_oscillator(), algorithm=ALGORITHMS[algorithm])
    for name in ("body.position", "spring.force"):
        scale = float(np.max(np.abs(wanted[name])))
        assert found[name] == pytest.approx(wanted[name], abs=1e-9 * scale)


def _equations_of_the_oscillator():
    m, k, d = 1e4, 1000.0, 1000.0
    body = Linear(
        ("force",),
        ("position", "velocity"),
        [[0, 1], [-k / m, -d / m]],
        [[0], [-1 / m]],
        np.eye(2),
        np.zeros((2, 1)),
        x=(1.0, 0.0),
    )
    spring = Linear(
        ("position", "velocity"),
        ("force",),
        [[0, 1], [-2 * k / m, -d / m]],
        [[0, 0], [k / m, 0]],
        [[-k, 0]],
        [[k, 0]],
        x=(0.0, 0.0),
    )
    return oscillator(body, spring)


COUNTED = [(name, 1e-3) for name in ("jacobi", "gauss_seidel", "gauss_seidel_5", "newton_5")]


@pytest.mark.parametrize(("name", "tolerance"), COUNTED)
@pytest.mark.parametrize("version", [2, 3])
def test_step_counts_are_those_of_the_reference(fmu, version, name, tolerance):
    algorithms = {**ALGORITHMS, "newton_5": dv.Newton(5)}
    controller = dv.StepDoubling(tolerance, tolerance, first_size=0.01, max_size=10, min_size=1e-8)
    options = {"algorithm": algorithms[name], "controller": controller, "stop": 100.0}
    models = fmu("prey", version), fmu("predator", version)
    found = run(pair(*models), **options)
    assert found.statistics.windows == pytest.approx(WINDOWS[tolerance][name], rel=0.01)
    iterations = ITERATIONS[tolerance].get(name, 3 * found.statistics.windows)
    assert found.statistics.iterations == pytest.approx(iterations, rel=0.01)
    assert is_clean(*models)
    if name == "gauss_seidel":
        wanted = run(pair(Species(0.1, -0.02, 10.0), Species(-0.4, 0.02, 10.0)), **options)
        assert found.statistics.windows == wanted.statistics.windows
        assert found.final["prey.x"] == pytest.approx(wanted.final["prey.x"], rel=1e-6)


@pytest.mark.parametrize(("version", "algorithm", "controller"), CONTROLLED)
def test_with_and_without_the_kernel_the_bits_are_the_same(
    fmu, both, version, algorithm, controller
):
    options = {"algorithm": ALGORITHMS[algorithm], "controller": CONTROLLERS[controller]}
    model = fmu("linear", version)
    assert same(*both(lambda: run(ring(model), **options)))


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_feedthrough_loops_give_the_same_bits(fmu, both, version, algorithm):
    models = fmu("body", version), fmu("spring", version)
    assert same(*both(lambda: run(oscillator(*models), algorithm=ALGORITHMS[algorithm])))


def test_input_derivatives_of_fmi_1(fmu, both):
    model = fmu("linear", 1, input_derivatives=1)
    assert same(*both(lambda: run(ring(model), algorithm=dv.GaussSeidel(inputs="ramp"))))


@pytest.mark.parametrize("version", [2])
@pytest.mark.parametrize(
    "algorithm", [dv.GaussSeidel(5, inputs="ramp"), dv.Newton(inputs="ramp"), dv.Iterative()]
)
def test_input_derivatives_give_the_same_bits_and_a_better_answer(fmu, both, version, algorithm):
    model = fmu("linear", version, input_derivatives=1)
    native, plain = both(lambda: run(ring(model), algorithm=algorithm))
    assert same(native, plain)
    exact = run(ring_of_equations(), algorithm=dv.Newton(inputs="ramp"))
    assert native["p0.y"] == pytest.approx(exact["p0.y"], rel=1e-5)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("algorithm", [dv.Jacobi(), dv.GaussSeidel()])
@pytest.mark.parametrize("stop", [2.0, 2.04, 0.05, 0.0])
def test_many_windows_in_one_call_are_the_same_as_one_by_one(fmu, version, algorithm, stop):
    model = fmu("linear", version)
    options = {"algorithm": algorithm, "stop": stop}
    assert same(run(ring(model), **options), walked(ring(model), **options))
    assert is_clean(model)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("algorithm", [dv.Jacobi(), dv.GaussSeidel()])
def test_leaps_are_seen_in_many_windows_as_one_by_one(fmu, version, algorithm):
    model = fmu("linear", version)
    options = {"algorithm": algorithm, "controller": dv.FixedStep(0.5), "stop": 4.0}
    found = run(ring(model), **options)
    assert same(found, walked(ring(model), **options))
    assert found.verdict.doubtful and any(h.kind == "jump" for h in found.verdict.hints)
    assert is_clean(model)


TIGHT = {"rtol": 1e-10, "atol": 1e-10}
ITERATED = [
    dv.GaussSeidel(9),
    dv.GaussSeidel(20, **TIGHT),
    dv.GaussSeidel(2, on_limit="accept", **TIGHT),
    dv.GaussSeidel(9, fall_back_size=0.2, **TIGHT),
    dv.GaussSeidel(9, order_of_parts=("c", "a")),
    dv.Jacobi(20),
    dv.Jacobi(3, on_limit="accept", **TIGHT),
    dv.Newton(**TIGHT),
    dv.Newton(2, on_limit="accept", rtol=1e-15, atol=1e-15),
]
RAMPED = [dv.GaussSeidel(20, "ramp"), dv.Jacobi(20, "ramp"), dv.Newton(inputs="ramp", **TIGHT)]


def knotted(model):
    """A loop of three with gains, a loop of two, and an end behind it."""
    system = dv.System("knotted")
    for k, name in enumerate(("a", "b", "c", "d", "e", "end")):
        system.add(name, model, x=1.0 + 0.3 * k, a=-1.0 - 0.1 * k)
    for source, target in ("ab", "bc", "de", "ed"):
        system.connect(f"{source}.y", f"{target}.u")
    system.connect("c.y", "a.u", gain=-0.7, offset=0.3)
    system.connect("e.y", "end.u")
    return system


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("algorithm", ITERATED, ids=repr)
def test_many_iterated_windows_in_one_call_are_the_same_as_one_by_one(
    fmu, both, version, algorithm
):
    model = fmu("linear", version)
    options = {"algorithm": algorithm, "stop": 2.04}
    native, plain = both(lambda: run(knotted(model), **options))
    assert same(native, plain)
    assert same(native, walked(knotted(model), **options))
    assert is_clean(model)


@pytest.mark.parametrize("algorithm", RAMPED, ids=repr)
def test_many_iterated_windows_with_ramps_are_the_same_as_one_by_one(fmu, both, algorithm):
    model = fmu("linear", 2, input_derivatives=1)
    native, plain = both(lambda: run(knotted(model), algorithm=algorithm))
    assert same(native, plain)
    assert same(native, walked(knotted(model), algorithm=algorithm))


@pytest.mark.parametrize("algorithm", [dv.GaussSeidel(3, **TIGHT), dv.Jacobi(3, **TIGHT)])
def test_an_iteration_that_fails_says_the_same_in_every_way(fmu, both, algorithm):
    drawing = ring(fmu("linear", 2))

    def failed(way):
        with pytest.raises(dv.StepFailed) as caught:
            way(drawing, algorithm=algorithm, controller=dv.FixedStep(0.1, min_size=0.1))
        return str(caught.value), caught.value.result

    native, plain = both(lambda: failed(run))
    one_by_one = failed(walked)
    assert native[0] == plain[0] == one_by_one[0]
    assert same(native[1], plain[1])
    assert same(native[1], one_by_one[1])


@pytest.mark.parametrize("algorithm", [dv.GaussSeidel(4, **TIGHT), dv.Jacobi(6, **TIGHT)])
def test_windows_that_are_cut_are_the_same_in_every_way(fmu, both, algorithm):
    """Native windows leave to Python what does not converge, until windows are whole again."""
    drawing, controller = ring(fmu("linear", 2)), dv.FixedStep(0.4)
    native, plain = both(lambda: run(drawing, algorithm=algorithm, controller=controller))
    assert native.statistics.rejected_by_convergence > 0
    assert same(native, plain)
    assert same(native, walked(drawing, algorithm=algorithm, controller=controller))
    assert "because it did not converge, down to" in str(native.verdict)


def test_iterated_windows_happen_inside_the_kernel(fmu, monkeypatch):
    """The usual way is not walked at all, but for windows that are not plain."""
    monkeypatch.setattr(dv.Session, "advance", lambda _: pytest.fail("one window at a time"))
    for algorithm in (dv.GaussSeidel(9), dv.Jacobi(20), dv.Newton(**TIGHT)):
        assert run(ring(fmu("linear", 2)), algorithm=algorithm).finished


@pytest.mark.parametrize("algorithm", [dv.GaussSeidel(9), dv.Newton(**TIGHT)])
def test_windows_left_undecided_are_decided_in_the_usual_way(fmu, monkeypatch, algorithm):
    system, kernel_run, calls = knotted(fmu("linear", 2)), FmuBatch.run, []
    wanted = run(system, algorithm=algorithm)

    def hesitant(self, plan, stretch, lines):
        calls.append(stretch.first.start)
        if len(calls) % 2:
            return BatchProgress(0, undecided=True)
        return kernel_run(self, plan, replace(stretch, count=min(stretch.count, 3)), lines)

    monkeypatch.setattr(FmuBatch, "run", hesitant)
    assert same(run(system, algorithm=algorithm), wanted)
    assert len(calls) >= 10
    monkeypatch.setattr(
        FmuBatch, "run", lambda *_: calls.append("no") or BatchProgress(0, undecided=True)
    )
    assert same(run(system, algorithm=algorithm), wanted)
    assert calls.count("no") == 3  # then it is not asked any more


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("algorithm", [dv.Jacobi(), dv.GaussSeidel()])
def test_gains_and_offsets(fmu, both, version, algorithm):
    model = fmu("linear", version)
    system = dv.System("scaled")
    for k in range(2):
        system.add(f"p{k}", model, x=1.0 + 0.3 * k, a=-1.0 - 0.1 * k)
    system.connect("p0.y", "p1.u", gain=-0.7, offset=0.3)
    system.connect("p1.y", "p0.u", gain=1.3)
    native, plain = both(lambda: run(system, algorithm=algorithm))
    assert same(native, plain)
    assert same(native, walked(system, algorithm=algorithm))
    assert native["p1.u"] == pytest.approx(-0.7 * native["p0.y"] + 0.3)


@pytest.mark.parametrize("version", VERSIONS)
def test_units_are_converted_on_the_way(fmu, both, version):
    def system():
        drawing = dv.System("units")
        table = dv.Table(time=[0.0, 5.0], columns={"force": [2.0, 7.0]}, units={"force": "kN"})
        drawing.add("push", table)
        drawing.add("body", fmu("body", version))
        drawing.connect("push.force", "body.force")
        return drawing

    native, plain = both(lambda: run(system()))
    assert same(native, plain)
    assert native["body.force"] == pytest.approx(1000 * native["push.force"])


def mixed(model):
    """An FMU, equations, and a table that jumps."""
    system = dv.System("mixed")
    system.add("fmu", model)
    system.add("second", model)
    system.add("python", linear(1))
    system.add("road", dv.Table(time=[0.0, 0.55, 0.55, 3.0], columns={"h": [0.0, 0.5, 2.0, 1.0]}))
    system.connect("road.h", "fmu.u")
    system.connect("fmu.y", "python.u")
    system.connect("python.y", "second.u")
    return system


@pytest.mark.parametrize(("version", "algorithm"), [e for e in EACH if e[1] != "iterative"])
def test_beside_python_parts_and_tables(fmu, both, version, algorithm):
    model = fmu("linear", version)
    options = {"algorithm": ALGORITHMS[algorithm]}
    native, plain = both(lambda: run(mixed(model), **options))
    assert same(native, plain)
    assert same(native, walked(mixed(model), **options))
    assert 0.55 in native.time.round(9)
    assert is_clean(model)
