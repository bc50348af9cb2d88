"""One step of a mixed method, and the curve through it.

Rates are kept as *moves*: multiplied with the size of the step.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.signals import Vector
from ..core.statistics import Effort
from .base import Problem
from .events import Curve
from .fast_part import FastPart
from .pairs import Pair, Terms

Moves = Sequence[Vector | None]


def moved(problem: Problem, time: float, x: Vector, size: float, effort: Effort) -> Vector:
    """How far a step would go with the rates there; counted, in an array of its own."""
    effort.evaluations += 1
    return np.multiply(problem.rates(time, x), size, dtype=float)


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
) -> tuple[Vector, Vector | None]:
    """The state at the end of a step, and the moves there, if they came about on the way."""
    fast, slow = part.fast_places, part.slow_places
    some_fast, some_slow = part.fast.size > 0, part.slow.size > 0
    moves: list[Vector | None] = [first]
    y, here = x, first
    for stage in pair.stages:
        node, share, slow_terms, known_terms, slow_on, fast_on, wants_slow, wants_fast = stage
        instant = end if node == 1 else time + node * size
        before = y
        predicted = some_fast and here is not None
        if predicted:
            part.prepare(problem, time, before, share * size, effort)
            rise = _sum(slow_on if some_slow else fast_on, moves)
            if some_slow and slow_on != fast_on:
                rise[fast] = _sum(fast_on, moves, fast)
            part.predict(rise, len(moves), effort)
            y = before + rise
        else:
            y = x.copy()
            if some_slow:
                y[slow] += _sum(slow_terms, moves, slow)
        here = None
        if some_fast:
            known = x[fast]
            if known_terms:
                known = known + _sum(known_terms, moves, fast)
            stage_number = len(moves) if predicted else None
            here = part.solve(problem, instant, y, known, before, share, size, effort, stage_number)
        if some_slow and wants_slow and here is None:
            here = moved(problem, instant, y, size, effort)
        if some_fast and wants_fast:
            here = np.zeros(x.size) if here is None else here
            here[fast] = (y[fast] - known) / share
        moves.append(here)
    if pair.ends_slow and pair.ends_fast:
        return y, here
    new = x.copy()
    if some_slow:
        new[slow] = y[slow] if pair.ends_slow else x[slow] + _sum(pair.last_slow, moves, slow)
    if some_fast:
        new[fast] = y[fast] if pair.ends_fast else x[fast] + _sum(pair.last_fast, moves, fast)
    return new, None


def _sum(terms: Terms, moves: Moves, places: Any = None) -> Any:
    """Moves with these weights, of some states or all."""
    total: Any = None
    for j, a in terms:
        move = moves[j]
        assert move is not None
        some = move if places is None else move[places]
        if total is None:
            total = some.copy() if a == 1 else a * some
        else:
            total += a * some
    return 0.0 if total is None else total


def curve(
    part: FastPart,
    time: float,
    begin: Vector,
    first: Vector | None,
    size: float,
    end: Vector,
    last: Vector | None,
) -> Curve:
    """Between the ends of a step: a cubic through values and derivatives, given as moves.

    For fast states a straight line: their derivatives magnify whatever small error they have.
    """
    rise = end - begin
    bend, twist = np.zeros_like(rise), np.zeros_like(rise)
    if first is not None and last is not None:
        bend = first - rise
        twist = rise - last - bend
        bend[part.fast] = twist[part.fast] = 0.0

    def at(instant: float) -> Vector:
        s = (instant - time) / size
        return begin + s * (rise + (1 - s) * (bend + s * twist))

    return at
