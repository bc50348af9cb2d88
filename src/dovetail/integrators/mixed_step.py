"""One step of a mixed method, and the curve through it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..signals import Vector
from ..statistics import Effort
from .base import Problem
from .events import Curve
from .fast_part import FastPart
from .pairs import Pair


def evaluated(problem: Problem, time: float, x: Vector, effort: Effort) -> Vector:
    """The rates of change, counted, in an array of their own."""
    effort.evaluations += 1
    return np.array(problem.rates(time, x), dtype=float)


def uses_start(pair: Pair, part: FastPart) -> bool:
    """Whether the rates at the start of a step matter: to slow states always."""
    return bool(part.slow.size) or pair.uses_fast[0]


def step(
    pair: Pair,
    part: FastPart,
    problem: Problem,
    time: float,
    x: Vector,
    size: float,
    end: float,
    first: Vector | None,
    effort: Effort,
) -> Vector:
    """The state at the end of a step."""
    fast, slow = part.fast_places, part.slow_places
    some_fast, some_slow = part.fast.size > 0, part.slow.size > 0
    stages: list[Vector | None] = [first]
    last = len(pair.nodes) - 1
    y = x
    for i in range(1, last + 1):
        node = pair.nodes[i]
        instant = end if node == 1 else time + node * size
        y, slope = x.copy(), None
        if some_slow:
            part_of_y = y[slow]
            for a, k in zip(pair.explicit[i], stages, strict=True):
                if a and k is not None:
                    part_of_y += (size * a) * k[slow]
            y[slow] = part_of_y
        share = size * pair.implicit[i][i]
        if some_fast:
            known = _moved(x[fast], fast, size, pair.implicit[i][:i], stages)
            part.solve(problem, instant, y, known, share, effort)
        if some_slow and pair.uses_slow[i]:
            slope = evaluated(problem, instant, y, effort)
        if some_fast and pair.uses_fast[i]:
            slope = np.zeros(x.size) if slope is None else slope
            slope[fast] = (y[fast] - known) / share
        stages.append(slope)
    if some_slow and not pair.ends_slow:
        y[slow] = _moved(x[slow], slow, size, pair.explicit_weights, stages)
    if some_fast and not pair.ends_fast:
        y[fast] = _moved(x[fast], fast, size, pair.implicit_weights, stages)
    return y


def _moved(
    x: Vector, places: Any, size: float, weights: Sequence[float], stages: Sequence[Vector | None]
) -> Vector:
    """Some states, moved by the rates of stages with these weights."""
    for a, k in zip(weights, stages, strict=False):
        if a:
            assert k is not None
            x = x + (size * a) * k[places]
    return x


def curve(
    part: FastPart,
    time: float,
    begin: Vector,
    slope: Vector | None,
    size: float,
    end: Vector,
    last: Vector | None,
) -> Curve:
    """Between the ends of a step: a cubic through values and slopes.

    For fast states a straight line: their slopes magnify whatever small error they have.
    """
    rise = end - begin
    bend, twist = np.zeros_like(rise), np.zeros_like(rise)
    if slope is not None and last is not None:
        bend = size * slope - rise
        twist = rise - size * last - bend
        bend[part.fast] = twist[part.fast] = 0.0

    def at(instant: float) -> Vector:
        s = (instant - time) / size
        return begin + s * (rise + (1 - s) * (bend + s * twist))

    return at
