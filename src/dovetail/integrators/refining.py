"""An event that was found on a curve, found again on steps that end there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from ..core.signals import Vector
from .base import IntegrationFailed, Problem
from .bracketing import far_side
from .events import Curve, Event

_NEAR = 1e-6  # of the step: how far from the curve's event the search begins
_WIDER = 30.0


def refined(
    event: Event, problem: Problem, start: float, x: Vector, end: float, shot: Curve
) -> Event:
    """The same crossings, where steps to there see them; the event as it was if they do not.

    The step was from `start`, in the state `x`, to `end`.
    """
    known: dict[float, Vector] = {start: x}

    def state(time: float) -> Vector:
        if time not in known:
            known[time] = shot(time)
        return known[time]

    def side(k: int, rising: bool, time: float) -> float:
        """Positive before the crossing, below zero behind it."""
        assert problem.crossings is not None
        value = float(np.asarray(problem.crossings(time, state(time)), dtype=float)[k])
        return -value if rising else value

    latest = start
    try:
        for k, rising in zip(event.crossed, event.rising, strict=True):
            found = _located(partial(side, k, rising), event.time, start, end)
            if found is None:
                return event
            latest = max(latest, found)
        return replace(event, time=latest, state=state(latest).copy())
    except IntegrationFailed:
        return event


def _located(
    side: Callable[[float], float], guess: float, start: float, end: float
) -> float | None:
    """Where a function turns negative near a time; None if it does not inside the step."""
    reach, behind = _NEAR * (end - start), side(guess) < 0
    while True:
        other = max(guess - reach, start) if behind else min(guess + reach, end)
        if (side(other) < 0) != behind:
            return far_side(side, *sorted((guess, other)))
        if other in (start, end):
            return None
        reach *= _WIDER
