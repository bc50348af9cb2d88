"""Parameters of Python parts that change during a run: connected, and set by hand."""

from __future__ import annotations

from math import exp

import numpy as np
import pytest

import dovetail as dv
from dovetail.results.reading import read

AT = 0.45
SCHEDULE = dv.Source(outputs=["k"], function=lambda t, p: [1.0 if t < AT else 3.0], jumps=[AT])
FIXED = {"controller": dv.FixedStep(0.1), "quiet": True}


def lag(**more):
    """x' = k u - b x."""
    return dv.Dynamic(
        states={"x": 0.0},
        inputs={"u": 1.0},
        outputs=["x", "kx"],
        parameters={"b": 1.0, "k": 1.0},
        derivatives=lambda t, x, u, p: [p.k * u.u - p.b * x.x],
        output=lambda t, x, u, p: [x.x, p.k * x.x],
        **more,
    )


def exact(t, at=AT):
    there = 1 - exp(-min(t, at))
    return there if t <= at else 3 + (there - 3) * exp(-(t - at))


def scheduled(model, target="part.k"):
    system = dv.System("scheduled")
    system.add("schedule", SCHEDULE)
    system.add("part", model)
    system.connect("schedule.k", target)
    return system


VECTOR = dv.Dynamic(
    states={"x": 0.0},
    inputs={"u": 1.0},
    outputs=["x", "kx"],
    parameters={"b": 1.0, "k": 1.0},
    derivatives=lambda t, x, u, p: p[1] * u - p[0] * x,
    output=lambda t, x, u, p: [x[0], p[1] * x[0]],
    jacobian=lambda t, x, u, p: [[-p[0]]],
    vector=True,
    solver="bdf",
)
MIXED = dv.Dynamic(
    states={"x": 0.0},
    inputs={"u": 1.0, "on": True},
    outputs=["x", "kx"],
    parameters={"name": "b", "b": [1.0, 2.0], "k": 1.0, "n": 1},
    derivatives=lambda t, x, u, p: [p.k * u.u * u.on - p[p.name][0] * x.x * p.n],
    output=lambda t, x, u, p: [x.x, p.k * x.x],
)


@pytest.mark.parametrize("model", [lag(), VECTOR, MIXED], ids=["named", "vector", "mixed"])
def test_a_dynamic_takes_a_parameter_from_an_output(model):
    result = dv.simulate(scheduled(model), stop=1.0, **FIXED)
    t = result.time
    assert result["part.k"][t == AT].tolist() == [1.0, 3.0]
    assert result["part.x"] == pytest.approx([exact(v) for v in t], abs=2e-5)
    left, right = result["part.kx"][t == AT]
    assert right == pytest.approx(3 * left, rel=1e-12)  # the output feels it at once


def test_values_of_connected_parameters_are_those_of_the_wire():
    system = dv.System("given")
    system.add("schedule", SCHEDULE)
    system.add("part", lag(), k=7.0, b=2.0)
    system.connect("schedule.k", "part.k")
    result = dv.simulate(system, stop=0.4, **FIXED)
    assert result["part.x"][-1] == pytest.approx((1 - exp(-0.8)) / 2, abs=1e-6)


def test_a_parameter_may_move_with_a_continuous_signal():
    """In a Python part it is an input like any other: the order of the method stays."""
    ramp = dv.Source(outputs=["k"], function=lambda t, p: [t])
    errors = []
    for size in (0.1, 0.05):
        system = dv.System("moving")
        system.add("ramp", ramp)
        system.add("part", lag())
        system.connect("ramp.k", "part.k")
        result = dv.simulate(
            system,
            stop=1.0,
            algorithm=dv.GaussSeidel(inputs="ramp"),
            controller=dv.FixedStep(size),
            quiet=True,
        )
        errors.append(abs(result["part.x"][-1] - exp(-1.0)))  # x = t - 1 + exp(-t)
    assert max(errors) < 1e-6


def test_crossings_and_events_see_the_parameter():
    model = dv.Dynamic(
        states={"x": 0.0},
        outputs=["x"],
        parameters={"limit": 10.0},
        derivatives=lambda t, x, u, p: [1.0],
        zero_crossings=lambda t, x, u, p: [x.x - p.limit],
        on_event=lambda which, t, x, u, p: {"x": -p.limit},
    )
    system = scheduled(model, "part.limit")  # 1, and 3 from 0.45 on
    result = dv.simulate(system, stop=4.0, **FIXED)
    assert result["part.x"].max() == pytest.approx(3.0)
    assert result["part.x"].min() == pytest.approx(-3.0)
    with dv.Session(_alone(model, limit=10.0), stop=4.0, **FIXED) as session:
        while session.time < 0.95:
            session.advance()
        session.set("part.limit", 0.5)  # behind it already: the event is due at once
        found = session.run()
    at = found.time == found.changes[0].time
    assert found["part.x"][at].tolist() == pytest.approx([1.0, -0.5])


