"""Which rows of one result belong to which rows of another, across events."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..core.errors import OptionError
from ..core.signals import Vector
from .recorders.base import Array

Rows = NDArray[np.intp]
MOST_SLACK = 1e-3  # of the common range, however loose the tolerance
Apart = Callable[[Array, Array], Vector]  # how far values are apart, one by one


@dataclass(frozen=True, slots=True, eq=False)
class Pairing:
    """For rows of a first result: where each lies in a second one.

    An event is a time with more than one row: the first of them is left of it, the last right.
    Events that both results have, within `slack`, cut both into spans, and rows are sought
    only in the span that corresponds to theirs. Where one result alone has an event and the
    other just one row, that row may mean either side.
    """

    rows: Rows  # of the first result; all that follows has one entry for each
    left: Rows  # the row of the second result before or at that time ...
    right: Rows  # ... the one after it ...
    part: Vector  # ... and how far in between
    earliest: Rows  # the row before or at that time less slack, if none is right there
    latest: Rows  # the row before or at that time plus slack, if none is right there
    sides: Rows  # events that the first lacks: lines of entry, row left of it, row right of it
    twins: Rows  # events that the second lacks: lines of entry left of it, entry right of it
    start: float
    stop: float
    same_range: bool

    @staticmethod
    def of(a: Vector, b: Vector, rtol: float) -> Pairing:
        """Pair two columns of times; `rtol` of their common range is no difference."""
        start, stop = float(max(a[0], b[0])), float(min(a[-1], b[-1]))
        slack = min(max(rtol, 1e-12), MOST_SLACK) * max(stop - start, 0.0)
        kept_a, kept_b = _without_middles(a), _without_middles(b)
        kept_a = kept_a[(a[kept_a] >= start - slack) & (a[kept_a] <= stop + slack)]
        if not len(kept_a):
            raise OptionError(
                f"no row of the first result ({a[0]:g} to {a[-1]:g} s) lies within the second "
                f"({b[0]:g} to {b[-1]:g} s)"
            )
        times, others = a[kept_a], b[kept_b]
        events_a, events_b = _events(times), _events(others)
        common = _common(times, events_a, others, events_b, slack)
        at, after, early, late = _places(times, others, common, slack)
        size = others[after] - others[at]
        part = np.clip((times - others[at]) / np.where(size > 0, size, 1.0), 0.0, 1.0)
        sides = _sides(times, others, set(events_b) - {j for _, j in common}, slack)
        sides[:, 1:] = kept_b[sides[:, 1:]]
        twins = _twins(times, others, set(events_a) - {i for i, _ in common}, slack)
        same = abs(a[0] - b[0]) <= slack and abs(a[-1] - b[-1]) <= slack
        left, right, earliest, latest = (kept_b[rows] for rows in (at, after, early, late))
        return Pairing(
            kept_a, left, right, part, earliest, latest, sides, twins, start, stop, bool(same)
        )

    def interpolated(self, values: Vector) -> Vector:
        """A real column of the second result at the rows of the first."""
        begin, end = values[self.left], values[self.right]
        with np.errstate(invalid="ignore"):
            return np.where(self.part > 0, begin + self.part * (end - begin), begin)

    def lenient(self, errors: Vector, x: Array, y: Array, apart: Apart) -> Vector:
        """Errors where one result alone has an event: the better of its two sides counts.

        `x` has the values of the first result at `rows`, `y` the second result's column.
        """
        entries = self.sides[:, 0]
        for rows in (self.sides[:, 1], self.sides[:, 2]):
            np.minimum.at(errors, entries, apart(x[entries], y[rows]))
        errors[self.twins] = errors[self.twins].min(axis=1, keepdims=True)
        return errors


def _without_middles(time: Vector) -> Rows:
    """All rows, but of more than two with the same time only the first and the last."""
    same = np.diff(time) <= 0
    middle = np.zeros(len(time), dtype=bool)
    middle[1:-1] = same[:-1] & same[1:]
    return np.flatnonzero(~middle)


def _events(time: Vector) -> list[int]:
    """The rows right of an event; the one before it is left of it."""
    found: list[int] = (np.flatnonzero(np.diff(time) <= 0) + 1).tolist()
    return found


def _common(
    a: Vector, events_a: list[int], b: Vector, events_b: list[int], slack: float
) -> list[tuple[int, int]]:
    """The rows right of every event that both have."""
    common, i, j = [], 0, 0
    while i < len(events_a) and j < len(events_b):
        apart = a[events_a[i]] - b[events_b[j]]
        if abs(apart) <= slack:
            common.append((events_a[i], events_b[j]))
        i, j = i + (apart <= slack), j + (apart >= -slack)
    return common


def _places(
    a: Vector, b: Vector, common: list[tuple[int, int]], slack: float
) -> tuple[Rows, Rows, Rows, Rows]:
    """For each row of the first: rows of the second at its time, after it, early and late."""
    found = np.empty((4, len(a)), dtype=np.intp)
    begin_a = begin_b = 0
    for end_a, end_b in [*common, (len(a), len(b))]:
        span, times = b[begin_b:end_b], a[begin_a:end_a]

        def row(times: Vector, span: Vector = span) -> Rows:
            return np.searchsorted(span, np.clip(times, span[0], span[-1]), side="right") - 1

        at, early, late = row(times), row(times - slack), row(times + slack)
        exact = span[at] == times
        after = np.minimum(at + 1, len(span) - 1)
        early, late = np.where(exact, at, early), np.where(exact, at, late)
        found[:, begin_a:end_a] = begin_b + np.array([at, after, early, late])
        begin_a, begin_b = end_a, end_b
    return found[0], found[1], found[2], found[3]


def _sides(a: Vector, b: Vector, lone: set[int], slack: float) -> Rows:
    """Every row of the first at a lone event of the second, with the rows on its two sides."""
    lines = [
        (entry, event - 1, event) for event in sorted(lone) for entry in _near(a, b[event], slack)
    ]
    return np.array(lines, dtype=np.intp).reshape(-1, 3)


def _twins(a: Vector, b: Vector, lone: set[int], slack: float) -> Rows:
    """Both sides of every lone event of the first at which the second has a row."""
    lines = [(event - 1, event) for event in sorted(lone) if _near(b, a[event], slack)]
    return np.array(lines, dtype=np.intp).reshape(-1, 2)


def _near(times: Vector, time: float, slack: float) -> range:
    """The rows within slack of a time."""
    begin = np.searchsorted(times, time - slack, side="left")
    return range(int(begin), int(np.searchsorted(times, time + slack, side="right")))
