"""Backlash, contact and friction: forces that set in."""

from __future__ import annotations

from math import sin, tanh

from truth.parts import between_two, mass, spring
from truth.problem import TIGHT, problem

import dovetail as dv


@problem(6.0, 0.1, 0.04, 0.02)
def backlash() -> dv.System:
    """A motor and a load behind a gap."""
    s = dv.System("backlash")
    motor = dv.Dynamic(
        states={"x": 0.0, "v": 0.0},
        inputs=["f"],
        outputs=["x", "v"],
        derivatives=lambda t, s, u, p: [s.v, 4.0 * sin(2.0 * t) + u.f - 0.5 * s.v],
        **TIGHT,
    )
    s.add("motor", motor)
    s.add("load", mass(2.0, d=0.4))
    between_two(s, "gap", "motor", "load", spring(300.0, 0.5, gap=0.1))
    s.connect("gap.f1", "motor.f")
    s.connect("gap.f2", "load.f")
    return s


@problem(2.0, 0.04, 0.02, 0.008)
def contact() -> dv.System:
    """A ball that falls onto a soft floor with a mass of its own."""

    def push(t, u, p):
        f = 2000.0 * max(u.x2 - u.x1, 0.0) ** 1.5
        return [f, -f]

    s = dv.System("contact")
    ball = dv.Dynamic(
        states={"x": 1.0, "v": 0.0},
        inputs=["f"],
        outputs=["x", "v"],
        derivatives=lambda t, s, u, p: [s.v, -9.81 + u.f],
        **TIGHT,
    )
    s.add("ball", ball)
    s.add("floor", mass(5.0, k=3000.0, d=20.0))
    touch = dv.Algebraic(inputs=["x1", "v1", "x2", "v2"], outputs=["f1", "f2"], function=push)
    between_two(s, "touch", "ball", "floor", touch)
    s.connect("touch.f1", "ball.f")
    s.connect("touch.f2", "floor.f")
    return s


@problem(8.0, 0.16, 0.08, 0.04)
def friction() -> dv.System:
    """A mass dragged over a moving belt by a spring: it sticks and slips."""

    def drag(t, u, p):
        slip = u.v1 - u.v2
        f = -(1.0 + 1.5 / (1.0 + 4.0 * slip**2)) * tanh(8.0 * slip)
        return [f, -f]

    s = dv.System("friction")
    s.add("block", mass(1.0, k=2.0, d=0.05))
    s.add("belt", mass(3.0, v=0.6, d=0.1))
    law = dv.Algebraic(inputs=["x1", "v1", "x2", "v2"], outputs=["f1", "f2"], function=drag)
    between_two(s, "slip", "block", "belt", law)
    s.connect("slip.f1", "block.f")
    s.connect("slip.f2", "belt.f")
    return s


@problem(3.0, 0.06, 0.03, 0.015)
def hammer() -> dv.System:
    """A hammer against a hard and damped stop on a beam."""

    def push(t, u, p):
        depth, speed = u.x1 - u.x2 - 0.2, u.v1 - u.v2
        f = max(0.0, 800.0 * depth + 20.0 * depth * speed) if depth > 0 else 0.0
        return [-f, f]

    s = dv.System("hammer")
    s.add("hammer", mass(1.0, v=1.5, k=4.0))
    s.add("beam", mass(4.0, k=300.0, d=6.0))
    stop = dv.Algebraic(inputs=["x1", "v1", "x2", "v2"], outputs=["f1", "f2"], function=push)
    between_two(s, "stop", "hammer", "beam", stop)
    s.connect("stop.f1", "hammer.f")
    s.connect("stop.f2", "beam.f")
    return s
