"""Parameters that change during a run: connected, in every kind of FMU."""

from __future__ import annotations

from math import exp

import numpy as np
import pytest
from conformance.fleet import ALGORITHMS, CONTROLLERS, is_clean, last_violation, run, same

import dovetail as dv
from dovetail.fmi.instance import CallFailed

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
    from conformance.conftest import called_by

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
    with pytest.raises(dv.DrawingError, match="'part.a' cannot be connected: it is a fixed"):
        system.connect("schedule.k", "part.a")
