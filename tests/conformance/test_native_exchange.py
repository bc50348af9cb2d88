"""Model-exchange FMUs in native windows and in windows from Python: the same to the last bit."""

from __future__ import annotations

import numpy as np
import pytest
from conformance.fleet import alone, is_clean, oscillator, same
from conformance.test_model_exchange import without_step_notes

import dovetail as dv
from dovetail.fmi.kernel import kernel
from dovetail.integrators import Cvode, FixedSize
from dovetail.integrators.sundials import sundials

ME = {"model_exchange": True, "co_simulation": False}
FIXED = dv.FixedStep(0.1)
HELD = (dv.Jacobi(), dv.GaussSeidel(), dv.GaussSeidel(10), dv.Jacobi(20), dv.Newton())
MOVING = (dv.Jacobi(extrapolation=2), dv.GaussSeidel(inputs="ramp"), dv.Newton(inputs="ramp"))
FIXED_SIZES = (FixedSize(0.013, m) for m in ("euler", "semi_implicit", "heun", "midpoint", "rk4"))
SOLVERS = (None, "rk45", "auto", *FIXED_SIZES)


@pytest.fixture(autouse=True)
def _with_a_kernel():
    if kernel() is None or sundials() is None:
        pytest.skip("there is no native path here")


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


def driven(source, room, **values):
    """A room in a changing climate."""
    system = dv.System("driven")
    system.add("climate", source, x=6.0, a=-0.01, b=0.0, drive=0.0)
    system.add("room", room, **values)
    system.connect("climate.y", "room.outside")
    return system


def rooms(first, second):
    """Each is outside the other."""
    system = dv.System("rooms")
    for name, model in (("a", first), ("b", second)):
        system.add(name, model, share=0.0)
    system.connect("a.x", "b.outside")
    system.connect("b.x", "a.outside")
    return system


# what passes without events -------------------------------------------------------------------


@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.parametrize("solver", [None, "cvode", "rk45", "auto", FixedSize(0.02)], ids=repr)
def test_one_part(fmu, version, solver):
    notes = {"edit": without_step_notes} if version == 2 else {}
    if version == 1 and solver not in (None, "cvode"):
        return  # FMI 1 wants to know of each step, and cannot take it back
    model = fmu("vanderpol", version, load={"solver": solver}, strict=True, **notes, **ME)
    result = agree(alone(model, mu=3.0), stop=8.0, least=0.9)
    assert result.statistics.effort_by_part["part"].evaluations > 200
    assert is_clean(model)


@pytest.mark.parametrize("algorithm", [*HELD, *MOVING], ids=repr)
def test_two_parts(fmu, algorithm):
    parts = [fmu(name, 3, strict=True, **ME) for name in ("body", "spring")]
    agree(oscillator(*parts), algorithm=algorithm, least=0.9)
    assert is_clean(*parts)


@pytest.mark.parametrize("algorithm", [*HELD, *MOVING], ids=repr)
def test_beside_a_part_with_a_solver_of_its_own(fmu, algorithm):
    parts = fmu("body", 2, input_derivatives=3), fmu("spring", 2, strict=True, **ME)
    agree(oscillator(*parts), algorithm=algorithm, least=0.9)
    assert is_clean(*parts)


@pytest.mark.parametrize("solver", SOLVERS, ids=repr)
@pytest.mark.parametrize(
    "algorithm", [dv.GaussSeidel(), dv.GaussSeidel(4, inputs="ramp")], ids=repr
)
def test_every_method(fmu, algorithm, solver):
    notes = {"edit": without_step_notes}
    names = "body", "spring"
    parts = [fmu(name, 2, load={"solver": solver}, **notes, **ME) for name in names]
    if isinstance(solver, FixedSize) and solver.method == "semi_implicit":
        parts[1] = fmu("spring", 2)
        if algorithm.inputs == "ramp":
            return  # the spring cannot follow ramps
    agree(oscillator(*parts), algorithm=algorithm, least=0.9)


@pytest.mark.parametrize("solver", ["rk45", "auto"])
@pytest.mark.parametrize("name", ["vanderpol", "exchanger"])  # of 2 states, and of 30
def test_sums_are_the_same_without_a_kernel(fmu, both, solver, name):
    model = fmu(name, 2, load={"solver": solver}, **ME)
    values = {"mu": 5.0} if name == "vanderpol" else {}
    options = {"stop": 10.0, "controller": dv.FixedStep(0.5), "quiet": True}
    native, python = both(lambda: dv.simulate(alone(model, **values), **options))
    assert (native.statistics.native_windows, python.statistics.native_windows) == (20, 0)
    assert same(native, python)


