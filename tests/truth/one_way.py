"""Parts that cannot roll back."""

from __future__ import annotations

from math import sin

from truth.parts import lag, mass, source
from truth.problem import TIGHT, problem
from truth.rollbackless import OneWay

import dovetail as dv


@problem(8.0, 0.16, 0.08, 0.04)
def one_way_mass() -> dv.System:
    """A mass that shows its derivatives but cannot roll back, against a spring with a mass."""
    s = dv.System("one-way mass")
    s.add("a", OneWay(mass(1.0, x=1.0, k=1.0, d=0.1)))
    other = dv.Dynamic(
        states={"x": 0.0, "v": 0.0},
        inputs=["x1"],
        outputs=["f"],
        derivatives=lambda t, s, u, p: [s.v, (2.0 * (u.x1 - s.x) - 3.0 * s.x - 0.2 * s.v) / 2.0],
        output=lambda t, s, u, p: [2.0 * (s.x - u.x1)],
        **TIGHT,
    )
    s.add("b", other)
    s.connect("a.x", "b.x1")
    s.connect("b.f", "a.f")
    return s


@problem(8.0, 0.2, 0.1, 0.05)
def closed_lag() -> dv.System:
    """A lag that shows nothing and cannot roll back, in a driven loop."""
    s = dv.System("closed lag")
    s.add("drive", source(lambda t: sin(1.3 * t)))
    mix = dv.Algebraic(inputs=["a", "b"], outputs=["u"], function=lambda t, u, p: [u.a - 2.0 * u.b])
    s.add("mix", mix)
    s.add("closed", OneWay(lag(3.0), shown=False))
    s.add("slow", lag(1.0, y=0.2, gain=1.5))
    s.connect("drive.u", "mix.a")
    s.connect("mix.u", "closed.u")
    s.connect("closed.y", "slow.u")
    s.connect("slow.y", "mix.b")
    return s


@problem(10.0, 0.5, 0.2, 0.1)
def one_way_chain() -> dv.System:
    """Three parts without rollback, one after the other: nothing comes back."""
    s = dv.System("one-way chain")
    s.add("drive", source(lambda t: sin(0.9 * t) + 0.2 * sin(3.1 * t)))
    for n, rate in enumerate((4.0, 2.0, 1.0)):
        s.add(f"lag{n}", OneWay(lag(rate)))
        s.connect("drive.u" if n == 0 else f"lag{n - 1}.y", f"lag{n}.u")
    return s