def test_an_algebraic_part():
    gain = dv.Algebraic(
        inputs={"a": 2.0},
        outputs=["b"],
        parameters={"k": 5.0, "c": 1.0},
        function=lambda t, u, p: [p.k * u.a + p.c],
    )
    result = dv.simulate(scheduled(gain), stop=1.0, **FIXED)
    assert result["part.b"][result.time == AT].tolist() == [3.0, 7.0]
    with dv.Session(_alone(gain), stop=1.0, **FIXED) as session:
        session.advance()
        session.set("part.c", -1.0)
        session.set("part.a", 3.0)
        found = session.run()
    assert found["part.b"].tolist()[:4] == [11.0, 11.0, 14.0, 14.0]


@pytest.mark.parametrize("clocked", [False, True])
def test_a_sampled_part_takes_it_with_its_samples(clocked):
    timing = {"clock": "tick"} if clocked else {"period": 0.2}
    counter = dv.Discrete(
        **timing,
        states={"n": 0.0, "name": "a"},
        outputs={"y": 0.0},
        inputs={"u": 1.0},
        parameters={"word": "a", "k": 1.0},
        output=lambda t, x, u, p: [x.n],
        update=lambda t, x, u, p: [x.n + p.k * u.u * (u.tick if clocked else 1), p.word],
    )
    system = dv.System("sampled")
    system.add("schedule", SCHEDULE)
    system.add("part", counter)
    system.connect("schedule.k", "part.k")
    if clocked:
        system.add("beat", dv.Clock(period=0.2))
        system.connect("beat.tick", "part.tick")
    result = dv.simulate(system, stop=1.0, **FIXED)
    t, y = result.time, result["part.y"]
    seen = [y[np.searchsorted(t, at + 0.1)] for at in (0.0, 0.2, 0.4, 0.6, 0.8)]
    assert np.diff(seen).tolist() == [1.0, 1.0, 1.0, 3.0]  # taken at 0, 0.2, 0.4 and 0.6


def test_a_source_and_an_inner_part_are_set_by_hand():
    inner = dv.System("inner")
    inner.add("lag", lag())
    system = dv.System("outer")
    wave = dv.Source(outputs=["y"], parameters={"a": 1.0}, function=lambda t, p: [p.a])
    system.add("wave", wave)
    system.add("nested", dv.Nested(inner))
    system.connect("wave.y", "nested.lag.u")
    with dv.Session(system, stop=1.0, algorithm=dv.GaussSeidel(), **FIXED) as session:
        while session.time < 0.45:
            session.advance()
        session.set("wave.a", 1.5)
        session.set("nested.lag.k", 2.0)
        result = session.run()
    expected = [exact(v, at=0.5) for v in result.time]
    assert result["nested.lag.x"] == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("nested", [False, True])
def test_a_parameter_inside_a_merged_system_is_set_by_hand(nested):
    inner = dv.System("inner")
    wave = dv.Source(outputs=["y"], parameters={"a": 1.0}, function=lambda t, p: [p.a])
    inner.add("wave", wave)
    inner.add("lag", lag())
    inner.connect("wave.y", "lag.u")
    model, path = dv.merge(inner, solver="cvode", rtol=1e-9, atol=1e-11), "part."
    if nested:
        outer, path = dv.System("outer"), "part.merged."
        outer.add("merged", model)
        model = dv.Nested(outer)
    system = dv.System("outermost")
    system.add("part", model)
    with dv.Session(system, stop=1.0, algorithm=dv.GaussSeidel(), **FIXED) as session:
        while session.time < 0.45:
            session.advance()
        session.set(f"{path}wave.a", 1.5)
        session.set(f"{path}lag.k", 2.0)
        result = session.run()
    expected = [exact(v, at=0.5) for v in result.time]
    assert result[f"{path}lag.x"] == pytest.approx(expected, abs=1e-5)


def test_a_parameter_inside_a_nested_system_is_connected():
    inner = dv.System("inner")
    inner.add("lag", lag(), b=1.0)
    system = scheduled(dv.Nested(inner), "part.lag.k")
    result = dv.simulate(system, stop=1.0, **FIXED)
    assert result["part.lag.x"] == pytest.approx([exact(v) for v in result.time], abs=1e-5)
    assert inner.parts["lag"].tuned == ()  # the inner drawing is as it was


