"""What native windows read and write while they run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..core.signals import Vector


@dataclass(slots=True, eq=False)
class InputHistory:
    """Inputs at the starts of past windows, the oldest first: what they are extrapolated from.

    Exchanged for a longer one by each call.
    """

    order: int
    times: tuple[float, ...] = ()
    values: tuple[Vector, ...] = ()


Taught = tuple[tuple[Vector, Vector], ...]
"""Changes of residuals and of answers in past windows, a column each, the newest first."""


@dataclass(slots=True, eq=False)
class LearnedHistory:
    """What root finders learned, component by component; exchanged by each call."""

    groups: tuple[Taught, ...] = ()


@dataclass(slots=True, eq=False)
class OutputHistory:
    """With cubics: derivatives of outputs, NaN if unknown; outputs at ends, the newest first."""

    slopes: Vector
    times: tuple[float, ...] = ()
    values: tuple[Vector, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class RunMemory:
    """What changes as windows of a plan are run: arrays that are changed in place.

    `past`: None where nothing is extrapolated; `learned`: None where nothing is; `ends`: None
    unless inputs are cubics. `bonds`: room for a row of each window, where bonds are watched.
    `trial`: the inputs over a window that was asked for alone, a row of powers of time for each.
    """

    past: InputHistory | None
    learned: LearnedHistory | None
    ends: OutputHistory | None
    bonds: Vector | None
    trial: Vector
    inputs: Vector
    outputs: Vector
    worst: Vector
    when: Vector
    low: Vector
    high: Vector
    bend: Vector
    bend_time: Vector
    off: Vector
    way: Vector
    turn: Vector
    moved: Vector
    turned: Vector
    known: Any
