"""Root finders in native windows: the same bits as from Python, the memory of past windows too."""

from __future__ import annotations

import pytest
from conformance.conftest import called_by
from conformance.fleet import is_clean, oscillator, run, same, walked
from conformance.test_agreement import knotted
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import dovetail as dv
from dovetail.rootfinders import Aitken, Anderson, Cascade, FixedPoint, IqnIls, NewtonKrylov

TIGHT = {"rtol": 1e-10, "atol": 1e-10}
CASES = [
    dv.Iterative(inputs="hold", **TIGHT),
    dv.Iterative(inputs="ramp", **TIGHT),
    dv.Iterative(Anderson(depth=1), inputs="hold"),
    dv.Iterative(Anderson(depth=0), inputs="hold"),
    dv.Jacobi(solver=Aitken(), **TIGHT),
    dv.Jacobi(solver=FixedPoint(relaxation=0.7), **TIGHT),
    dv.Jacobi(solver=IqnIls(), **TIGHT),
    dv.Jacobi(solver=IqnIls(0), **TIGHT),
    dv.GaussSeidel(20, solver=Aitken(), **TIGHT),
    dv.GaussSeidel(solver=IqnIls(), inputs="ramp", **TIGHT),
    dv.GaussSeidel(solver=IqnIls(), order_of_parts=("c", "a"), fall_back_size=0.05, **TIGHT),
]
AT_THE_LIMIT = [
    dv.Jacobi(2, solver=Aitken(), on_limit="accept", **TIGHT),
    dv.GaussSeidel(2, solver=IqnIls(), on_limit="accept", **TIGHT),
    dv.Jacobi(solver=Anderson(max_evaluations=2), on_limit="accept", **TIGHT),
]
FALLING_BACK = [dv.Newton(fall_back_size=0.2), dv.Jacobi(20, fall_back_size=0.2)]
FIXED = dv.FixedStep(0.1)
SIZED = [dv.StepDoubling(1e-4, 1e-4, first_size=0.05, max_size=0.5), dv.Adaptive(0.01)]


def agree(native, python):
    assert same(native, python)
    assert native.statistics.native_windows == native.statistics.windows > 0
    assert python.statistics.native_windows == 0


@pytest.mark.parametrize("algorithm", [*CASES, *AT_THE_LIMIT, *FALLING_BACK], ids=repr)
def test_bits_are_those_of_python(fmu, both, algorithm):
    model = fmu("linear", 2, input_derivatives=1)
    options = {"algorithm": algorithm, "controller": FIXED, "stop": 1.0}
    agree(*both(lambda: run(knotted(model), **options)))
    if algorithm not in CASES:
        walked(knotted(model), **options)
    assert is_clean(model)


@pytest.mark.parametrize("controller", SIZED, ids=repr)
@pytest.mark.parametrize("algorithm", [CASES[1], *CASES[8:], AT_THE_LIMIT[1]], ids=repr)
def test_so_are_those_of_windows_that_are_sized(fmu, both, algorithm, controller):
    """What a window has taught is forgotten with it, where it is repeated."""
    model = fmu("linear", 2, input_derivatives=1)
    options = {"algorithm": algorithm, "controller": controller, "stop": 1.0}
    agree(*both(lambda: run(knotted(model), **options)))


@pytest.mark.parametrize("algorithm", [CASES[0], CASES[4], CASES[9]], ids=repr)
def test_fmus_of_fmi_1_reject_their_last_step(fmu, both, algorithm):
    model = fmu("linear", 1, input_derivatives=1)
    agree(*both(lambda: run(knotted(model), algorithm=algorithm, stop=1.0)))


@pytest.mark.parametrize("algorithm", [CASES[0], CASES[6]], ids=repr)
def test_a_loop_with_feedthrough_is_solved(fmu, both, algorithm):
    models = fmu("body", 3), fmu("spring", 3)
    agree(*both(lambda: run(oscillator(*models), algorithm=algorithm)))


