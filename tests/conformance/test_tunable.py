"""Parameters that change during a run: connected, in every kind of FMU."""

from __future__ import annotations

import pickle
from math import exp

import numpy as np
import pytest
from conformance.conftest import called_by
from conformance.fleet import (
    ALGORITHMS,
    CONTROLLERS,
    alone,
    is_clean,
    last_violation,
    run,
    same,
)

import dovetail as dv
from dovetail.fmi.calls.instance import CallFailed

KINDS = {  # version, how it is built, how it is loaded
    "co-simulation 2": (2, {}, {}),
    "co-simulation 3": (3, {}, {}),
    "event mode 3": (3, {"event_mode": True, "early_return": True}, {}),
    "no event mode 3": (3, {"event_mode": True}, {"events": False}),
    "model exchange 2": (2, {"model_exchange": True}, {"kind": "model exchange"}),
    "model exchange 3": (3, {"model_exchange": True}, {"kind": "model exchange"}),
}
AT = 0.45  # inside a window of the grid
SCHEDULE = dv.Source(outputs=["k"], function=lambda t, p: [1.0 if t < AT else 3.0], jumps=[AT])


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


@pytest.fixture
def load(fmu, kind):
    """A model in the version and kind at hand."""
    version, options, loading = KINDS[kind]
    return lambda name, **more: fmu(name, version, load=loading, **options, **more)


def scheduled(model, **values):
    system = dv.System("scheduled")
    system.add("schedule", SCHEDULE)
    system.add("part", model, **{"u": 1.0, "x": 0.0, **values})
    system.connect("schedule.k", "part.k")
    return system


def exact(t, first=1.0, second=3.0, at=AT):
    """x' = k - x from zero."""
    there = first * (1 - exp(-min(t, at)))
    return there if t <= at else second + (there - second) * exp(-(t - at))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("controller", CONTROLLERS)
def test_a_scheduled_change_happens_at_its_time(load, algorithm, controller):
    model = load("grumpy")
    options = {"algorithm": ALGORITHMS[algorithm], "controller": CONTROLLERS[controller]}
    result = run(scheduled(model), 1.0, **options)
    t, k = result.time, result["part.k"]
    assert k[t < AT].tolist() == [1.0] * np.count_nonzero(t < AT)
    assert k[t == AT].tolist() == [1.0, 3.0]  # both values at the event
    assert set(k[t > AT]) == {3.0}
    assert result["part.y"] == pytest.approx([exact(x) for x in t], abs=1e-5)
    assert is_clean(model)


def test_what_is_connected_needs_no_start_value(load):
    model = load("grumpy")
    result = run(scheduled(model, k=17.0), 0.2)
    assert result["part.y"][-1] == pytest.approx(exact(0.2), abs=1e-5)  # the wire decides
    assert is_clean(model)


@pytest.mark.parametrize("name", ["float64", "int32", "boolean", "string", "enumeration"])
def test_parameters_of_every_type(load, name):
    model = load("tunable")
    before, after, shown = {
        "float64": (1.5, 2.5, (1.5, 2.5)),
        "int32": (3, 5, (3, 5)),
        "boolean": (False, True, (False, True)),
        "string": ("a", "bc", ("a", "bc")),
        "enumeration": (2, 3, (2, 3)),
    }[name]
    system = dv.System("types")
    source = dv.Source(
        outputs=["v"],
        types={"v": {"float64": "real", "int32": "integer"}.get(name, name)},
        function=lambda t, p: [before if t < AT else after],
        jumps=[AT],
    )
    system.add("schedule", source)
    system.add("part", model)
    system.connect("schedule.v", f"part.{name}_offset")
    result = run(system, 1.0)
    seen = result[f"part.{name}_out"]
    t = result.time
    assert set(seen[(t < AT)]) == {shown[0]}
    assert seen[t == AT][0] == shown[0]
    assert set(seen[t > AT]) == {shown[1]}
    if model.description.capabilities.has_events:  # it can be asked at the event
        assert seen[t == AT][1] == shown[1]
    assert is_clean(model)


