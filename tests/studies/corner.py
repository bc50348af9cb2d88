"""A car's corner, small enough to run hundreds of times."""

import os
import time
from pathlib import Path
from typing import Any

import dovetail as dv


def system(death: Any = None) -> dv.System:
    """Body and strut; `death` is called with the damping in every run."""

    def force(t: float, u: Any, p: Any) -> list[float]:
        if death is not None:
            death(p.d)
        return [-p.k * u.x - p.d * u.v]

    body = dv.Dynamic(
        states={"x": 0.05, "v": 0.0},
        inputs=["force"],
        outputs=["x", "v"],
        parameters={"m": 300.0},
        units={"x": "m"},
        derivatives=lambda t, x, u, p: [x.v, u.force / p.m],
    )
    strut = dv.Algebraic(
        inputs=["x", "v"], outputs=["force"], parameters={"k": 20e3, "d": 1500.0}, function=force
    )
    drawn = dv.System("corner")
    drawn.add("body", body)
    drawn.add("strut", strut)
    drawn.connect("body.x", "strut.x")
    drawn.connect("body.v", "strut.v")
    drawn.connect("strut.force", "body.force")
    return drawn


RUN: dict[str, Any] = {"stop": 0.4, "step": 0.1, "times": 5}


class Marks:
    """Counts the runs that really begin, over all processes: a file for each."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(exist_ok=True)
        self.seen: set[float] = set()

    def __call__(self, d: float) -> None:
        if d not in self.seen:
            self.seen.add(d)
            (self.folder / f"{os.getpid()}-{time.monotonic_ns()}").touch()

    @property
    def count(self) -> int:
        return len(list(self.folder.iterdir()))
