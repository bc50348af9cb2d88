"""Masses, springs and pendulums."""

from __future__ import annotations

from math import cos, sin

from truth.parts import between_two, mass, source, spring
from truth.problem import TIGHT, problem

import dovetail as dv


@problem(10.0, 0.2, 0.08, 0.02)
def two_masses() -> dv.System:
    s = dv.System("two masses")
    s.add("a", mass(1.0, x=1.0, k=1.0, d=0.1))
    s.add("b", mass(2.0, k=3.0, d=0.05))
    between_two(s, "s", "a", "b", spring(2.0, 0.1))
    s.connect("s.f1", "a.f")
    s.connect("s.f2", "b.f")
    return s


@problem(0.05, 2e-3, 5e-4, 2e-4)
def stiff_pair() -> dv.System:
    """A light mass behind a stiff spring: held position and velocity contradict each other."""
    light = dv.Dynamic(
        states={"x": 0.0, "v": 0.0},
        inputs=["x1", "v1"],
        outputs=["f"],
        derivatives=lambda t, s, u, p: [
            s.v,
            (1e6 * (u.x1 - s.x) + 1e3 * (u.v1 - s.v) - 50.0 * s.v) / 0.01,
        ],
        output=lambda t, s, u, p: [1e6 * (s.x - u.x1) + 1e3 * (s.v - u.v1)],
        solver="cvode",
        **TIGHT,
    )
    s = dv.System("stiff pair")
    s.add("heavy", mass(1.0, v=1.0, k=1e4))
    s.add("light", light)
    s.connect("heavy.x", "light.x1")
    s.connect("heavy.v", "light.v1")
    s.connect("light.f", "heavy.f")
    return s


@problem(5.0, 0.1, 0.04, 0.02)
def pendulum() -> dv.System:
    """Two pendulums on a common cart."""

    def arm(angle: float) -> dv.Dynamic:
        return dv.Dynamic(
            states={"a": angle, "w": 0.0},
            inputs=["v"],
            outputs=["f"],
            derivatives=lambda t, s, u, p: [
                s.w,
                -9.81 * sin(s.a) - 2.0 * (u.v * cos(s.a) + 0.1 * s.w),
            ],
            output=lambda t, s, u, p: [3.0 * sin(s.a)],
            **TIGHT,
        )

    s = dv.System("pendulum")
    s.add("cart", mass(1.5, k=20.0, d=0.3))
    s.add("left", arm(1.2))
    s.add("right", arm(-0.4))
    s.connect("cart.v", "left.v")
    s.connect("cart.v", "right.v")
    s.connect("left.f", "cart.f")
    s.connect("right.f", "cart.g")
    return s


@problem(4.0, 0.08, 0.04, 0.02)
def double_pendulum() -> dv.System:
    """Two arms with a torsion spring between them, swinging far enough to be nonlinear."""

    def arm(length: float, angle: float) -> dv.Dynamic:
        return dv.Dynamic(
            states={"x": angle, "v": 0.0},
            inputs=["f"],
            outputs=["x", "v"],
            derivatives=lambda t, s, u, p: [s.v, -9.81 / length * sin(s.x) + u.f / length**2],
            **TIGHT,
        )

    s = dv.System("double pendulum")
    s.add("upper", arm(1.0, 1.6))
    s.add("lower", arm(0.6, -0.5))
    between_two(s, "joint", "upper", "lower", spring(4.0, 0.05))
    s.connect("joint.f1", "upper.f")
    s.connect("joint.f2", "lower.f")
    return s


@problem(6.0, 0.12, 0.06, 0.03)
def chain() -> dv.System:
    """Four masses in a row, each with the spring to its left inside."""
    s = dv.System("chain")
    for n in range(4):
        k = 3.0 + n
        part = dv.Dynamic(
            states={"x": 1.0 if n == 0 else 0.0, "v": 0.0},
            inputs=["left", "pulled"],
            outputs=["x", "f"],
            derivatives=lambda t, s, u, p, k=k: [s.v, k * (u.left - s.x) - u.pulled - 0.1 * s.v],
            output=lambda t, s, u, p, k=k: [s.x, k * (s.x - u.left)],
            feedthrough={"x": [], "f": ["left"]},
            **TIGHT,
        )
        s.add(f"m{n}", part)
        if n:
            s.connect(f"m{n - 1}.x", f"m{n}.left")
            s.connect(f"m{n}.f", f"m{n - 1}.pulled")
    return s


@problem(3.0, 0.06, 0.03, 0.01)
def quarter_car() -> dv.System:
    """A body on a wheel on an uneven road: 1 Hz against 10 Hz."""
    wheel = dv.Dynamic(
        states={"x": 0.0, "v": 0.0},
        inputs=["road", "f"],
        outputs=["x", "v"],
        derivatives=lambda t, s, u, p: [s.v, (2e5 * (u.road - s.x) + u.f) / 40.0],
        **TIGHT,
    )
    s = dv.System("quarter car")
    s.add("road", source(lambda t: 0.02 * sin(6.0 * t) + 0.01 * sin(17.0 * t)))
    s.add("wheel", wheel)
    s.add("body", mass(400.0))
    between_two(s, "strut", "wheel", "body", spring(1.6e4, 1.5e3))
    s.connect("road.u", "wheel.road")
    s.connect("strut.f1", "wheel.f")
    s.connect("strut.f2", "body.f")
    return s


@problem(2.0, 0.04, 0.02, 0.01)
def shafts() -> dv.System:
    """Three flywheels on two shafts, with frequencies of 3 : 7."""
    s = dv.System("shafts")
    s.add("drive", mass(1.0, v=2.0))
    s.add("middle", mass(0.5, d=0.2))
    s.add("load", mass(2.0, d=0.4))
    between_two(s, "one", "drive", "middle", spring(60.0, 0.1))
    between_two(s, "two", "middle", "load", spring(200.0, 0.2))
    s.connect("one.f1", "drive.f")
    s.connect("one.f2", "middle.f")
    s.connect("two.f1", "middle.g")
    s.connect("two.f2", "load.f")
    return s
