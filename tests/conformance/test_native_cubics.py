"""Inputs along cubics in native windows: the same bits as from Python."""

from __future__ import annotations

from typing import Any

import pytest
from conformance.conftest import called_by
from conformance.fleet import alone, pair, ring, run, same, walked
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import dovetail as dv
from dovetail.rootfinders import Aitken, Anderson, FixedPoint, IqnIls
from dovetail.verification.following import Following
from dovetail.verification.window_ends import WindowEnds

BARE: dict[str, Any] = {"exposed_states": False, "directional_derivatives": False}
MODELS: dict[str, tuple[int, dict[str, Any]]] = {
    "held, derivatives by differences": (2, {**BARE, "output_derivatives": 0}),
    "held, derivatives given": (2, BARE),
    "held, of FMI 3": (3, {**BARE, "output_derivatives": 0}),
    "cubics, derivatives by differences": (
        2,
        {**BARE, "output_derivatives": 0, "input_derivatives": 3},
    ),
    "cubics, derivatives given": (2, {**BARE, "input_derivatives": 3}),
    "cubics inside steps": (3, {"intermediate_update": True}),
}
ALGORITHMS = {
    "sweeps": dv.GaussSeidel(30, inputs="hermite"),
    "iqn_ils": dv.GaussSeidel(50, inputs="hermite", solver=IqnIls()),
    "jacobi": dv.Jacobi(50, inputs="hermite"),
    "aitken": dv.GaussSeidel(50, inputs="hermite", solver=Aitken()),
    "fixed_point": dv.Jacobi(50, inputs="hermite", solver=FixedPoint(50)),
    "anderson": dv.Iterative(Anderson(), inputs="hermite"),
    "parallel_iqn_ils": dv.Jacobi(50, inputs="hermite", solver=IqnIls()),
    "falls_back": dv.Jacobi(50, inputs="hermite", fall_back_size=0.07),
}
CONTROLLERS: dict[str, Any] = {
    "fixed": dv.FixedStep(0.1),
    "cut": dv.FixedStep(0.1, min_size=0.001),
    "doubling": dv.StepDoubling(1e-4, 1e-6, first_size=0.05),
    "ranges": dv.StepDoubling(1e-3, 1e-9, first_size=1e-3, scale="range"),
    "adaptive": dv.Adaptive(0.05, max_size=0.3),
}


@pytest.fixture
def model(fmu):
    def made(name: str, kind: str = "linear") -> Any:
        version, options = MODELS[name]
        return fmu(kind, version, **options)

    return made


def is_whole(result: dv.Result) -> bool:
    found = result.statistics
    return found.native_windows == found.windows > 0


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("name", MODELS)
def test_bits_are_those_of_python(model, both, name, algorithm):
    native, python = both(lambda: run(ring(model(name)), algorithm=ALGORITHMS[algorithm]))
    assert same(native, python)
    assert is_whole(native)


@pytest.mark.parametrize("controller", CONTROLLERS)
@pytest.mark.parametrize("name", MODELS)
def test_so_are_those_of_controllers(model, both, name, controller):
    options = {"algorithm": ALGORITHMS["iqn_ils"], "controller": CONTROLLERS[controller]}
    native, python = both(lambda: run(ring(model(name)), **options))
    assert same(native, python)
    assert native.statistics.native_windows > 0.7 * native.statistics.windows


@settings(max_examples=25, suppress_health_check=list(HealthCheck), deadline=None)
@given(
    sizes=st.lists(st.one_of(st.just(0.1), st.floats(1e-3, 0.4)), min_size=1, max_size=9),
    steps=st.sampled_from([1, 2, 3]),
    name=st.sampled_from(list(MODELS)),
)
def test_so_are_those_of_any_windows(model, sizes, steps, name):
    times = [0.0]
    for size in sizes:
        times.append(times[-1] + size)
    found = []
    for way in ("native", "python"):
        with called_by(way):
            told = WindowEnds(times)
            told.end()
            options = {"controller": Following(told, 0.0, steps), "stop": times[-1]}
            found.append(run(ring(model(name)), algorithm=ALGORITHMS["iqn_ils"], **options))
            told.close()
    assert same(*found)
    assert is_whole(found[0])


@pytest.mark.parametrize("name", MODELS)
def test_one_by_one_they_are_the_same(model, name):
    assert walked(ring(model(name)), algorithm=ALGORITHMS["iqn_ils"])


