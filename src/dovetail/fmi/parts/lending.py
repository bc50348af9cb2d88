"""What is handed over where native windows take a part along, and have taken it."""

from __future__ import annotations

from dataclasses import dataclass

from ...core.signals import Discrete, Signals, Vector


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """Where a part stands that native windows take along.

    Inputs it has, its next event, outputs that are no reals.
    """

    given: Vector | None
    next_event: float
    held: tuple[Discrete, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Undisturbed:
    """What windows without an event have led to.

    The inputs that it was given last and those where the last window ended, which began then; the
    outputs there.
    """

    time: float
    began: float
    given: Vector
    ended_with: Vector
    outputs: Signals
