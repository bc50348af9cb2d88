"""One model as a system of parts: the surface, rates, errors, and what is refused."""

from itertools import pairwise
from math import log2

import exchanger
import numpy as np
import pytest

import dovetail as dv

BOUNCE_AND_PITCH = {"bounce": ["zdot", "z"], "pitch": ["thetadot", "theta"]}
TIGHT = {"rtol": 1e-11, "atol": 1e-12}


def patterned(n, **options):
    A, _ = exchanger.matrix(n)
    return exchanger.exchanger(n, pattern=A != 0, **options)


def orders(errors):
    return [log2(a / b) for a, b in pairwise(errors)]


@pytest.mark.parametrize(
    ("algorithm", "order"),
    [
        (dv.Jacobi(), 1),
        (dv.GaussSeidel(), 1),
        (dv.GaussSeidel(max_iterations=30, inputs="ramp", rtol=1e-12, atol=1e-12), 2),
        (dv.Newton(inputs="ramp", rtol=1e-12, atol=1e-12), 2),
    ],
    ids=["jacobi", "gauss-seidel", "iterated", "newton"],
)
def test_a_split_half_car_agrees_with_the_whole_to_the_order_of_the_coupling(algorithm, order):
    system = dv.split(exchanger.half_car(), BOUNCE_AND_PITCH, **TIGHT)
    errors = [
        system.deviation(0.5, controller=dv.FixedStep(h), algorithm=algorithm).largest
        for h in (0.01, 0.005)
    ]
    assert orders(errors)[-1] == pytest.approx(order, abs=0.15)


@pytest.mark.parametrize(
    ("algorithm", "order"),
    [
        (dv.GaussSeidel(), 1),
        (dv.GaussSeidel(max_iterations=30, inputs="ramp", rtol=1e-12, atol=1e-12), 2),
    ],
    ids=["once", "iterated"],
)
def test_a_split_exchanger_of_two_rates_agrees_to_the_order_of_the_coupling(algorithm, order):
    model = patterned(5)
    cut = dv.analyze(model, 1.0).partition(0.04)
    assert cut.fast == tuple(f"Ta[{i}]" for i in range(1, 6))
    errors = []
    for size in (0.005, 0.0025):
        system = dv.split(model, cut, windows={"fast": size / 4}, **TIGHT)
        run = {"controller": dv.FixedStep(size), "algorithm": algorithm}
        errors.append(system.deviation(0.2, **run).largest)
    assert orders(errors)[-1] == pytest.approx(order, abs=0.25)


def test_a_split_half_car_with_its_fast_state_at_a_finer_rate_agrees_too():
    cut = dv.analyze(exchanger.half_car(), 0.5, "published").partition(0.04)
    errors = []
    for size in (0.01, 0.005):
        system = dv.split(exchanger.half_car(), cut, windows={"fast": size / 5}, **TIGHT)
        algorithm = dv.GaussSeidel(max_iterations=30, inputs="ramp", rtol=1e-12, atol=1e-12)
        run = {"controller": dv.FixedStep(size), "algorithm": algorithm}
        errors.append(system.deviation(0.5, **run).largest)
    assert orders(errors)[-1] == pytest.approx(2, abs=0.2)


def test_the_error_against_the_whole_is_told():
    system = dv.split(exchanger.half_car(), BOUNCE_AND_PITCH)
    found = system.deviation(1.0, controller=dv.FixedStep(0.02), algorithm=dv.GaussSeidel())
    assert found.largest == max(found.errors.values()) == found.errors[found.worst]
    assert set(found.errors) == set(exchanger.CAR)
    assert str(found) == f"at most {found.largest:.3g} of its range, in '{found.worst}'"


def test_parts_read_only_what_the_pattern_says():
    system = dv.split(patterned(3), {"a": ["Ta"], "w": ["Tw"], "b": ["Tb"]})
    inputs = {name: {v.name for v in p.description.inputs} for name, p in system.parts.items()}
    assert inputs["a"] == {"Tw[1]", "Tw[2]", "Tw[3]"}
    assert inputs["b"] == {"Tw[1]", "Tw[2]", "Tw[3]"}
    assert inputs["w"] == {f"T{s}[{i}]" for s in "ab" for i in (1, 2, 3)}
    assert len(system.connections) == 12


def test_without_a_pattern_parts_read_everything():
    system = dv.split(exchanger.half_car(), BOUNCE_AND_PITCH)
    assert {v.name for v in system.parts["bounce"].description.inputs} == {"thetadot", "theta"}


