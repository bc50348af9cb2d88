"""Finding where a function of time and state changes sign.

**What an event is.** A crossing is armed on one side of zero, and fires when it is strictly on the
other. It is reported on the far side, within a rounding of where it changed sign. A crossing that
only touches zero does not fire.

**What is remembered.** From run to run a sign per crossing: the side it is armed on, or 0 while
it stands at zero. After an event the crossings that fired have 0: they arm again from wherever
the jump put them. If that is still zero, but for rounding, they arm on the side to which they
leave it. So a ball that bounces does not fire again as it leaves the ground, however little of
it was left below, and fires when it comes back, even in the first step. A crossing that is on
the other side when a run starts, because an input or another event carried it there, fires at
once. A sign change in the last instant of a run is found by the next one.

**What can be missed.** Each step is looked at in its quarters. A crossing that changes sign twice
in one quarter is not seen; give the integrator a `max_size` below a few times the shortest
excursion. Bounces that rise less than rounding are not seen either: a ball with infinitely many
falls through in the end, unless the model says when it lies still.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isnan, ulp

import numpy as np

from ..core.signals import Vector
from ..core.statistics import Effort
from .base import Arc, IntegrationFailed
from .bracketing import far_side
from .rounding import noise_of

Crossings = Callable[[float, Vector], Vector]
Curve = Callable[[float], Vector]
Glance = Callable[[float], list[float]]

_QUARTERS = (0.25, 0.5, 0.75)
_TOWARDS_START = 0.125  # each point near the start is so much nearer than the one after it


@dataclass(frozen=True, slots=True, eq=False)
class Event:
    """One or more crossings that changed sign at the same time."""

    time: float
    state: Vector
    crossed: tuple[int, ...]
    rising: tuple[bool, ...]
    signs: tuple[int, ...]
    asked: bool = False

    def arc(
        self,
        next_size: float | None,
        steps: int,
        evaluations: int,
        rejected: int,
        effort: Effort | None = None,
    ) -> Arc:
        """A run that ends with this event."""
        what = self.time, self.state, self.crossed, self.rising, self.signs
        return Arc(*what, next_size, self.asked, steps, evaluations, rejected, effort)


class Watch:
    """The crossings during one run, and the wishes of the part at the end of each step."""

    __slots__ = ("_armed", "_completed", "_crossings", "_noise", "_state", "_time", "_values")

    def __init__(
        self,
        crossings: Crossings | None,
        time: float,
        state: Vector,
        signs: Sequence[int],
        completed: Callable[[float, Vector], bool] | None = None,
    ) -> None:
        self._crossings, self._completed = crossings, completed
        self._time = time
        self._state = state
        self._values = self._at(time, state)
        if signs and len(signs) != len(self._values):
            count = len(self._values)
            raise ValueError(f"there are {count} zero crossings, but {len(signs)} signs")
        self._armed = list(signs) or [0] * len(self._values)
        self._noise: list[float] | None = None

    @property
    def signs(self) -> tuple[int, ...]:
        """The side each crossing is on, 0 where it stands at zero."""
        return tuple(self._armed)

    @property
    def time(self) -> float:
        """Up to where it has looked."""
        return self._time

    def passed(self, time: float, state: Vector, values: list[float]) -> None:
        """The steps up to there were watched elsewhere, and nothing happened in them."""
        self._time, self._state, self._values = time, state, values

    def at_start(self) -> Event | None:
        """The event that is due before the first step: a crossing was carried across."""
        if _crossed(self._armed, self._values):
            return self._event(self._time, self._state.copy(), self._values)
        return None

    def step(
        self, end: float, state: Vector, curve: Curve, glance: Glance | None = None
    ) -> Event | None:
        """The first event in a step to `end`, where the solution is `curve`.

        `glance` is a quicker way, where there is one, to the crossings along the curve.
        """
        if self._crossings is None:
            return self._finish(end, state)
        start, size = self._time, end - self._time
        look = self._along(curve) if glance is None else _checked(glance)
        times = [start + part * size for part in _QUARTERS]
        rows = [look(t) for t in times]
        times.append(end)
        rows.append(self._at(end, state))
        if 0 in self._armed:
            self._look_near_start(times, rows, look)
        before = start
        for time, row in zip(times, rows, strict=True):
            if _crossed(self._armed, row):
                return self._locate(before, time, row, end, state, curve, look)
            self._arm(row)
            before = time
        self._time, self._state, self._values = end, state, rows[-1]
        return self._finish(end, state)

    def arrive(self, end: float, state: Vector) -> Event | None:
        """The event at the end of a step, for a crossing that is on its other side there.

        Inside the step nothing is watched. A crossing that an event has left anywhere arms there.
        """
        sides = np.sign(self._values).astype(int).tolist()
        self._armed = [sign or side for sign, side in zip(self._armed, sides, strict=True)]
        row = self._at(end, state)
        if _crossed(self._armed, row):
            return self._event(end, state.copy(), row)
        self._time, self._state, self._values = end, state, row
        return self._finish(end, state)

    def _finish(self, end: float, state: Vector) -> Event | None:
        """A whole step without a crossing; the part may ask for an event all the same."""
        if self._completed is None or not self._completed(end, state):
            return None
        return Event(end, state.copy(), (), (), self.signs, asked=True)

    def _locate(
        self,
        near: float,
        far: float,
        row: list[float],
        end: float,
        state: Vector,
        curve: Curve,
        look: Glance,
    ) -> Event:
        """The event between two times with no earlier one before them."""

        def at(time: float) -> list[float]:
            return self._at(time, state) if time == end else look(time)

        for k in _crossed(self._armed, row):
            if self._armed[k] * row[k] < 0:  # still: an earlier event may have come in between
                far = self._root(k, near, far, at)
                row = at(far)
        slack = 8 * ulp(far) + 1e-12 * (end - self._time)
        later = min(far + slack, end)
        both = [a if a * s < 0 else b for s, a, b in zip(self._armed, row, at(later), strict=True)]
        if len(_crossed(self._armed, both)) > len(_crossed(self._armed, row)):
            far, row = later, both  # others follow within rounding
        return self._event(far, state.copy() if far == end else curve(far), row)

    def _root(self, k: int, near: float, far: float, at: Callable[[float], list[float]]) -> float:
        sign = self._armed[k]
        return far_side(lambda time: sign * at(time)[k], near, far)

    def _event(self, time: float, state: Vector, row: list[float]) -> Event:
        crossed = _crossed(self._armed, row)
        rising = tuple(self._armed[k] < 0 for k in crossed)
        self._arm(row)
        for k in crossed:
            self._armed[k] = 0
        return Event(time, state, crossed, rising, self.signs)

    def _arm(self, row: list[float]) -> None:
        """Arm the crossings that have left zero, as soon as it is known what zero is."""
        if self._noise is not None and 0 in self._armed:
            for k, value in enumerate(row):
                if self._armed[k] == 0 and abs(value) > self._noise[k]:
                    self._armed[k] = 1 if value > 0 else -1

    def _look_near_start(self, times: list[float], rows: list[list[float]], look: Glance) -> None:
        """See to which side the crossings that stand at zero leave it.

        Adds points ever closer to the start, until they are within rounding twice in a row.
        """
        start = self._time
        waiting = [k for k, sign in enumerate(self._armed) if sign == 0]
        if self._noise is None:
            points = [(start, self._values), *zip(times, rows, strict=True)]
            self._noise = noise_of(waiting, points, self._state, self._at)
            self._arm(self._values)
            waiting = [k for k in waiting if self._armed[k] == 0]
        noise = self._noise
        distance = (times[0] - start) * _TOWARDS_START
        shortest = 4 * ulp(max(abs(start), abs(times[-1])))
        while distance > shortest and any(
            abs(row[k]) > noise[k] for row in rows[:2] for k in waiting
        ):
            times.insert(0, start + distance)
            rows.insert(0, look(times[0]))
            distance *= _TOWARDS_START

    def _at(self, time: float, state: Vector) -> list[float]:
        if self._crossings is None:
            return []
        return _numbers(time, np.asarray(self._crossings(time, state), dtype=float).tolist())

    def _along(self, curve: Curve) -> Glance:
        return lambda time: self._at(time, curve(time))


def _checked(glance: Glance) -> Glance:
    return lambda time: _numbers(time, glance(time))


def _numbers(time: float, values: list[float]) -> list[float]:
    """These values, if they are numbers."""
    for k, value in enumerate(values):
        if isnan(value):
            reason = f"zero crossing {k} is not a number"
            raise IntegrationFailed(time, reason, "look there for a division by zero")
    return values


def _crossed(armed: list[int], values: list[float]) -> tuple[int, ...]:
    return tuple([k for k, sign in enumerate(armed) if sign * values[k] < 0])
