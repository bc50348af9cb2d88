"""Parts that several of the problems are made of."""

from __future__ import annotations

from collections.abc import Callable
from math import tanh

from truth.problem import TIGHT

import dovetail as dv


def mass(m: float, *, x: float = 0.0, v: float = 0.0, k: float = 0.0, d: float = 0.0) -> dv.Dynamic:
    """A mass with a spring and a damper to ground, pushed by two forces."""
    return dv.Dynamic(
        states={"x": x, "v": v},
        inputs=["f", "g"],
        outputs=["x", "v"],
        derivatives=lambda t, s, u, p: [s.v, (u.f + u.g - k * s.x - d * s.v) / m],
        **TIGHT,
    )


def spring(k: float, d: float = 0.0, gap: float = 0.0) -> dv.Algebraic:
    """Forces on both ends, by position and velocity; with a gap that must close first."""

    def force(t, u, p):
        s, w = u.x2 - u.x1, u.v2 - u.v1
        if gap:
            s = s - gap * tanh(s / gap) if abs(s) < 20 * gap else s - gap * (1 if s > 0 else -1)
        f = k * s + d * w
        return [f, -f]

    return dv.Algebraic(inputs=["x1", "v1", "x2", "v2"], outputs=["f1", "f2"], function=force)


def between_two(system: dv.System, name: str, left: str, right: str, part: dv.Algebraic) -> None:
    """Add a part that sees position and velocity of two others."""
    system.add(name, part)
    for end, side in ((left, "1"), (right, "2")):
        system.connect(f"{end}.x", f"{name}.x{side}")
        system.connect(f"{end}.v", f"{name}.v{side}")


def lag(rate: float, y: float = 0.0, gain: float = 1.0) -> dv.Dynamic:
    """y' = rate (gain u - y)."""
    return dv.Dynamic(
        states={"y": y},
        inputs=["u"],
        outputs=["y"],
        derivatives=lambda t, s, u, p: [rate * (gain * u.u - s.y)],
        **TIGHT,
    )


def source(function: Callable[[float], float]) -> dv.Source:
    """A signal of time, called u."""
    return dv.Source(outputs=["u"], function=lambda t, p: [function(t)])
