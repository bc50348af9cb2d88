"""A run whose checkpoint is kept in `tests/data`, so that later versions must go on reading it.

    python tests/checkpoint_fixture.py --write

writes it again: for a new format, into a new file. What a release has written stays as it is.

Its parts have no functions, because these count by their byte code, which differs from Python to
Python; and only sums and products, which give the same everywhere.
"""

from __future__ import annotations

import struct
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import dovetail as dv
from dovetail.core.description import Capabilities, Description, Variable
from dovetail.core.signals import Signals
from dovetail.subsystems.subsystem import Reached

KEPT = Path(__file__).parent / "data" / "checkpoints"
FILE = KEPT / "format-3.checkpoint"  # since 0.2.0
STOP, AFTER = 2.0, 1.0


@dataclass(frozen=True)
class Tank:
    """y' = rate (u - y), by eight Euler steps a window."""

    rate: float
    level: float = 0.0

    @property
    def description(self) -> Description:
        can = Capabilities(can_restore=True, can_serialize=True, can_evaluate_now=True)
        return Description(
            inputs=(Variable("u"),),
            outputs=(Variable("y"),),
            feedthrough={"y": frozenset()},
            capabilities=can,
        )

    def instantiate(self, name: str) -> LiveTank:
        return LiveTank(self)


class LiveTank:
    def __init__(self, model: Tank) -> None:
        self.model, self.description, self.y = model, model.description, model.level

    def initialize(self, start: float, values: Any, **more: Any) -> None:
        self.y = self.model.level

    def outputs(self, inputs: Any, order: int = 0) -> Signals:
        return Signals(np.array([self.y]))

    def begin(self) -> None: ...

    def advance(self, window: Any, inputs: Any) -> Reached:
        for k in range(8):
            u = float(inputs.reals(k * window.size / 8)[0])
            self.y += window.size / 8 * self.model.rate * (u - self.y)
        return Reached(window.stop, self.outputs(None))

    def close(self) -> None: ...

    def snapshot(self) -> float:
        return self.y

    def restore(self, snapshot: float) -> None:
        self.y = snapshot

    def dump(self) -> bytes:
        return struct.pack("<d", self.y)

    def load(self, state: bytes) -> None:
        (self.y,) = struct.unpack("<d", state)


def session(**more: Any) -> dv.Session:
    """Two tanks that fill each other, one of them from a table; a clock beside them."""
    columns = {"flow": [0.0, 1.0, 1.0, 0.5], "open": [True, True, False, False]}
    inflow = dv.Table(time=[0.0, 0.5, 1.25, 2.0], columns=columns)
    system = dv.System("kept")
    system.add("inflow", inflow)
    system.add("tick", dv.Clock(period=0.5))
    system.add("first", Tank(2.0, 1.0))
    system.add("second", Tank(0.5))
    system.add("third", Tank(1.0))
    system.connect("first.y", "second.u", gain=0.5)
    system.connect("second.y", "first.u")
    system.connect("inflow.flow", "third.u")
    algorithm, controller = dv.GaussSeidel(extrapolation=1), dv.FixedStep(0.125)
    options = {"algorithm": algorithm, "controller": controller, "quiet": True, **more}
    return dv.Session(system, stop=STOP, **options)


def write(path: Path) -> None:
    """Half of the run, and its checkpoint."""
    with session() as half:
        while half.time < AFTER:
            half.advance()
        half.checkpoint(path)


if __name__ == "__main__" and "--write" in sys.argv:
    KEPT.mkdir(exist_ok=True)
    write(FILE)