@pytest.mark.parametrize("event_mode", [False, True])
def test_arrays(fmu, event_mode):
    model = fmu("arrays", 3, strict=True, event_mode=event_mode)
    system = dv.System("arrays")
    gains = np.array([1.0, 2.0, 3.0])
    source = dv.Source(
        outputs={"k": [0.0, 0.0, 0.0]},
        function=lambda t, p: [gains if t < AT else -gains],
        jumps=[AT],
    )
    system.add("schedule", source)
    system.add("part", model, u=[1.0, 1.0, 2.0])
    system.connect("schedule.k", "part.gain")
    result = run(system, 1.0)
    late = result.time > AT
    for k, expected in enumerate([1.0, 2.0, 6.0], 1):
        assert set(result[f"part.y[{k}]"][~late][:-1]) == {expected}
        assert set(result[f"part.y[{k}]"][late]) == {-expected}
    assert is_clean(model)


def test_with_and_without_the_kernel(fmu):
    """Parts beside the tuned one are in the kernel, or are not: the same bits."""
    found = []
    for way in ("native", "python"):
        with called_by(way):
            model = fmu("grumpy", 2, load={"tolerance": 1e-6})
            system = scheduled(model)
            system.add("other", model, k=0.5)
            system.connect("part.y", "other.u")
            system.connect("other.y", "part.u")
            found.append(run(system, 1.0, algorithm=dv.GaussSeidel(10)))
    assert same(*found)
    assert is_clean(model)


def test_an_fmu_may_be_the_schedule(load, fmu):
    """A parameter follows the output of another FMU, in a cycle, with iteration."""
    model = load("grumpy")
    other = fmu("grumpy", 2)
    system = dv.System("cycle")
    system.add("a", other, x=1.0, p=1.0)
    system.add("b", model, u=1.0)
    system.connect("a.y", "b.k")
    system.connect("b.y", "a.u")
    for algorithm in (dv.GaussSeidel(), dv.GaussSeidel(8), dv.Newton()):
        errors = []
        for size in (0.1, 0.05):
            result = run(system, 1.0, algorithm=algorithm, controller=dv.FixedStep(size))
            # a' = b + 1 - a, b' = a - b from (1, 1): their sum grows by 1 a second
            errors.append(abs(result["a.y"][-1] + result["b.y"][-1] - 3.0))
        assert errors[1] < 0.7 * errors[0] < 0.2
    assert is_clean(model, other)


@pytest.mark.parametrize("at", [0.3, 0.6])
def test_a_resumed_run_is_the_same(load, tmp_path, at):
    model = load("grumpy")
    options = {"algorithm": dv.Jacobi(), "controller": dv.FixedStep(0.1), "quiet": True}
    with dv.Session(scheduled(model), stop=1.0, **options) as session:
        for step in session:
            if step.time >= at:
                break
        session.checkpoint(tmp_path / "run.checkpoint")
        whole = session.run()
    again = dv.Session(scheduled(model), stop=1.0, resume=tmp_path / "run.checkpoint", **options)
    assert same(whole, again.run())
    assert is_clean(model)


def test_the_standard_decides_where_it_is_set(fmu):
    """With event mode a strict FMU takes parameters there only: the test FMU says so."""
    model = fmu("grumpy", 3, event_mode=True, early_return=True, lie="state")
    part = model.instantiate("part")
    part.initialize(0.0, {})
    part.begin()
    part._settle()
    with pytest.raises(CallFailed, match="'k' must not be set in step mode, only inputs"):
        part._give([model.fmu.by_name["k"]], {"k": 2.0})
    part.close()
    assert "'k' must not be set" in last_violation(model)


@pytest.mark.parametrize("version", [2, 3])
def test_fixed_parameters_are_refused(fmu, version):
    system = dv.System("refused")
    system.add("schedule", SCHEDULE)
    system.add("part", fmu("grumpy", version))
    with pytest.raises(dv.DrawingError) as refused:
        system.connect("schedule.k", "part.p")
    assert "'part.p' cannot be connected: it is a fixed parameter" in str(refused.value)
    assert "Tunable ones are k." in str(refused.value)
    with pytest.raises(dv.DrawingError, match="it is a start value"):
        system.connect("schedule.k", "part.x")


