"""Lags in loops, algebraic loops, and rates far apart."""

from __future__ import annotations

from math import sin, tanh

from truth.parts import lag, source
from truth.problem import TIGHT, problem

import dovetail as dv


@problem(10.0, 0.2, 0.1, 0.05)
def driven_loop() -> dv.System:
    """A stiff lag in a loop with a slow one, driven."""
    slow = dv.Dynamic(
        states={"z": 0.0},
        inputs=["y"],
        outputs=["e"],
        derivatives=lambda t, s, u, p: [3.0 * u.y - 0.2 * s.z],
        output=lambda t, s, u, p: [sin(1.1 * t) - s.z],
        **TIGHT,
    )
    s = dv.System("driven loop")
    s.add("fast", lag(50.0))
    s.add("slow", slow)
    s.connect("fast.y", "slow.y")
    s.connect("slow.e", "fast.u")
    return s


def _fed(gain: float) -> dv.Dynamic:
    """A lag that passes a part of its input on at once."""
    return dv.Dynamic(
        states={"z": 0.5},
        inputs=["u"],
        outputs=["y"],
        derivatives=lambda t, s, u, p: [u.u - 0.5 * s.z],
        output=lambda t, s, u, p: [s.z + gain * u.u],
        **TIGHT,
    )


@problem(8.0, 0.4, 0.2, 0.1)
def algebraic_loop() -> dv.System:
    """A part that feeds through, closed by a gain of -0.6 with a drive."""
    s = dv.System("algebraic loop")
    s.add("part", _fed(1.0))
    back = dv.Algebraic(
        inputs=["y"], outputs=["u"], function=lambda t, u, p: [sin(1.7 * t) - 0.6 * u.y]
    )
    s.add("back", back)
    s.connect("part.y", "back.y")
    s.connect("back.u", "part.u")
    return s


@problem(8.0, 0.4, 0.2, 0.1)
def saturated_loop() -> dv.System:
    """Two parts that feed through, one of them behind a saturation."""
    s = dv.System("saturated loop")
    s.add("one", _fed(0.5))
    s.add("two", _fed(-0.8))
    law = dv.Algebraic(
        inputs=["y"], outputs=["u"], function=lambda t, u, p: [tanh(1.5 * sin(t) - u.y)]
    )
    s.add("law", law)
    s.connect("one.y", "two.u")
    s.connect("two.y", "law.y")
    s.connect("law.u", "one.u")
    return s


@problem(6.0, 0.12, 0.06, 0.03)
def two_rates() -> dv.System:
    """An oscillator of 3 Hz and one of a tenth of that, each in the force of the other."""

    def oscillator(w: float, x: float) -> dv.Dynamic:
        return dv.Dynamic(
            states={"x": x, "v": 0.0},
            inputs=["x2"],
            outputs=["x"],
            derivatives=lambda t, s, u, p: [
                s.v,
                -(w**2) * (s.x - 0.3 * u.x2) - 0.05 * w * s.v,
            ],
            **TIGHT,
        )

    s = dv.System("two rates")
    s.add("fast", oscillator(18.0, 0.2))
    s.add("slow", oscillator(1.8, 1.0))
    s.connect("fast.x", "slow.x2")
    s.connect("slow.x", "fast.x2")
    return s


@problem(5.0, 0.2, 0.1, 0.05)
def stiff_lags() -> dv.System:
    """Rates of 1000, 30 and 1 in a ring: the fast ones follow at once."""
    s = dv.System("stiff lags")
    s.add("drive", source(lambda t: sin(2.0 * t)))
    mix = dv.Algebraic(inputs=["a", "b"], outputs=["u"], function=lambda t, u, p: [u.a - 1.5 * u.b])
    s.add("mix", mix)
    s.add("quick", lag(1000.0))
    s.add("medium", lag(30.0, gain=2.0))
    s.add("slow", lag(1.0, y=0.3))
    s.connect("drive.u", "mix.a")
    s.connect("mix.u", "quick.u")
    s.connect("quick.y", "medium.u")
    s.connect("medium.y", "slow.u")
    s.connect("slow.y", "mix.b")
    return s
