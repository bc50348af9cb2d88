"""Sampled controllers of continuous plants."""

from __future__ import annotations

from math import sin

from truth.parts import between_two, lag, mass, spring
from truth.problem import problem

import dovetail as dv


def _controller(period: float, kp: float, ki: float, wanted) -> dv.Discrete:
    return dv.Discrete(
        period=period,
        states={"i": 0.0},
        inputs=["y"],
        outputs=["u"],
        output=lambda t, x, u, p: [kp * (wanted(t) - u.y) + x.i],
        update=lambda t, x, u, p: [x.i + ki * period * (wanted(t) - u.y)],
    )


@problem(6.0, 0.2, 0.1, 0.05)
def sampled_control() -> dv.System:
    """A PI controller at 5 Hz of two lags in a row."""
    s = dv.System("sampled control")
    s.add("controller", _controller(0.2, 1.5, 1.0, lambda t: 1.0))
    s.add("valve", lag(5.0))
    s.add("tank", lag(0.8))
    s.connect("controller.u", "valve.u")
    s.connect("valve.y", "tank.u")
    s.connect("tank.y", "controller.y")
    return s


@problem(6.0, 0.2, 0.1, 0.05)
def two_samplers() -> dv.System:
    """An outer controller at 2.5 Hz, an inner one at 5 Hz, a plant that swings."""
    s = dv.System("two samplers")
    s.add("outer", _controller(0.4, 0.6, 0.3, lambda t: sin(0.8 * t)))
    inner = dv.Discrete(
        period=0.2,
        inputs=["wanted", "v"],
        outputs=["f"],
        output=lambda t, x, u, p: [3.0 * (u.wanted - u.v)],
    )
    s.add("inner", inner)
    s.add("a", mass(1.0, k=1.0, d=0.2))
    s.add("b", mass(0.5, d=0.3))
    between_two(s, "s", "a", "b", spring(6.0, 0.1))
    s.connect("s.f1", "a.f")
    s.connect("s.f2", "b.f")
    s.connect("a.x", "outer.y")
    s.connect("outer.u", "inner.wanted")
    s.connect("a.v", "inner.v")
    s.connect("inner.f", "a.g")
    return s