def test_streams_that_meet_only_at_the_wall_can_run_in_parallel():
    analysis = dv.analyze(patterned(4), 1.0)
    cut = analysis.partition(0.04)
    assert sum(len(block) for block in cut.blocks) == 12
    near = abs(analysis.jacobians[0]) + abs(analysis.jacobians[0]).T
    place = {name: k for k, name in enumerate(analysis.names)}
    for group in cut.parallel:
        for first in group:
            for second in group:
                if first < second:
                    rows = [place[s] for s in cut.blocks[first]]
                    columns = [place[s] for s in cut.blocks[second]]
                    assert near.toarray()[np.ix_(rows, columns)].max() * 0.04 < 5


def test_groups_of_one_window_exchange_inside_it():
    system = dv.split(
        patterned(3), {"a": ["Ta"], "w": ["Tw"], "b": ["Tb"]}, windows={"a": 0.001, "w": 0.001}
    )
    assert set(system.parts) == {"b", "a_w"}
    nested = system.parts["a_w"].model
    assert isinstance(nested, dv.Nested)
    assert set(nested.system.parts) == {"a", "w"}
    algorithm = dv.GaussSeidel(max_iterations=30, inputs="ramp")
    error = system.deviation(0.1, controller=dv.FixedStep(0.01), algorithm=algorithm)
    assert error.largest < 0.01


def test_a_model_with_inputs_and_parameters_keeps_them():
    tank = dv.Dynamic(
        states={"a": 1.0, "b": 0.0},
        inputs={"feed": 0.5, "open": True},
        outputs=["a", "b"],
        parameters={"k": 1.0},
        derivatives=lambda t, x, u, p: [
            u.feed * u.open - p.k * x.a,
            p.k * x.a - 2 * x.b,
        ],
    )
    system = dv.split(tank, [["a"], ["b"]], values={"k": 3.0, "a": 2.0}, **TIGHT)
    assert {v.name for v in system.parts["block1"].description.inputs} == {"feed", "open", "b"}
    system.add("source", dv.Source(outputs=["y"], function=lambda t, p: [1.0]))
    system.connect("source.y", "block1.feed")
    run = {"controller": dv.FixedStep(0.01), "quiet": True}
    result = dv.simulate(system, stop=1.0, **run)
    exact = 1 / 3 + (2 - 1 / 3) * np.exp(-3 * result.time)
    assert np.asarray(result["block1.a"]) == pytest.approx(exact, abs=1e-8)


def test_implicit_and_explicit_solvers_can_be_given_by_group():
    model = patterned(5)
    cut = dv.analyze(model, 1.0).partition(0.04)
    system = dv.split(model, cut, solver={"fast": "radau", "slow": "heun"}, step={"slow": 0.01})
    run = {"controller": dv.FixedStep(0.01), "algorithm": dv.GaussSeidel()}
    assert system.deviation(0.5, **run).largest < 0.05


def test_a_split_system_can_be_checkpointed(tmp_path):
    system = dv.split(exchanger.half_car(), BOUNCE_AND_PITCH)
    run = {"stop": 1.0, "controller": dv.FixedStep(0.05), "quiet": True}
    whole = dv.simulate(system, **run)
    with dv.Session(system, **run) as session:
        while session.time < 0.5:
            session.advance()
        session.checkpoint(tmp_path / "half")
    rest = dv.simulate(system, resume=tmp_path / "half", **run)
    assert rest.final == whole.final


# Events


def falling(on_event, **more):
    return dv.Dynamic(
        states={"h": 1.0, "v": 0.0},
        outputs=["h", "v"],
        derivatives=lambda t, x, u, p: [x.v, -9.81],
        zero_crossings=lambda t, x, u, p: [x.h],
        on_event=on_event,
        **more,
    )


def alone(model):
    system = dv.System("alone")
    system.add("ball", model)
    return system


def instants(result):
    time = np.asarray(result.time)
    return time[1:][np.diff(time) == 0]


BOUNCING = falling(lambda which, t, x, u, p: {"v": -x.v})
THROWN = falling(lambda which, t, x, u, p: {"h": 0.0, "v": -x.v})
ITERATED = dv.GaussSeidel(max_iterations=30, inputs="ramp", rtol=1e-10, atol=1e-10)


def test_an_event_is_found_by_the_part_whose_state_jumps():
    """Its height comes to the velocity's part as an input, exact for a parabola's slope."""
    system = dv.split(BOUNCING, {"high": ["h"], "quick": ["v"]}, **TIGHT)
    assert [p.model.events for p in system.parts.values()] == [(), (0,)]
    assert system.parts["quick"].description.capabilities.has_events
    run = {"controller": dv.FixedStep(0.01), "algorithm": ITERATED, "quiet": True}
    result = dv.simulate(system, stop=1.6, **run)
    fall = np.sqrt(2 / 9.81)
    assert instants(result) == pytest.approx([fall, 3 * fall], abs=1e-6)
    assert np.asarray(result["high.h"]).min() > -1e-9
    assert system.deviation(0.4, **run).largest < 1e-6


