"""Circuits and drives."""

from __future__ import annotations

from math import exp, sin, tanh

from truth.parts import source
from truth.problem import TIGHT, problem

import dovetail as dv


@problem(10.0, 0.5, 0.1, 0.05)
def ladder() -> dv.System:
    """A ladder of inductors and capacitors in five parts, driven by a source."""
    s = dv.System("ladder")
    s.add("source", dv.Source(outputs=["v"], function=lambda t, p: [sin(1.3 * t)]))
    for n in range(5):
        part = dv.Dynamic(
            states={"i": 0.0, "v": 0.0},
            inputs=["left", "drawn"],
            outputs=["v", "i"],
            derivatives=lambda t, s, u, p: [u.left - s.v - 0.1 * s.i, s.i - u.drawn],
            **TIGHT,
        )
        s.add(f"cell{n}", part)
        s.connect("source.v" if n == 0 else f"cell{n - 1}.v", f"cell{n}.left")
        if n:
            s.connect(f"cell{n}.i", f"cell{n - 1}.drawn")
    return s


@problem(0.06, 2e-3, 1e-3, 4e-4)
def rectifier() -> dv.System:
    """A diode between a generator with an inductance and a capacitor with a load."""
    generator = dv.Dynamic(
        states={"i": 0.0},
        inputs=["v"],
        outputs=["i"],
        derivatives=lambda t, s, u, p: [
            (20.0 * sin(314.0 * t) - u.v - 2.0 * s.i - 0.6 * tanh(s.i / 0.05)) / 0.02
        ],
        **TIGHT,
    )
    store = dv.Dynamic(
        states={"v": 0.0},
        inputs=["i"],
        outputs=["v"],
        derivatives=lambda t, s, u, p: [(u.i - 1e-6 * (exp(s.v / 2.0) - 1.0) - s.v / 50.0) / 1e-3],
        **TIGHT,
    )
    s = dv.System("rectifier")
    s.add("generator", generator)
    s.add("store", store)
    s.connect("generator.i", "store.i")
    s.connect("store.v", "generator.v")
    return s


@problem(20.0, 0.4, 0.2, 0.1)
def tanks() -> dv.System:
    """Two resonant circuits, weakly coupled: the energy wanders."""

    def tank(w: float, v: float) -> dv.Dynamic:
        return dv.Dynamic(
            states={"v": v, "i": 0.0},
            inputs=["other"],
            outputs=["v"],
            derivatives=lambda t, s, u, p: [w * s.i, -w * s.v + 0.15 * (u.other - s.v)],
            **TIGHT,
        )

    s = dv.System("tanks")
    s.add("one", tank(1.0, 1.0))
    s.add("two", tank(1.05, 0.0))
    s.connect("one.v", "two.other")
    s.connect("two.v", "one.other")
    return s


@problem(12.0, 0.3, 0.15, 0.06)
def relaxation() -> dv.System:
    """Two oscillators of van der Pol's kind that pull each other into step."""

    def oscillator(mu: float, x: float) -> dv.Dynamic:
        return dv.Dynamic(
            states={"x": x, "v": 0.0},
            inputs=["x2"],
            outputs=["x"],
            derivatives=lambda t, s, u, p: [
                s.v,
                mu * (1.0 - s.x**2) * s.v - s.x + 0.5 * (u.x2 - s.x),
            ],
            **TIGHT,
        )

    s = dv.System("relaxation")
    s.add("a", oscillator(1.0, 2.0))
    s.add("b", oscillator(2.0, -0.5))
    s.connect("a.x", "b.x2")
    s.connect("b.x", "a.x2")
    return s


@problem(1.0, 0.02, 0.01, 0.005)
def drive() -> dv.System:
    """A motor: a winding of 2 ms on a rotor of half a second, with a speed controller."""
    winding = dv.Dynamic(
        states={"i": 0.0},
        inputs=["v", "w"],
        outputs=["torque"],
        derivatives=lambda t, s, u, p: [(u.v - 0.5 * s.i - 0.1 * u.w) / 1e-3],
        output=lambda t, s, u, p: [0.1 * s.i],
        **TIGHT,
    )
    rotor = dv.Dynamic(
        states={"w": 0.0},
        inputs=["torque"],
        outputs=["w"],
        derivatives=lambda t, s, u, p: [(u.torque - 0.002 * s.w - 0.1 * sin(6.0 * t)) / 0.01],
        **TIGHT,
    )
    controller = dv.Dynamic(
        states={"i": 0.0},
        inputs=["w"],
        outputs=["v"],
        derivatives=lambda t, s, u, p: [4.0 * (20.0 - u.w)],
        output=lambda t, s, u, p: [0.3 * (20.0 - u.w) + s.i],
        **TIGHT,
    )
    s = dv.System("drive")
    s.add("winding", winding)
    s.add("rotor", rotor)
    s.add("controller", controller)
    s.connect("controller.v", "winding.v")
    s.connect("rotor.w", "winding.w")
    s.connect("winding.torque", "rotor.torque")
    s.connect("rotor.w", "controller.w")
    return s


@problem(8.0, 0.4, 0.2, 0.1)
def filters() -> dv.System:
    """A source through two filters, one after the other: nothing comes back."""
    s = dv.System("filters")
    s.add("source", source(lambda t: sin(t) + 0.3 * sin(4.0 * t)))
    for n, w in enumerate((3.0, 5.0)):
        part = dv.Dynamic(
            states={"y": 0.0, "z": 0.0},
            inputs=["u"],
            outputs=["y"],
            derivatives=lambda t, s, u, p, w=w: [s.z, w**2 * (u.u - s.y) - 0.8 * w * s.z],
            **TIGHT,
        )
        s.add(f"filter{n}", part)
        s.connect("source.u" if n == 0 else f"filter{n - 1}.y", f"filter{n}.u")
    return s
