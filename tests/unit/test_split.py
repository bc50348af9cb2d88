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
        system.deviation(1.0, controller=dv.FixedStep(h), algorithm=algorithm).largest
        for h in (0.02, 0.01, 0.005)
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
    for size in (0.01, 0.005, 0.0025):
        system = dv.split(model, cut, windows={"fast": size / 4}, **TIGHT)
        run = {"controller": dv.FixedStep(size), "algorithm": algorithm}
        errors.append(system.deviation(0.2, **run).largest)
    assert orders(errors)[-1] == pytest.approx(order, abs=0.25)


def test_a_split_half_car_with_its_fast_state_at_a_finer_rate_agrees_too():
    cut = dv.analyze(exchanger.half_car(), 0.5, "published").partition(0.04)
    errors = []
    for size in (0.02, 0.01, 0.005):
        system = dv.split(exchanger.half_car(), cut, windows={"fast": size / 5}, **TIGHT)
        algorithm = dv.GaussSeidel(max_iterations=30, inputs="ramp", rtol=1e-12, atol=1e-12)
        run = {"controller": dv.FixedStep(size), "algorithm": algorithm}
        errors.append(system.deviation(1.0, **run).largest)
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


BOUNCING = dv.Dynamic(
    states={"h": 1.0, "v": 0.0},
    outputs=["h"],
    derivatives=lambda t, x, u, p: [x.v, -9.81],
    zero_crossings=lambda t, x, u, p: [x.h],
    on_event=lambda which, t, x, u, p: {"v": -x.v},
)


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
            "'bunce', which is no group. Did you mean 'bounce'?",
        ),
        (exchanger.half_car(), BOUNCE_AND_PITCH, {"windows": {"pitch": 0}}, "must be above zero"),
        (exchanger.half_car(), BOUNCE_AND_PITCH, {"values": {"y": 0}}, "'y' is no parameter"),
        (BOUNCING, [["h"], ["v"]], {}, "cannot be split: it has events"),
        (
            dv.Algebraic(inputs=["a"], outputs=["b"], function=lambda t, u, p: [u.a]),
            [["b"]],
            {},
            "cannot be split: it shows no states",
        ),
        (np.eye(2), [["x1"]], {}, "a model is needed to split"),
    ],
)
def test_what_cannot_be_split_is_told(model, groups, more, told):
    with pytest.raises(dv.InputError) as caught:
        dv.split(model, groups, **more)
    assert told in str(caught.value)
