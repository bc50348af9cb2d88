"""Parts that find events inside windows."""

from __future__ import annotations

from math import sin

from truth.parts import mass
from truth.problem import TIGHT, problem

import dovetail as dv


@problem(10.0, 0.5, 0.2, 0.1)
def thermostat() -> dv.System:
    """A heater that switches at two temperatures, in a room with a wall."""
    heater = dv.Dynamic(
        states={"on": 1.0},
        inputs={"T": 18.0},
        outputs=["on"],
        derivatives=lambda t, s, u, p: [0.0],
        zero_crossings=lambda t, s, u, p: [u.T - 21.0 if s.on > 0.5 else u.T - 19.0],
        on_event=lambda which, t, s, u, p: {"on": 0.0 if s.on > 0.5 else 1.0},
        **TIGHT,
    )
    room = dv.Dynamic(
        states={"T": 18.0},
        inputs={"on": 1.0, "wall": 15.0},
        outputs=["T"],
        derivatives=lambda t, s, u, p: [6.0 * u.on - 1.0 * (s.T - u.wall)],
        **TIGHT,
    )
    wall = dv.Dynamic(
        states={"T": 15.0},
        inputs={"room": 18.0},
        outputs=["T"],
        derivatives=lambda t, s, u, p: [
            0.5 * (u.room - s.T) - 0.3 * (s.T - 8.0 - 2.0 * sin(0.5 * t))
        ],
        **TIGHT,
    )
    s = dv.System("thermostat")
    s.add("heater", heater)
    s.add("room", room)
    s.add("wall", wall)
    s.connect("heater.on", "room.on")
    s.connect("wall.T", "room.wall")
    s.connect("room.T", "wall.room")
    s.connect("room.T", "heater.T")
    return s


@problem(1.6, 0.04, 0.02, 0.01)
def bouncing() -> dv.System:
    """A ball that bounces, in wind that its own motion makes."""
    ball = dv.Dynamic(
        states={"h": 1.0, "v": 0.0},
        inputs={"wind": 0.0},
        outputs=["h", "v"],
        derivatives=lambda t, s, u, p: [s.v, -9.81 + u.wind],
        zero_crossings=lambda t, s, u, p: [s.h],
        on_event=lambda which, t, s, u, p: {"h": 0.0, "v": -0.8 * s.v},
        **TIGHT,
    )
    air = dv.Dynamic(
        states={"w": 0.0},
        inputs={"v": 0.0},
        outputs=["wind"],
        derivatives=lambda t, s, u, p: [8.0 * (u.v - s.w)],
        output=lambda t, s, u, p: [-1.2 * s.w],
        **TIGHT,
    )
    s = dv.System("bouncing")
    s.add("ball", ball)
    s.add("air", air)
    s.connect("ball.v", "air.v")
    s.connect("air.wind", "ball.wind")
    return s


@problem(6.0, 0.2, 0.1, 0.05)
def relay() -> dv.System:
    """A mass on a spring, pushed by a relay that turns with its position."""
    switch = dv.Dynamic(
        states={"f": 1.0},
        inputs={"x": 0.0},
        outputs=["f"],
        derivatives=lambda t, s, u, p: [0.0],
        zero_crossings=lambda t, s, u, p: [u.x - 0.3 if s.f > 0 else u.x + 0.3],
        on_event=lambda which, t, s, u, p: {"f": -s.f},
        **TIGHT,
    )
    s = dv.System("relay")
    s.add("plant", mass(1.0, x=-0.5, k=0.5, d=1.0))
    s.add("switch", switch)
    s.connect("plant.x", "switch.x")
    s.connect("switch.f", "plant.f")
    return s