def test_fmi_1_has_none(fmu):
    system = dv.System("refused")
    system.add("schedule", SCHEDULE)
    system.add("part", fmu("linear", 1))
    with pytest.raises(dv.DrawingError, match=r"'part\.a' cannot be connected: it is a fixed"):
        system.connect("schedule.k", "part.a")


@pytest.mark.parametrize("kind_of", ["co-simulation", "model exchange", "scheduled execution"])
@pytest.mark.parametrize("connected", [False, True])
def test_a_clock_counts_anew_when_its_interval_changes(fmu, kind_of, connected):
    """The new interval counts from the change on, as the standard says."""
    options = {"strict": True, "event_mode": True}
    if kind_of == "scheduled execution":
        options = {"strict": True, "scheduled": True}
    elif kind_of == "model exchange":
        options["model_exchange"] = True
    model = fmu("clocks", 3, load={"kind": kind_of}, **options)
    system = alone(model)
    if connected:
        pace = dv.Source(
            outputs=["s"], function=lambda t, p: [0.4 if t < 0.5 else 0.2], jumps=[0.5]
        )
        system.add("pace", pace)
        system.connect("pace.s", "part.pace")
    fixed = {"controller": dv.FixedStep(0.5), "algorithm": dv.Jacobi(), "quiet": True}
    with dv.Session(system, stop=1.2, **fixed) as session:
        while session.time < 0.5:
            session.advance()
        if not connected:
            session.set("part.pace", 0.2)
        result = session.run()
    ticked = result.time[1:][np.diff(result["part.n_paced"]) == 1]
    late = kind_of == "scheduled execution" and not connected
    at = 0.6 if late else 0.5  # there parameters are set where the next partition runs
    assert ticked == pytest.approx([0.0, 0.4, at + 0.2, at + 0.4, at + 0.6], abs=1e-12)
    assert is_clean(model)


def test_a_source_that_moves_all_the_time_is_followed_at_first_order(load):
    system = dv.System("moving")
    system.add("ramp", dv.Source(outputs=["y"], function=lambda t, p: [t]))
    system.add("part", load("grumpy"), u=1.0, x=0.0)
    system.connect("ramp.y", "part.k")
    rough, fine = (  # x' = t - x, so that x = exp(-1) at 1
        abs(run(system, 1.0, controller=dv.FixedStep(size))["part.y"][-1] - exp(-1))
        for size in (0.1, 0.05)
    )
    assert rough / fine == pytest.approx(2, rel=0.05)
    assert is_clean(load("grumpy"))


def test_sources_that_move_all_the_time_are_noted(fmu):
    system = dv.System("moving")
    system.add("ramp", dv.Source(outputs=["y"], function=lambda t, p: [t]))
    system.add("steps", dv.Table(time=[0.0, 1.0], columns={"y": [0.0, 1.0]}, hold=["y"]))
    for name in ("one", "two", "three"):
        system.add(name, fmu("grumpy", 2))
    system.connect("ramp.y", "one.k")
    system.connect("steps.y", "two.k")
    system.connect("two.y", "three.k")
    told = [p.what for p in system.check().problems if "is a parameter" in p.what]
    assert [what.split("'")[1] for what in told] == ["one.k", "three.k"]
    assert "over each window it is held, and follows 'ramp.y'" in told[0]


# by hand ------------------------------------------------------------------------------------------


def by_hand(model, *, at=0.5, stop=1.0, **options):
    """Parameters of two parts are changed when a window has ended there."""
    system = dv.System("by hand")
    system.add("part", model, u=1.0, x=0.0)
    system.add("other", model, u=1.0, x=0.0)
    system.connect("part.y", "other.u")
    options = {"algorithm": dv.Jacobi(), "controller": dv.FixedStep(0.1), **options}
    with dv.Session(system, stop=stop, quiet=True, **options) as session:
        while session.time < at - 1e-9:
            session.advance()
        session.set("part.k", 3.0)
        session.set("other.k", 0.5)
        return session.run()


