"""Chemical reactors and what controls them."""

from __future__ import annotations

from math import exp, sin

from truth.parts import lag
from truth.problem import TIGHT, problem

import dovetail as dv


@problem(20.0, 0.5, 0.2, 0.1)
def reactor() -> dv.System:
    """A stirred tank with an exothermic reaction, cooled by a jacket with a PI controller."""
    tank = dv.Dynamic(
        states={"c": 0.9, "T": 1.0},
        inputs=["q"],
        outputs=["T", "c"],
        derivatives=lambda t, s, u, p: [
            1.0 - s.c - s.c * exp(3.0 * (s.T - 1.2)),
            0.9 - s.T + 1.1 * s.c * exp(3.0 * (s.T - 1.2)) - u.q,
        ],
        **TIGHT,
    )
    jacket = dv.Dynamic(
        states={"Tj": 0.8},
        inputs=["T", "flow"],
        outputs=["q"],
        derivatives=lambda t, s, u, p: [2.0 * (u.T - s.Tj) + 3.0 * u.flow * (0.5 - s.Tj)],
        output=lambda t, s, u, p: [2.0 * (u.T - s.Tj)],
        **TIGHT,
    )
    controller = dv.Dynamic(
        states={"i": 0.0},
        inputs=["T"],
        outputs=["flow"],
        derivatives=lambda t, s, u, p: [u.T - 1.0 - 0.2 * sin(0.5 * t)],
        output=lambda t, s, u, p: [max(0.0, 4.0 * (u.T - 1.0 - 0.2 * sin(0.5 * t)) + 2.0 * s.i)],
        **TIGHT,
    )
    s = dv.System("reactor")
    s.add("tank", tank)
    s.add("jacket", jacket)
    s.add("controller", controller)
    s.connect("tank.T", "jacket.T")
    s.connect("tank.T", "controller.T")
    s.connect("controller.flow", "jacket.flow")
    s.connect("jacket.q", "tank.q")
    return s


@problem(12.0, 0.3, 0.15, 0.06)
def brusselator() -> dv.System:
    """An autocatalytic reaction, its two substances in two parts."""
    one = dv.Dynamic(
        states={"x": 1.2},
        inputs={"y": 3.0},
        outputs=["x"],
        derivatives=lambda t, s, u, p: [1.0 + s.x**2 * u.y - 4.0 * s.x],
        **TIGHT,
    )
    two = dv.Dynamic(
        states={"y": 3.0},
        inputs={"x": 1.2},
        outputs=["y"],
        derivatives=lambda t, s, u, p: [3.0 * u.x - u.x**2 * s.y],
        **TIGHT,
    )
    s = dv.System("brusselator")
    s.add("one", one)
    s.add("two", two)
    s.connect("one.x", "two.x")
    s.connect("two.y", "one.y")
    return s


@problem(15.0, 0.5, 0.25, 0.1)
def delay_line() -> dv.System:
    """A controller around a pipe: six lags in a row, which is nearly a delay."""

    line = dv.Dynamic(
        states={"z": [0.0] * 6},
        inputs=["u"],
        outputs=["y"],
        derivatives=lambda t, x, u, p: [
            6.0 * (b - a) for b, a in zip([u[0], *x[:5]], x, strict=True)
        ],
        output=lambda t, x, u, p: [x[5]],
        feedthrough={"y": []},
        vector=True,
        **TIGHT,
    )
    controller = dv.Dynamic(
        states={"i": 0.0},
        inputs=["y"],
        outputs=["u"],
        derivatives=lambda t, s, u, p: [0.5 * (1.0 + 0.3 * sin(0.7 * t) - u.y)],
        output=lambda t, s, u, p: [0.4 * (1.0 + 0.3 * sin(0.7 * t) - u.y) + s.i],
        **TIGHT,
    )
    s = dv.System("delay line")
    s.add("line", line)
    s.add("controller", controller)
    s.add("valve", lag(4.0))
    s.connect("controller.u", "valve.u")
    s.connect("valve.y", "line.u")
    s.connect("line.y", "controller.y")
    return s
