"""Rooms, exchangers and a furnace."""

from __future__ import annotations

from math import pi, sin

from truth.problem import TIGHT, problem

import dovetail as dv


@problem(24.0, 2.0, 0.5, 0.25)
def rooms() -> dv.System:
    """Six rooms in a row, heated at one end and by the day outside."""
    s = dv.System("rooms")
    for n in range(6):
        room = dv.Dynamic(
            states={"T": 18.0 + (n % 3)},
            inputs={"left": 18.0, "right": 18.0},
            outputs=["T"],
            derivatives=lambda t, s, u, p, n=n: [
                1.5 * (u.left - s.T)
                + 1.5 * (u.right - s.T)
                + 0.1 * (8.0 + 6.0 * sin(2 * pi * t / 24) - s.T)
                + (4.0 if n == 0 else 0.0)
            ],
            **TIGHT,
        )
        s.add(f"r{n}", room)
    for n in range(5):
        s.connect(f"r{n}.T", f"r{n + 1}.left")
        s.connect(f"r{n + 1}.T", f"r{n}.right")
    return s


@problem(10.0, 0.5, 0.2, 0.1)
def exchanger() -> dv.System:
    """A hot and a cold stream against each other, three cells each, as one part each."""

    def stream(inlet, flow: float, start: float, *, back: bool) -> dv.Dynamic:
        def rates(t, s, u, p):
            T = [s.a, s.b, s.c]
            other = [u.oa, u.ob, u.oc]
            before = [inlet(t), s.a, s.b] if not back else [s.b, s.c, inlet(t)]
            return [flow * (before[k] - T[k]) + 1.2 * (other[k] - T[k]) for k in range(3)]

        names = ["a", "b", "c"]
        return dv.Dynamic(
            states=dict.fromkeys(names, start),
            inputs={f"o{n}": start for n in names},
            outputs=[f"T{n}" for n in names],
            derivatives=rates,
            output=lambda t, s, u, p: [s.a, s.b, s.c],
            feedthrough={f"T{n}": [] for n in names},
            **TIGHT,
        )

    s = dv.System("exchanger")
    s.add("hot", stream(lambda t: 80.0 + 5.0 * sin(t), 1.0, 60.0, back=False))
    s.add("cold", stream(lambda t: 20.0, 1.5, 30.0, back=True))
    for n in "abc":
        s.connect(f"hot.T{n}", f"cold.o{n}")
        s.connect(f"cold.T{n}", f"hot.o{n}")
    return s


@problem(10.0, 0.5, 0.25, 0.1)
def furnace() -> dv.System:
    """A wall and a charge that exchange heat by radiation, with a heater that follows."""
    wall = dv.Dynamic(
        states={"T": 9.0},
        inputs={"charge": 3.0, "heat": 0.0},
        outputs=["T"],
        derivatives=lambda t, s, u, p: [
            0.4 * u.heat - 2e-4 * (s.T**4 - u.charge**4) - 0.2 * (s.T - 3.0)
        ],
        **TIGHT,
    )
    charge = dv.Dynamic(
        states={"T": 3.0},
        inputs={"wall": 9.0},
        outputs=["T"],
        derivatives=lambda t, s, u, p: [1.5e-4 * (u.wall**4 - s.T**4)],
        **TIGHT,
    )
    heater = dv.Dynamic(
        states={"q": 0.0},
        inputs={"T": 3.0},
        outputs=["heat"],
        derivatives=lambda t, s, u, p: [2.0 * (4.0 * (10.0 + sin(t) - u.T) - s.q)],
        output=lambda t, s, u, p: [s.q],
        **TIGHT,
    )
    s = dv.System("furnace")
    s.add("wall", wall)
    s.add("charge", charge)
    s.add("heater", heater)
    s.connect("wall.T", "charge.wall")
    s.connect("charge.T", "wall.charge")
    s.connect("charge.T", "heater.T")
    s.connect("heater.heat", "wall.heat")
    return s