@pytest.mark.parametrize(
    ("algorithm", "controller"),
    [("jacobi", "fixed"), ("gauss_seidel_5", "fixed"), ("newton", "doubling")],
)
def test_a_change_by_hand(load, algorithm, controller):
    model = load("grumpy")
    options = {"algorithm": ALGORITHMS[algorithm], "controller": CONTROLLERS[controller]}
    result = by_hand(model, **options)
    t, changes = result.time, result.changes
    at = changes[0].time
    told = [(c.time, c.name, c.before, c.after) for c in changes]
    assert told == [(at, "part.k", 1.0, 3.0), (at, "other.k", 1.0, 0.5)]
    assert np.count_nonzero(t == at) == 2  # an event, for both at once
    assert result["part.y"] == pytest.approx([exact(x, at=at) for x in t], abs=1e-5)
    assert is_clean(model)


@pytest.mark.parametrize("estimator", [dv.Rollback(), dv.Rollback(predict=True), dv.Costarica()])
def test_estimators_start_anew(load, estimator):
    model = load("grumpy")
    options = {"algorithm": dv.Newton(), "estimators": {"part": estimator, "other": estimator}}
    result = by_hand(model, **options)
    assert result["part.y"] == pytest.approx([exact(x, at=0.5) for x in result.time], abs=1e-5)
    assert is_clean(model)


def test_cubics_start_anew(load):
    """What is known of slopes left of a change says nothing about those right of it."""
    model = load("grumpy")
    rough, fine = (
        by_hand(model, algorithm=dv.Ifosmondi(), controller=dv.FixedStep(size))["other.y"][-1]
        for size in (0.1, 0.0125)
    )
    assert rough == pytest.approx(fine, abs=1e-5)  # with the old slopes 5e-4
    assert is_clean(model)


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("algorithm", ["jacobi", "gauss_seidel", "gauss_seidel_5", "newton"])
def test_by_hand_with_and_without_the_kernel(fmu, version, algorithm):
    """Fused, one window at a time, in Python: the same bits."""
    found = []
    for way, walking in (("native", False), ("native", True), ("python", False)):
        with called_by(way):
            model = fmu("linear", version, load={"tolerance": 1e-6})
            system = dv.System("ring")
            for k in range(3):
                system.add(f"p{k}", model, x=1.0 + k, b=0.1)
            system.connect("p0.y", "p1.u")
            system.connect("p1.y", "p0.u")  # p2.u is free
            options = {"algorithm": ALGORITHMS[algorithm], "controller": dv.FixedStep(0.1)}
            with dv.Session(system, stop=1.0, quiet=True, **options) as session:
                while session.time < 0.45:
                    session.advance()
                session.set("p0.a", -2.5)
                session.set("p2.u", 4.0)
                while walking and not session.finished:
                    session.advance()
                found.append(session.run())
    assert same(found[0], found[1])
    assert same(found[0], found[2])
    middle = 1 + 2 * exp(-0.5)  # p2: x' = -x + 0.1 u + 1 from 3; u = 0, and 4 from 0.5 on
    there = 1.4 + (middle - 1.4) * exp(-0.5)
    assert found[0]["p2.y"][-1] == pytest.approx(there, abs=1e-9)


def test_a_checkpoint_remembers(load, tmp_path):
    model = load("grumpy")
    path = tmp_path / "run.checkpoint"
    options = {"algorithm": dv.Jacobi(), "controller": dv.FixedStep(0.1), "quiet": True}
    system = alone(model, u=1.0, x=0.0)
    with dv.Session(system, stop=1.0, **options) as session:
        while session.time < 0.35:
            session.advance()
        session.set("part.k", 3.0)
        session.set("part.u", 2.0)
        session.advance()
        session.set("part.k", 5.0)  # not in effect yet, and in the checkpoint all the same
        session.checkpoint(path)
        whole = session.run()
    resumed = dv.Session(system, stop=1.0, resume=path, **options).run()
    assert same(whole, resumed)
    assert [c.after for c in resumed.changes] == [3.0, 2.0, 5.0]
    assert resumed.changes == whole.changes
    assert is_clean(model)


