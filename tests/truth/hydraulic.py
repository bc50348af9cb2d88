"""Oil and water."""

from __future__ import annotations

from math import copysign, sin, sqrt

from truth.parts import mass
from truth.problem import TIGHT, problem

import dovetail as dv


@problem(0.4, 0.01, 0.004, 0.002)
def cylinder() -> dv.System:
    """A hydraulic cylinder that moves a mass; oil is stiff."""
    chamber = dv.Dynamic(
        states={"p": 1e6},
        inputs=["v", "x"],
        outputs=["f"],
        derivatives=lambda t, s, u, p: [
            1.2e9 / (2e-4 + 1e-3 * u.x) * (1e-4 * (1 + sin(40 * t)) - 1e-3 * u.v - 2e-11 * s.p)
        ],
        output=lambda t, s, u, p: [1e-3 * (s.p - 1e6)],
        **TIGHT,
    )
    s = dv.System("cylinder")
    s.add("piston", mass(20.0, x=0.1, d=200.0))
    s.add("chamber", chamber)
    s.connect("piston.v", "chamber.v")
    s.connect("piston.x", "chamber.x")
    s.connect("chamber.f", "piston.f")
    return s


@problem(20.0, 1.0, 0.4, 0.2)
def levels() -> dv.System:
    """Two tanks with a pipe between them, and a pump that follows the second level."""

    def flow(head: float) -> float:
        return copysign(sqrt(abs(head) + 1e-4) - 1e-2, head)

    def tank(level: float, out: float) -> dv.Dynamic:
        return dv.Dynamic(
            states={"h": level},
            inputs={"other": 1.0, "pumped": 0.0},
            outputs=["h"],
            derivatives=lambda t, s, u, p: [u.pumped + 0.8 * flow(u.other - s.h) - out * flow(s.h)],
            **TIGHT,
        )

    pump = dv.Dynamic(
        states={"q": 0.2},
        inputs={"h": 1.0},
        outputs=["q"],
        derivatives=lambda t, s, u, p: [1.5 * (0.6 * (1.4 + 0.2 * sin(0.6 * t) - u.h) - s.q + 0.3)],
        **TIGHT,
    )
    s = dv.System("levels")
    s.add("first", tank(2.0, 0.0))
    s.add("second", tank(0.6, 0.3))
    s.add("pump", pump)
    s.connect("first.h", "second.other")
    s.connect("second.h", "first.other")
    s.connect("pump.q", "first.pumped")
    s.connect("second.h", "pump.h")
    return s