FINDERS = st.one_of(
    st.builds(Anderson, depth=st.integers(0, 4)),
    st.builds(Aitken, first_relaxation=st.floats(0.1, 1.0), largest=st.floats(0.5, 20.0)),
    st.builds(
        IqnIls,
        reused_windows=st.integers(0, 3),
        first_relaxation=st.floats(0.1, 1.0),
        filter_limit=st.sampled_from([0.0, 1e-12, 1e-6, 1e-2]),
    ),
)


@settings(max_examples=25, suppress_health_check=list(HealthCheck), deadline=None)
@given(
    finder=FINDERS,
    serial=st.booleans(),
    tolerance=st.sampled_from([1e-4, 1e-8, 1e-11]),
    size=st.floats(0.02, 0.5),
    gains=st.tuples(*[st.floats(-3.0, 3.0)] * 3),
)
def test_whatever_the_options_the_bits_are_the_same(fmu, finder, serial, tolerance, size, gains):
    """Also where nothing converges: what native code leaves, Python ends in its own words."""
    model = fmu("linear", 2, feedthrough=True)

    def found():
        system = dv.System("ring")
        for k in range(len(gains)):
            system.add(f"p{k}", model, x=1.0 + 0.3 * k)
        for k, gain in enumerate(gains):
            system.connect(f"p{k}.y", f"p{(k + 1) % 3}.u", gain=gain)
        scheme = dv.GaussSeidel if serial else dv.Jacobi
        algorithm = scheme(solver=finder, rtol=tolerance, atol=tolerance)
        controller = dv.FixedStep(size, min_size=size)
        try:
            return "", run(system, algorithm=algorithm, controller=controller, stop=8 * size)
        except dv.RunError as error:
            return str(error), error.result

    ways = []
    for way in ("native", "python"):
        with called_by(way):
            ways.append(found())
    assert ways[0][0] == ways[1][0]
    if ways[0][1] is not None:
        assert same(ways[0][1], ways[1][1])


def test_what_was_learned_goes_on_through_a_checkpoint(fmu, tmp_path):
    model, file = fmu("linear", 2), tmp_path / "run.ckpt"
    options = {"algorithm": CASES[9], "controller": FIXED, "quiet": True}
    options["algorithm"] = dv.GaussSeidel(solver=IqnIls(), **TIGHT)
    with dv.Session(knotted(model), stop=2.0, **options) as session:
        whole = session.run()
    with dv.Session(knotted(model), stop=2.0, **options) as session:
        for _ in range(7):
            session.advance()
        session.checkpoint(file)
    with dv.Session(knotted(model), stop=2.0, resume=file, **options) as session:
        again = session.run()
    assert same(whole, again)
    assert again.statistics.iterations < 5 * again.statistics.windows  # it reuses what it knows


@pytest.mark.parametrize("solver", [NewtonKrylov(), Cascade((Aitken(), Anderson()))], ids=repr)
def test_root_finders_without_a_twin_say_so(fmu, solver):
    algorithm = dv.Jacobi(solver=solver)
    found = knotted(fmu("linear", 2)).check(algorithm, FIXED).native
    assert found.level == "steps"
    assert f"Jacobi solves with {type(solver).__name__}, from Python" in str(found)


def test_noise_of_parts_is_for_python():
    """An iteration that has ended at noise goes on there: native windows do not know of it."""
    from dovetail.algorithms.iterative import IterationMemory
    from dovetail.run.learned import LearnedState
    from dovetail.topology.components import Structure

    system = dv.System("two")
    part = dv.Algebraic(inputs=["u"], outputs=["y"], function=lambda t, u, p: [0.5 * u.u])
    for name in "ab":
        system.add(name, part)
    system.connect("a.y", "b.u")
    system.connect("b.y", "a.u")
    structure = Structure.of(system)
    state = LearnedState(dv.Jacobi(solver=IqnIls()).schedule(structure), structure)
    assert state.write(None) and state.write(IterationMemory(None, ((),), (1.0,)))
    assert not state.write(IterationMemory(None, ((),), (20.0,)))