def test_what_cannot_be_set_is_refused(fmu):
    system = scheduled(fmu("grumpy", 2))
    with dv.Session(system, stop=1.0, quiet=True, controller=dv.FixedStep(0.1)) as session:
        for name, value, why in (
            ("part.k", 1.0, "'part.k' is fed by 'schedule.k'; only inputs that nothing feeds"),
            ("part.p", 1.0, "'part.p' cannot be set: it is a fixed parameter, which keeps one"),
            ("part.x", 1.0, "'part.x' cannot be set: it is a start value"),
            ("part.y", 1.0, "'part.y' is no input or tunable parameter of 'part'. It is an output"),
            ("part.label", 1.0, "'part.label' must be a string value, not 1.0"),
            ("prat.k", 1.0, "there is no part 'prat'. Did you mean 'part'?"),
            ("part.lable", "", "Did you mean 'label'?"),
            ("part", 1.0, "'part' names no variable; write 'part.variable'"),
        ):
            with pytest.raises(dv.OptionError) as refused:
                session.set(name, value)
            assert why in str(refused.value)
        session.run()
        with pytest.raises(dv.OptionError, match="closed"):
            session.set("part.u", 1.0)


def test_a_parameter_is_held_where_inputs_are_interpolated(fmu):
    """In pieces of a window inputs move; a parameter does not, nor does it overshoot."""
    ramp = dv.Source(outputs=["y"], function=lambda t, p: [t])
    system = dv.System("pieces")
    system.add("ramp", ramp)
    system.add("part", fmu("tunable", 2))
    system.connect("ramp.y", "part.float64_offset")
    options = {"algorithm": dv.GaussSeidel(inputs="ramp"), "estimators": {"part": dv.Direct(4)}}
    result = run(system, 1.0, **options)
    assert result["part.float64_out"][1:] == pytest.approx(result["ramp.y"][:-1])


@pytest.mark.parametrize("version", [2, 3])
def test_model_exchange_that_cannot_save_its_state(fmu, version):
    """What was taken back by its states alone has a memory now, and says so beforehand."""
    loading, options = {"kind": "model exchange"}, {"model_exchange": True, "state_saving": False}
    model = fmu("linear", version, load=loading, **options)
    system = dv.System("scheduled")
    system.add("schedule", SCHEDULE)
    system.add("part", model, x=0.0)
    system.connect("schedule.k", "part.a", gain=-1.0)
    late = (1 - exp(-0.45)) * exp(-1.65) + (1 - exp(-1.65)) / 3  # x' = 1 - k x
    assert run(system, 1.0)["part.y"][-1] == pytest.approx(late, abs=1e-5)
    with pytest.raises(dv.CapabilityError, match="'part' cannot roll back"):
        run(system, 1.0, controller=dv.StepDoubling(1e-4, 1e-4))


def test_a_drawing_with_connected_parameters_can_be_pickled(fmu):
    system = scheduled_by_a_table(fmu("grumpy", 2))
    again = pickle.loads(pickle.dumps(system))
    assert again.fingerprint() == system.fingerprint()
    assert same(run(system, 0.6), run(again, 0.6))
    model = fmu("grumpy", 3).tuned(["k"])
    assert pickle.loads(pickle.dumps(model)).tunes == ("k",)


def scheduled_by_a_table(model):
    system = dv.System("pickled")
    system.add("schedule", dv.Table(time=[0.0, AT], columns={"k": [1.0, 3.0]}, hold=["k"]))
    system.add("part", model, u=1.0)
    system.connect("schedule.k", "part.k")
    return system


def test_a_value_that_does_not_fit_ends_the_run(fmu):
    with dv.Session(alone(fmu("tunable", 3)), stop=1.0, quiet=True) as session:
        session.set("part.int8_offset", 300)
        with pytest.raises(dv.PartFailed, match="'int8_offset' cannot be 300"):
            session.run()
