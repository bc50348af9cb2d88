"""Python models that are not compiled, of every kind, and the processes that run them."""

from __future__ import annotations

import math
import os
from pathlib import Path

import dovetail as dv

SWING = dv.Dynamic(
    states={"x": 1.0, "v": 0.0},
    inputs={"force": 0.0},
    outputs=["x", "v"],
    parameters={"m": 2.0},
    derivatives=lambda t, x, u, p: [x.v, (u.force - math.sin(x.x)) / p.m],
    units={"x": "rad", "m": "kg"},
)
BALL = dv.Dynamic(
    states={"h": 1.0, "v": 0.0},
    outputs=["h", "v"],
    derivatives=lambda t, x, u, p: [x.v, -9.81],
    zero_crossings=lambda t, x, u, p: [x.h],
    on_event=lambda which, t, x, u, p: {"h": 0.0, "v": -0.8 * x.v},
)
RELAY = dv.Discrete(
    period=0.1,
    states={"on": 0.0},
    inputs={"e": 0.3},
    outputs=["y"],
    output=lambda t, x, u, p: [1.0 if u.e + x.on > 0.5 else -1.0],
    update=lambda t, x, u, p: [x.on + (0.2 if u.e > 0 else -0.2)],
)
ROOT = dv.Algebraic(
    inputs={"a": 2.0},
    outputs=["b"],
    parameters={"gain": 1.0},
    function=lambda t, u, p: [p.gain * (math.sqrt(u.a) if u.a > 0 else 0.5 * u.a)],
)
WAVE = dv.Source(outputs=["y"], function=lambda t, p: [math.cos(3.0 * t)])


def pair() -> dv.System:
    """Two models in a loop, one with events inside."""
    system = dv.System("pair")
    system.add("swing", SWING)
    system.add("root", ROOT)
    system.connect("swing.x", "root.a")
    system.connect("root.b", "swing.force", gain=-0.5)
    return system


MODELS = {"swing": SWING, "ball": BALL, "relay": RELAY, "root": ROOT, "wave": WAVE}


@dv.export_class
class Counter:
    """Counts its steps."""

    rate: float = dv.field("input", 1.0, unit="m/s", description="how quickly it grows")
    on: bool = dv.field("input", True)
    way: float = dv.field("output", unit="m")
    steps: int = dv.field("output")
    title: str = dv.field("output", "none")
    gain: float = dv.field("parameter", 2.0, minimum=0.0, tunable=True)
    label: str = dv.field("parameter", "step")

    def __init__(self) -> None:
        self.sum = 0.0

    def do_step(self, current_time: float, step_size: float) -> bool:
        if self.on:
            self.sum += self.gain * self.rate * step_size
            self.steps += 1
        self.way = self.sum
        self.title = f"{self.label} {self.steps}"
        return self.rate > -10.0

    def jacobian(self, time: float) -> list[list[float]]:
        return [[0.0]]


def processes(folder: Path) -> list[int]:
    """The Python processes of FMUs that are unpacked there."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            line = Path("/proc", name, "cmdline").read_bytes()
            state = Path("/proc", name, "stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if str(folder).encode() in line and b"beside.py" in line and state != "Z":
            found.append(int(name))
    return found
