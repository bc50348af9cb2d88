"""Prey, predators and epidemics."""

from __future__ import annotations

import numpy as np
from truth.problem import TIGHT, problem

import dovetail as dv


def _species(name: str, rate) -> dv.Dynamic:
    other = "y" if name == "x" else "x"
    return dv.Dynamic(
        states={name: 1.0},
        inputs={other: 1.0, "season": 0.0},
        outputs=[name],
        derivatives=lambda t, s, u, p: [rate(s, u)],
        **TIGHT,
    )


def _pair(name: str) -> dv.System:
    s = dv.System(name)
    s.add("prey", _species("x", lambda s, u: s.x * (0.67 + 0.3 * u.season - 1.33 * u.y)))
    s.add("predator", _species("y", lambda s, u: s.y * (u.x - 1.0)))
    s.connect("prey.x", "predator.x")
    s.connect("predator.y", "prey.y")
    return s


@problem(15.0, 0.3, 0.1, 0.05)
def predation() -> dv.System:
    return _pair("predation")


@problem(12.0, 0.4, 0.2, 0.1)
def seasons() -> dv.System:
    """Prey that grows by a table of seasons, with corners."""
    s = _pair("seasons")
    table = dv.Table(time=np.arange(0.0, 13.0, 2.0), columns={"u": [0, 1, 0.2, -0.8, 0.5, 1, 0]})
    s.add("table", table)
    s.connect("table.u", "prey.season")
    return s


@problem(30.0, 1.0, 0.5, 0.25)
def epidemic() -> dv.System:
    """Those who can be infected, are, and were, each a part."""
    healthy = dv.Dynamic(
        states={"s": 0.99},
        inputs={"i": 0.01, "r": 0.0},
        outputs=["s"],
        derivatives=lambda t, x, u, p: [-0.9 * x.s * u.i + 0.02 * u.r],
        **TIGHT,
    )
    ill = dv.Dynamic(
        states={"i": 0.01},
        inputs={"s": 0.99},
        outputs=["i"],
        derivatives=lambda t, x, u, p: [0.9 * u.s * x.i - 0.25 * x.i],
        **TIGHT,
    )
    immune = dv.Dynamic(
        states={"r": 0.0},
        inputs={"i": 0.01},
        outputs=["r"],
        derivatives=lambda t, x, u, p: [0.25 * u.i - 0.02 * x.r],
        **TIGHT,
    )
    s = dv.System("epidemic")
    for name, part in (("healthy", healthy), ("ill", ill), ("immune", immune)):
        s.add(name, part)
    s.connect("healthy.s", "ill.s")
    s.connect("ill.i", "healthy.i")
    s.connect("ill.i", "immune.i")
    s.connect("immune.r", "healthy.r")
    return s