def test_stiff_equations_go_to_the_implicit_method_and_come_back(fmu):
    """A decay becomes ten thousand times faster for a while, which is for radau: from Python."""
    model = fmu("linear", 2, load={"solver": "auto"}, **ME)

    def tuned(native):
        options = {"stop": 6.0, "controller": FIXED, "algorithm": dv.Jacobi(), "quiet": True}
        with dv.Session(alone(model, drive=1.0), **options) as session:
            if not native:
                session._loop._fused = None
            for rate, until in ((-1.0, 2.0), (-1e4, 4.0), (-1.0, 6.0)):
                session.set("part.a", rate)
                while session.time < until - 0.05:
                    session.advance()
            return session.result

    found = tuned(True), tuned(False)
    effort = found[0].statistics.effort_by_part["part"]
    assert effort.switches == 2 and effort.stiff_steps
    assert 25 < found[0].statistics.native_windows < 45
    assert same(*found)


def test_one_that_is_solved_by_auto_may_leave_windows_so_that_others_must_roll_back(fmu):
    auto = {"load": {"solver": "auto"}, "edit": without_step_notes}
    system = oscillator(fmu("body", 2), fmu("spring", 2, **auto, **ME))
    native = system.check(dv.GaussSeidel(), FIXED).native
    assert "'spring' may leave a window to Python" in str(native)
    assert native.change == "estimators={'body': dv.Rollback()}"
    back = {"body": dv.Rollback()}
    agree(system, algorithm=dv.GaussSeidel(), estimators=back, least=0.9)


def test_on_threads(fmu):
    parts = [fmu(name, 3, **ME) for name in ("body", "spring")]
    found = []
    for threads in (1, 2):
        with dv.Session(
            oscillator(*parts), stop=4.0, algorithm=dv.Jacobi(), controller=FIXED, quiet=True
        ) as session:
            session.assembly.batch.threads(threads)
            found.append(session.run())
    assert same(*found)


def test_a_thousand_windows_go_on_with_the_history_of_the_solver(fmu):
    """Inputs stay: each window continues the last, so that many cost hardly more than one."""
    model = fmu("vanderpol", 2, **ME)
    efforts = [
        made(alone(model), native=True, stop=20.0, controller=dv.FixedStep(20.0 / n))
        .statistics.effort_by_part["part"]
        .evaluations
        for n in (1, 1000)
    ]
    assert efforts[1] < 1.1 * efforts[0] + 1000


# events ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.parametrize(
    "solver", [None, "rk45", "auto", FixedSize(0.01), FixedSize(0.01, locate=False)], ids=repr
)
def test_a_ball_bounces_between_native_windows(fmu, version, solver):
    if version == 1 and solver is not None:
        return  # it is told of steps, and cannot take them back; see below
    model = fmu("ball", version, load={"solver": solver}, strict=True, **ME)
    result = agree(alone(model), stop=2.5, controller=dv.FixedStep(0.03), least=0.5)
    assert result["part.bounces"][-1] > 3
    assert is_clean(model)


@pytest.mark.parametrize("algorithm", [*HELD, *MOVING], ids=repr)
def test_switches_that_inputs_and_states_throw(fmu, algorithm):
    room = fmu("thermostat", 3, strict=True, **ME)
    source = fmu("linear", 3, **ME)
    system = driven(source, room, night=1.234, share=0.0)
    result = agree(system, algorithm=algorithm, controller=dv.FixedStep(0.05), least=0.4)
    assert result["room.switched"][-1] > 2
    assert is_clean(room, source)


@pytest.mark.parametrize("algorithm", HELD, ids=repr)
def test_a_part_with_a_solver_of_its_own_is_rolled_back_at_events(fmu, algorithm):
    room, source = fmu("thermostat", 2, strict=True, **ME), fmu("linear", 2)
    system = driven(source, room, night=1.234, share=0.0)
    result = agree(system, stop=2.0, algorithm=algorithm, controller=dv.FixedStep(0.05), least=0.3)
    assert result["room.switched"][-1] > 2
    assert is_clean(room, source)


@pytest.mark.parametrize("algorithm", [*HELD, *MOVING], ids=repr)
def test_two_that_switch(fmu, algorithm):
    room = fmu("thermostat", 2, strict=True, **ME)
    result = agree(rooms(room, room), algorithm=algorithm, controller=dv.FixedStep(0.05), least=0.4)
    assert result["a.switched"][-1] >= 1
    assert is_clean(room)


