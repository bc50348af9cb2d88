"""How far two results of one system are apart: each signal, as a share of its range."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import inf

import numpy as np
from numpy.typing import NDArray

from ..core.signals import Vector
from ..results.apart import apart, range_of, size_of
from .akima import akima

_SLACK = 1e-9  # of the time both have: such times are the same
_FLAT = 1e-9  # of a signal's size: a range below is none
_COMMON = 0.3  # of the rows of the shorter one: with fewer, values are read between rows
_UNSURE = 2.0  # times what a curve between rows is seen to be off by

Columns = Mapping[str, Vector]


@dataclass(frozen=True, slots=True, eq=False)
class Distance:
    """How far apart: by signal the share of its range, and the time where it is largest.

    `events`: how many there are in each of the two.
    """

    shares: Mapping[str, float]
    times: Mapping[str, float]
    events: tuple[int, int]


def distance(
    time: Vector,
    values: Columns,
    other_time: Vector,
    other: Columns,
    nominal: Mapping[str, float],
    *,
    spikes: bool = False,
    early: tuple[float, float] = (-inf, 1.0),
) -> Distance:
    """Compare at the times that both have; where there are few, between rows on smooth curves.

    `spikes`: rows of the first between those of the second are looked at as well, since errors
    of single windows may stand out there, as after a start; what the curve is seen to be off by
    is taken off twice, and values that are held there say nothing. `early`: up to that time a
    difference counts for so much only. Events cut both into spans,
    and each span is compared with its own, left of an event with left: an event that comes a
    little later is not taken for an error as high as its jump. The range is that of the second,
    which is the better one, or the nominal value where a signal hardly moves: a run that explodes
    has a huge range, and its error would look small in it.
    """
    cuts, other_cuts = events(time), events(other_time)
    if len(cuts) != len(other_cuts):
        cuts = other_cuts = []
    spans = list(zip(_spans(cuts, len(time)), _spans(other_cuts, len(other_time)), strict=True))
    places = [_Places.of(time[a], other_time[b], spikes=spikes) for a, b in spans]
    shares, times = {}, {}
    for name in (n for n in values if n in other):
        scale = _scale(values[name], other[name], nominal.get(name))
        worst, when = 0.0, float(time[0])
        for (a, b), place in zip(spans, places, strict=True):
            found = place.differences(values[name][a], other_time[b], other[name][b])
            found = np.where(place.times <= early[0], early[1] * found, found)
            if len(found) and found.max() > worst:
                k = int(np.argmax(found))
                worst, when = float(found[k]), float(place.times[k])
        shares[name], times[name] = (worst / scale if scale else 0.0), when
    counts = len(events(time)), len(events(other_time))
    return Distance(shares, times, counts)


def events(time: Vector) -> list[int]:
    """The rows right of an event; the one before it is left of it."""
    right = np.flatnonzero(np.diff(time) <= 0) + 1
    last = np.append(np.diff(right) > 1, True)[: len(right)]  # of more than two rows at one time
    found: list[int] = right[last].tolist()
    return found


def _spans(cuts: list[int], rows: int) -> Iterator[slice]:
    for begin, end in pairwise([0, *cuts, rows]):
        yield slice(begin, end)


@dataclass(frozen=True, slots=True, eq=False)
class _Places:
    """Where the rows of one span lie in the corresponding span of the other result."""

    rows: NDArray[np.intp]  # of the first
    others: NDArray[np.intp]  # the same times in the second, for as many of the rows as have one
    times: Vector
    believed: bool  # whether the curve between rows is

    @staticmethod
    def of(time: Vector, other: Vector, *, spikes: bool) -> _Places:
        time, slack = np.asarray(time), _SLACK * max(float(other[-1] - other[0]), 0.0)
        near = np.minimum(np.searchsorted(other, time - slack), len(other) - 1)
        same = np.abs(other[near] - time) <= slack
        common = np.flatnonzero(same)
        believed = len(common) < _COMMON * min(len(time), len(other))
        inside = ~same & (time > other[0]) & (time < other[-1]) & (believed or spikes)
        rows = np.concatenate([common, np.flatnonzero(inside)])
        return _Places(rows, near[common], time[rows], believed)

    def differences(self, mine: Vector, other_time: Vector, theirs: Vector) -> Vector:
        """How far apart they are at these rows; infinitely where only one is a number."""
        count = len(self.others)
        here, rest = self.rows[:count], self.rows[count:]
        found = apart(mine[here], theirs[self.others])
        if not len(rest):
            return found
        curve = between(other_time, theirs, self.times[count:])
        off = apart(mine[rest], curve)
        if self.believed:
            smooth = between(other_time, theirs, self.times[count:], smooth=True)
            off = np.minimum(off, apart(mine[rest], smooth))
        elif np.all(np.isfinite(theirs)):
            line = np.interp(self.times[count:], other_time, theirs)
            own = between(other_time[self.others], mine[here], self.times[count:])
            unsure = np.minimum(np.abs(curve - line), apart(mine[rest], own))
            moves = np.concatenate([[True], np.diff(mine) != 0, [True]])  # into a row, out of it
            held = ~(moves[rest] & moves[rest + 1])
            off = np.where(held, 0.0, np.maximum(off - _UNSURE * unsure, 0.0))
        return np.concatenate([found, off])


def between(time: Vector, values: Vector, wanted: Vector, *, smooth: bool = False) -> Vector:
    """Values between rows, on a curve without corners that does not overshoot at kinks.

    `smooth`: on one with fewer corners, which is nearer where there are no kinks.
    """
    time, first = np.unique(time, return_index=True)
    values = values[first]
    if len(time) < 3 or not np.all(np.isfinite(values)):
        found: Vector = np.interp(wanted, time, values)
        return found
    inside = np.clip(wanted, time[0], time[-1])
    if not smooth:
        return akima(time, values, inside)
    from scipy.interpolate import CubicSpline

    read: Vector = CubicSpline(time, values)(inside)
    return read


def _scale(mine: Vector, theirs: Vector, nominal: float | None) -> float:
    """What a difference is compared with."""
    span = range_of(theirs)
    size = max(size_of(mine), size_of(theirs))
    if span > _FLAT * size_of(theirs):
        return span
    return abs(nominal) if nominal else size