@pytest.mark.parametrize("windows", [None, {"coil": 0.02}], ids=["one rate", "two rates"])
def test_events_of_a_split_thermostat_converge_to_those_of_the_whole(windows):
    heater = dv.Dynamic(
        states={"room": 15.0, "coil": 15.0, "on": 1.0},
        outputs=["room", "coil", "on"],
        derivatives=lambda t, x, u, p: [
            0.1 * (x.coil - x.room) - 0.05 * (x.room - 5),
            5 * (80 * x.on + 15 * (1 - x.on) - x.coil),
            0.0,
        ],
        zero_crossings=lambda t, x, u, p: [x.room - 21, x.room - 19],
        on_event=lambda which, t, x, u, p: {"on": 0.0 if which == 0 else 1.0},
        rtol=1e-9,
    )
    exact = instants(dv.simulate(alone(heater), stop=2.0, controller=dv.FixedStep(0.1), quiet=True))
    assert len(exact) >= 2
    errors = []
    for size in (0.1, 0.05, 0.025):
        chosen = {name: w * size / 0.1 for name, w in (windows or {}).items()}
        groups = {"room": ["room"], "coil": ["coil", "on"]}
        system = dv.split(heater, groups, windows=chosen, **TIGHT)
        run = {"controller": dv.FixedStep(size), "algorithm": ITERATED, "quiet": True}
        found = instants(dv.simulate(system, stop=2.0, **run))
        errors.append(np.abs(found[: len(exact)] - exact).max())
    assert errors[-1] < 2e-3
    assert errors[2] < 0.7 * errors[1] < 0.49 * errors[0]


def test_a_jump_that_reaches_into_another_part_later_is_told():
    def on_event(which, t, x, u, p):
        return {"v": -x.v} if t < 1 else {"h": 0.1}

    system = dv.split(falling(on_event), {"high": ["h"], "quick": ["v"]}, **TIGHT)
    run = {"controller": dv.FixedStep(0.01), "algorithm": ITERATED, "quiet": True}
    with pytest.raises(dv.PartFailed, match="event 0 of the model moves 'h', which is a state of"):
        dv.simulate(system, stop=1.6, **run)


@pytest.mark.parametrize(
    ("model", "groups", "more", "told"),
    [
        (exchanger.half_car(), {"a": ["zdot"]}, {}, "'z' and 2 more is in no group"),
        (
            exchanger.half_car(),
            {"a": ["zdut"]},
            {},
            "'zdut' is no state of the model. Did you mean 'zdot'?",
        ),
        (exchanger.half_car(), [["z", "zdot"], ["z"]], {}, "'z' is in 'block1' and in 'block2'"),
        (exchanger.half_car(), {"a": "z"}, {}, "must be a list of states"),
        (exchanger.half_car(), {"a": 3}, {}, "must be a list of states, not 3"),
        (exchanger.half_car(), None, {}, "groups must be lists of states by name"),
        (
            exchanger.half_car(),
            BOUNCE_AND_PITCH,
            {"windows": 0.1},
            "windows must be sizes by group",
        ),
        (exchanger.half_car(), {"a": exchanger.CAR, "b": []}, {}, "group 'b' has no states"),
        (
            exchanger.half_car(),
            BOUNCE_AND_PITCH,
            {"windows": {"bunce": 0.1}},
            "'bunce', which is not a group. Did you mean 'bounce'?",
        ),
        (exchanger.half_car(), BOUNCE_AND_PITCH, {"windows": {"pitch": 0}}, "must be above zero"),
        (exchanger.half_car(), BOUNCE_AND_PITCH, {"values": {"y": 0}}, "'y' is no parameter"),
        (
            THROWN,
            {"high": ["h"], "quick": ["v"]},
            {},
            "event 0 moves 'h' of 'high' and 'v' of 'quick'; put states that jump together",
        ),
        (dv.merge(alone(BOUNCING)), [["ball.h"], ["ball.v"]], {}, "it has events of its own"),
        (
            dv.Algebraic(inputs=["a"], outputs=["b"], function=lambda t, u, p: [u.a]),
            [["b"]],
            {},
            "cannot be split: it has no continuous states",
        ),
        (np.eye(2), [["x1"]], {}, "a model is needed to split"),
    ],
)
def test_what_cannot_be_split_is_told(model, groups, more, told):
    with pytest.raises(dv.InputError) as caught:
        dv.split(model, groups, **more)
    assert told in str(caught.value)