@pytest.mark.parametrize("version", [1, 2])
def test_one_that_cannot_roll_back_goes_on_where_it_stands(fmu, version):
    """Its CVODE stands in the midst of the window; the steps up to there are not made again."""
    model = fmu("thermostat", version, state_saving=False, strict=True, **ME)
    result = agree(alone(model), least=0.5, controller=dv.FixedStep(0.02))
    assert result["part.switched"][-1] > 3
    assert is_clean(model)


def test_events_in_every_window_do_not_end_it(fmu):
    """Native windows are tried again after a while, less and less often."""
    model = fmu("thermostat", 2, **ME)
    crowded = alone(model, low=19.9, high=20.0, night=1.5)
    agree(crowded, stop=2.0, controller=dv.FixedStep(0.05), least=0.0)


# what stands between --------------------------------------------------------------------------


def walked(system, folder, *, native):
    """Windows one by one, a checkpoint, an input that is set, windows from Python in between."""
    options = {"stop": 6.0, "controller": dv.FixedStep(0.05), "quiet": True}
    options |= {"algorithm": dv.GaussSeidel()}
    session = dv.Session(system, **options)
    if not native:
        session._loop._fused = None
    for k in range(40):
        fused = session._loop._fused
        if k % 7 == 3:
            session._loop._fused = None
        session.advance()
        session._loop._fused = fused
    session.checkpoint(folder / "half.dvc")
    session.close()
    with dv.Session(system, resume=folder / "half.dvc", **options) as session:
        if not native:
            session._loop._fused = None
        for _ in range(10):
            session.advance()
        session.set("climate.u", 3.0)
        return session.run()


@pytest.mark.parametrize("event", [1e300, 3.21])
def test_whatever_comes_in_between(fmu, tmp_path, event):
    room, source = fmu("thermostat", 3, strict=True, **ME), fmu("linear", 3, strict=True, **ME)
    system = driven(source, room, night=event, share=0.0)
    found = [walked(system, tmp_path, native=native) for native in (True, False)]
    assert found[0].statistics.native_windows > 30
    assert same(*found)
    assert is_clean(room, source)


@pytest.mark.parametrize("version", [2, 3])
def test_a_window_shows_what_python_would(fmu, version):
    room, source = fmu("thermostat", version, **ME), fmu("linear", version, **ME)

    def windows(native):
        options = {"stop": 2.0, "controller": dv.FixedStep(0.05), "algorithm": dv.Jacobi()}
        with dv.Session(driven(source, room, share=0.0), quiet=True, **options) as session:
            if not native:
                session._loop._fused = None
            return [(s.time, s.window, s.event, s.values) for s in session]

    assert windows(True) == windows(False)


# what is left to Python -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("load", "options", "what"),
    [
        ({"solver": "bdf"}, {}, "is solved by Bdf, from Python"),
        ({"solver": "radau"}, {}, "is solved by Radau, from Python"),
        ({"solver": FixedSize(0.1)}, {"state_saving": False}, "cannot take it back"),
    ],
)
def test_what_stands_against_it_is_said(fmu, load, options, what):
    model = fmu("ball", 2, load=load, **options, **ME)
    native = alone(model).check(dv.Jacobi(), FIXED).native
    assert native.level == "python"
    assert what in str(native)


def test_one_without_states_is_left_to_python(fmu):
    native = alone(fmu("relay", 2, **ME)).check(dv.Jacobi(), FIXED).native
    assert "has no continuous states" in str(native)


def test_where_a_controller_judges_windows_only_the_others_are_stepped_natively(fmu):
    system = oscillator(fmu("body", 2), fmu("spring", 2, **ME))
    native = system.check(dv.Jacobi(), dv.Defect()).native
    assert (native.level, native.members) == ("steps", (0,))


def test_failures_are_told_alike(fmu):
    """A solution that leaves all bounds, in a window in which nothing else happens."""
    model = fmu("prey", 2, load={"solver": Cvode(max_steps=60)}, **ME)
    told = []
    for native in (True, False):
        with pytest.raises(dv.RunError) as error:
            made(alone(model, u=-50.0), native=native, stop=300.0, controller=dv.FixedStep(1.0))
        told.append((str(error.value), error.value.result))
    assert told[0][0] == told[1][0]
    assert same(told[0][1], told[1][1])
    assert np.isfinite(told[0][1]["part.x"]).all()
