"""A controller as data, for windows of sizes that are chosen in native code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from ..core.errors import RunError
from ..core.signals import Vector
from ..core.window import Grid, Window

ControlKind = Literal["doubling", "adaptive", "checked", "defect", "cut", "follows"]
MAX_COLUMNS = 4  # powers of time in inputs over a window
MEMORY = 16  # numbers that a controller remembers, beside vectors


@dataclass(frozen=True, slots=True)
class ControlOptions:
    """What a controller is asked for. Which of these count depends on its kind.

    Native twin: `native/control.c`.
    """

    kind: ControlKind
    order: int = 1
    ranged: bool = False
    rejects: bool = False
    stops: bool = False
    rtol: float = 1.0
    atol: float = 1.0
    first_size: float = 1.0
    min_size: float = 0.0
    max_size: float = np.inf
    safety: float = 1.0


@dataclass(slots=True, eq=False)
class ControlMemory:
    """What it remembers: numbers, and vectors by signal. Changed in place."""

    outputs: int  # how many there are
    wires: int
    low: Vector  # by output, or by wire
    high: Vector
    past: Vector  # by input: powers of time
    numbers: Vector = field(default_factory=lambda: np.zeros(MEMORY))
    ends: Vector = field(default_factory=lambda: np.zeros(0))  # of windows that are followed
    all_told: bool = False  # there will be no more

    @staticmethod
    def of(outputs: int, inputs: int, wires: int) -> ControlMemory:
        """For a system with so many signals."""
        n = max(outputs, wires)
        room = np.zeros(n), np.zeros(n), np.zeros(MAX_COLUMNS * inputs)
        return ControlMemory(outputs, wires, *room)


@dataclass(slots=True, eq=False)
class Control:
    """A controller on its way through a run: its memory, the grid, and where it stands on it.

    `course_size`: the window over which inputs were watched last. `found`: outputs at the end of a
    window that it gave up.
    """

    options: ControlOptions
    memory: ControlMemory
    grid: Grid
    time: float
    course_size: float
    found: Vector


@dataclass(frozen=True, slots=True)
class ControlProgress:
    """What a call did: lines it filled, and what it counted, by the names of `Statistics`.

    `undecided`: the next window is left as it was, for Python; `passing`: because something
    happens in it, which says nothing of those behind it. `given_up`: the window that the
    controller gave up after its parts had moved. `failure`: why there is no next window.
    """

    rows: int
    counts: Mapping[str, int]
    undecided: bool = False
    passing: bool = False
    given_up: Window | None = None
    failure: RunError | KeyboardInterrupt | None = None