def test_inputs_that_are_set_by_hand_are_recorded_on_request():
    with dv.Session(_alone(lag()), stop=0.3, record=["*", "part.u"], **FIXED) as session:
        session.advance()
        session.set("part.u", 2.5)
        result = session.run()
    assert result["part.u"].tolist() == [1.0, 1.0, 2.5, 2.5, 2.5]
    assert "part.u" not in dv.simulate(_alone(lag()), stop=0.3, **FIXED)
    with pytest.raises(dv.OptionError, match=r"record='part\.v' means no output"):
        dv.simulate(_alone(lag()), stop=0.3, record="part.v", **FIXED)


def test_a_change_reaches_through_a_junction():
    def capacitor():
        return dv.Dynamic(
            states={"v": 1.0},
            inputs={"i": 0.0},
            outputs=["v"],
            parameters={"leak": 0.0},
            derivatives=lambda t, x, u, p: [u.i - p.leak * x.v],
            ports={"pin": dv.Port("electrical", effort="v", flow="i")},
        )

    system = dv.System("joined")
    system.add("a", capacitor())
    system.add("b", capacitor())
    system.join("a.pin", "b.pin")
    with dv.Session(system, stop=1.0, controller=dv.FixedStep(0.05), quiet=True) as session:
        while session.time < 0.49:
            session.advance()
        session.set("a.leak", 1.0)
        with pytest.raises(dv.OptionError, match=r"'a\.i' is fed by a junction"):
            session.set("a.i", 1.0)
        result = session.run()
    assert result["b.v"][-1] == pytest.approx(exp(-0.25), abs=1e-4)


def test_the_drawing_keeps_its_models():
    model = lag()
    system = scheduled(model)
    assert system.parts["part"].model is model
    assert [v.name for v in system.parts["part"].description.inputs] == ["u", "k"]
    assert [v.name for v in model.description.inputs] == ["u"]
    with pytest.raises(dv.DrawingError, match=r"'part\.k' is fed by 'schedule\.k' already"):
        system.connect("schedule.k", "part.k")
    with pytest.raises(dv.DrawingError, match="It is an output; connect outputs to inputs"):
        system.connect("schedule.k", "part.x")


def test_a_model_is_replaced_with_its_connected_parameters():
    system = scheduled(lag())
    system.replace("part", VECTOR)
    result = dv.simulate(system, stop=1.0, **FIXED)
    assert result["part.x"] == pytest.approx([exact(v) for v in result.time], abs=2e-5)
    other = dv.Dynamic(
        states={"x": 0.0},
        inputs={"u": 1.0},
        outputs={"x": 0.0, "kx": 0.0},
        derivatives=lambda t, x, u, p: [0.0],
        output=lambda t, x, u, p: [0.0, 0.0],
    )
    with pytest.raises(dv.DrawingError, match=r"does not fit: 'part\.k' is not an input of 'part'"):
        system.replace("part", other)


def test_tables_do_not_feed_sources():
    system = dv.System("refused")
    system.add("schedule", SCHEDULE)
    wave = dv.Source(outputs=["y"], parameters={"a": 1.0}, function=lambda t, p: [p.a])
    system.add("wave", wave)
    with pytest.raises(dv.DrawingError, match="parameters of a Source take no connections"):
        system.connect("schedule.k", "wave.a")


@pytest.mark.parametrize("controller", [dv.FixedStep(0.1), dv.StepDoubling(1e-6, 1e-6)])
def test_a_resumed_run_knows_what_was_set(tmp_path, controller):
    system = _alone(lag())
    options = {"quiet": True, "controller": controller}
    with dv.Session(system, stop=1.0, **options) as session:
        while session.time < 0.3:
            session.advance()
        session.set("part.k", 3.0)
        session.set("part.u", 0.5)
        session.advance()
        session.checkpoint(tmp_path / "c")
        whole = session.run()
    resumed = dv.Session(system, stop=1.0, resume=tmp_path / "c", **options).run()
    assert np.array_equal(whole["part.x"], resumed["part.x"])
    assert whole.changes == resumed.changes
    assert resumed.changes[1].before == 1.0
    resumed.save(tmp_path / "run.parquet")
    assert read(tmp_path / "run.parquet").changes == whole.changes


def test_a_change_at_the_start_and_none_at_the_end():
    with dv.Session(_alone(lag()), stop=0.2, **FIXED) as session:
        session.set("part.k", 3.0)
        first = session.advance()[0]
        assert first.before.outputs.reals.tolist() == [0.0, 0.0]
        session.advance()
        with pytest.raises(dv.OptionError, match="at its end"):
            session.set("part.k", 1.0)
        result = session.run()
    assert result.time.tolist() == pytest.approx([0.0, 0.0, 0.1, 0.2])
    assert result["part.x"][-1] == pytest.approx(3 * (1 - exp(-0.2)), abs=1e-6)


def _alone(model, **values):
    system = dv.System("alone")
    system.add("part", model, **values)
    return system