def test_gains_and_what_nothing_feeds(model, both):
    one = model("held, derivatives by differences")

    def scaled():
        system = ring(one, 2)
        system.add("last", one, a=-2.0)
        system.add("loose", one, u=0.25)
        system.connect("p0.y", "last.u", gain=-1.5, offset=0.5)
        return run(system, algorithm=ALGORITHMS["iqn_ils"])

    native, python = both(scaled)
    assert same(native, python)
    assert is_whole(native)


@pytest.mark.parametrize("name", list(MODELS)[:4])
def test_a_window_that_does_not_converge_is_for_python(model, both, name):
    """It cuts what native code cannot solve; parts stand where the other has left them."""
    algorithm = dv.GaussSeidel(4, inputs="hermite", rtol=1e-9, atol=1e-9)
    options = {"algorithm": algorithm, "controller": dv.FixedStep(0.4, min_size=1e-4)}
    native, python = both(lambda: run(ring(model(name)), stop=4.0, **options))
    assert same(native, python)
    assert native.statistics.rejected_by_convergence > 0
    assert native.statistics.native_windows > 0


def test_values_that_are_changed_by_hand(model, both):
    one = model("held, derivatives by differences")

    def changed():
        with dv.Session(
            ring(one), stop=2.0, algorithm=ALGORITHMS["iqn_ils"], controller=dv.FixedStep(0.1)
        ) as session:
            for _ in range(5):
                session.advance()
            session.set("p0.a", -2.0)
            return session.run()

    native, python = both(changed)
    assert same(native, python)


def test_a_checkpoint_goes_on_with_the_same_bits(model, both, tmp_path):
    system = ring(model("held, derivatives by differences"))
    options = {"algorithm": ALGORITHMS["iqn_ils"], "controller": dv.FixedStep(0.1)}
    path = tmp_path / "run.checkpoint"

    def resumed():
        with dv.Session(system, stop=2.0, quiet=True, **options) as session:
            for _ in range(7):
                session.advance()
            session.checkpoint(path)
        with dv.Session(system, stop=2.0, resume=path, quiet=True, **options) as session:
            return session.run()

    native, python = both(resumed)
    assert same(native, python)
    assert same(native, run(system, **options))


@pytest.mark.parametrize("flaw", ["restore", "restore_next"])
def test_who_does_not_roll_back_is_found_out(fmu, both, flaw):
    one = fmu("linear", 2, **BARE, output_derivatives=0, flaw=flaw)

    def refused():
        with pytest.raises(dv.RunError) as caught:
            run(ring(one), algorithm=ALGORITHMS["iqn_ils"])
        return str(caught.value)

    native, python = both(refused)
    assert native.split(" ")[:4] == python.split(" ")[:4]


@pytest.mark.parametrize("kind", ["discard", "nan"])
def test_failures_are_told_as_by_python(fmu, both, kind):
    one = fmu(kind, 2, **BARE, output_derivatives=0)

    def failed():
        system = alone(one)
        with pytest.raises(dv.RunError) as caught:
            run(system, algorithm=ALGORITHMS["iqn_ils"], controller=dv.FixedStep(1.0))
        said, _, _ = str(caught.value).partition("; the FMU logged")
        return said, caught.value.result.time.tolist()

    native, python = both(failed)
    assert native == python


def test_threads_change_no_bit(model):
    one, found = model("held, derivatives by differences"), []
    for threads in (1, 3):
        with dv.Session(
            ring(one, 7), stop=2.0, algorithm=ALGORITHMS["jacobi"], controller=dv.FixedStep(0.1)
        ) as session:
            session.assembly.batch.threads(threads)
            found.append(session.run())
    assert same(*found)


def test_the_default_and_its_second_run_are_native(fmu):
    """The second run interpolates by cubics, cut into substeps."""
    options = {**BARE, "output_derivatives": 0}
    system = pair(fmu("prey", 2, **options), fmu("predator", 2, **options))
    algorithm = dv.GaussSeidel(50, inputs="hermite", solver=IqnIls())
    assert str(system.check(algorithm, dv.FixedStep(0.1)).native) == "runs natively"
    found = []
    for way in ("native", "python"):
        with called_by(way):
            found.append(dv.simulate(system, stop=3.0, quiet=True))
    assert found[0].verdict == found[1].verdict
    assert "cubic inputs" in str(found[0].verdict)


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"output_derivatives": 0}, "has derivatives of its outputs from its linearization"),
        (
            {**BARE, "feedthrough": True},
            "gives derivatives that do not count in how its inputs move",
        ),
    ],
)
def test_what_stands_against_it_is_said(fmu, options, what):
    found = ring(fmu("linear", 2, **options)).check(ALGORITHMS["sweeps"], dv.FixedStep(0.1))
    assert what in {o.what for o in found.native.obstacles}
    assert found.native.change == "inputs='hold'"
