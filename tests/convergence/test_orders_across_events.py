"""A relay in one part, a plant in another, a sampled controller between: the order survives."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.optimize import brentq

import dovetail as dv

STOP, PERIOD, HIGH, LOW = 3.0, 0.4, 0.6, -0.35


A = np.array([[-1.0, 0.5], [1.0, -2.0]])


@cache
def exact():
    """x' = -x + w/2 + 1.5 s + c, w' = x - 2 w, in closed form from event to event."""
    t, state, s, held, switched = 0.0, np.zeros(2), 1.0, 0.0, []
    samples = 1
    while t < STOP:
        rest = -np.linalg.solve(A, np.array([1.5 * s - 0.4 * held, 0.0]))
        limit, start, begun = HIGH if s > 0 else LOW, t, state

        def at(time, rest=rest, start=start, begun=begun):
            return rest + expm(A * (time - start)) @ (begun - rest)

        stop = min(samples * PERIOD, STOP)
        crosses = s * (at(stop)[0] - limit) > 0
        if crosses:
            stop = brentq(lambda time, at=at, limit=limit: at(time)[0] - limit, t, stop, xtol=1e-15)
        t, state = stop, at(stop)
        if crosses:
            s = -s
            switched.append(t)
        if t == samples * PERIOD:
            held, samples = state[0], samples + 1
    return state, switched


def plant():
    return dv.Dynamic(
        states={"x": 0.0},
        inputs={"s": 1.0, "c": 0.0, "w": 0.0},
        outputs=["x"],
        derivatives=lambda t, x, u, p: [-x.x + 0.5 * u.w + 1.5 * u.s + u.c],
        rtol=1e-11,
        atol=1e-12,
    )


def tank():
    return dv.Dynamic(
        states={"w": 0.0},
        inputs=["x"],
        outputs=["w"],
        derivatives=lambda t, x, u, p: [u.x - 2 * x.w],
        rtol=1e-11,
        atol=1e-12,
    )


def relay():
    return dv.Dynamic(
        states={"s": 1.0},
        inputs=["x"],
        outputs=["s"],
        derivatives=lambda t, x, u, p: [0.0],
        zero_crossings=lambda t, x, u, p: [u.x - (HIGH if x.s > 0 else LOW)],
        on_event=lambda which, t, x, u, p: {"s": -x.s},
        rtol=1e-11,
        atol=1e-12,
    )


def hysteresis(t, x, u, p):
    return [-1.0 if (x.s > 0 and u.x > HIGH) else 1.0 if (x.s < 0 and u.x < LOW) else x.s]


def polled_relay(size):
    """The same relay, which looks at its input once a window and tells nobody."""
    return dv.Discrete(
        period=size,
        states={"s": 1.0},
        inputs=["x"],
        outputs=["s"],
        output=hysteresis,
        update=hysteresis,
    )


def sampler():
    return dv.Discrete(
        period=PERIOD,
        offset=PERIOD,
        inputs=["x"],
        outputs=["c"],
        output=lambda t, x, u, p: [-0.4 * u.x if t > 0 else 0.0],
    )


def system(switch):
    drawing = dv.System("relay")
    drawing.add("plant", plant())
    drawing.add("relay", switch)
    drawing.add("tank", tank())
    drawing.add("sampler", sampler())
    drawing.connect("relay.s", "plant.s")
    drawing.connect("sampler.c", "plant.c")
    drawing.connect("plant.x", "relay.x")
    drawing.connect("plant.x", "sampler.x")
    drawing.connect("plant.x", "tank.x")
    drawing.connect("tank.w", "plant.w")
    return drawing


def measured(draw, algorithm, sizes, names=("relay.s", "plant.x", "tank.w")):
    """How far the final states are off, and how late the relay switched; `names` of the three."""
    (x, w), switched = exact()
    switch, plant_x, tank_w = names
    found = []
    for size in sizes:
        result = dv.simulate(
            draw(size),
            stop=STOP,
            algorithm=algorithm,
            controller=dv.FixedStep(size),
            rtol=1e-12,
            atol=1e-13,
            quiet=True,
        )
        jumps = np.flatnonzero(np.diff(result[switch])) + 1
        late = np.abs(result.time[jumps] - switched).max()  # as many, or it fails
        off = max(abs(result[plant_x][-1] - x), abs(result[tank_w][-1] - w))
        found.append((off, late))
    return np.array(found)


def errors(make, algorithm, sizes):
    return measured(lambda size: system(make(size)), algorithm, sizes)


def order(values, sizes):
    return np.polyfit(np.log(sizes), np.log(values), 1)[0]


SIZES = np.array([0.08, 0.04, 0.02])
RAMPS = dv.GaussSeidel(50, inputs="ramp")


@cache
def handled(algorithm):
    """Errors with a relay that tells its events."""
    return errors(lambda size: relay(), algorithm, SIZES)


def test_there_is_something_to_find():
    assert len(exact()[1]) >= 3


@pytest.mark.parametrize(
    "algorithm",
    [RAMPS, dv.Iterative(), dv.Newton(inputs="ramp")],
    ids=lambda a: type(a).__name__,
)
def test_second_order_on_both_sides_of_every_event(algorithm):
    """State and event times: with ramps between the plant and its tank, both are O(h^2) off."""
    found = handled(algorithm)
    assert order(found[:, 0], SIZES) == pytest.approx(2.0, abs=0.2)
    assert order(found[:, 1], SIZES) == pytest.approx(2.0, abs=0.2)
    assert found[-1].max() < 8e-5


def test_without_events_the_order_drops_to_one():
    """A relay that is polled once a window switches up to a window late, whatever the method."""
    polled = errors(polled_relay, RAMPS, SIZES)
    assert np.all(polled[:, 1] > 0.3 * SIZES)
    assert np.all(polled > 20 * handled(RAMPS))
