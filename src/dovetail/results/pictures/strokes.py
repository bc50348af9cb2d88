"""How the curves of a panel are told apart, also where they lie on each other."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from ...core.signals import Vector
from .curves import Curve
from .panels import COLOURS, Panel

_SAME = 2e-3  # of the range of a panel: nearer curves cannot be told apart by eye
_DASH = 5.0  # in widths of the line


@dataclass(frozen=True, slots=True)
class Stroke:
    """One curve: colour, width in points, dashes in points, what the legend says."""

    colour: str
    width: float
    label: str
    dashes: tuple[float, float] | None = None
    offset: float = 0.0


def strokes(panel: Panel, curves: list[Curve]) -> list[Stroke]:
    """One stroke for each curve. A curve that lies on an earlier one is dashed, and says so."""
    below = [_below(curves, place) for place in range(len(curves))]
    covered = Counter(found[0] for found in below if found is not None)
    thickest = 2.0 if len(curves) <= 4 else 1.6
    passed: Counter[int] = Counter()
    made = []
    for place, found in enumerate(below):
        colour, label = panel.colour(place), panel.entry(place)
        if found is None:
            width = thickest - 0.15 * min(place, 4)  # curves beneath still show
            width = thickest + 1.2 if covered[place] else width
            width = panel.traces[place].look.width or width
            plain = place < len(COLOURS)
            made.append(Stroke(colour, width, label, None if plain else (6.0, 3.0)))
            continue
        base, sign = found
        on, all_of_them = _DASH, _DASH * (covered[base] + 1)
        label = f"{label} {sign} {panel.entry(base)}"
        offset = on * passed[base]
        passed[base] += 1
        made.append(Stroke(colour, 0.7 * thickest, label, (on, all_of_them - on), offset))
    return made


def _below(curves: list[Curve], place: int) -> tuple[int, str] | None:
    """The first earlier curve that this one lies on, and how near: '=' or '≈'."""
    here = curves[place]
    if here.text is not None:
        return None
    for k, other in enumerate(curves[:place]):
        if other.text is None and (sign := _likeness(other, here)):
            first = _below(curves, k)
            return (k, sign) if first is None else (first[0], sign if first[1] == "=" else "≈")
    return None


def _likeness(one: Curve, other: Curve) -> str:
    """'=' if all recorded values are equal, '≈' if no eye can tell the points apart."""
    if one.x.shape != other.x.shape or not np.array_equal(one.x, other.x, equal_nan=True):
        return "≈" if _near(one, other) and _near(other, one) else ""
    if np.array_equal(one.values, other.values, equal_nan=True):
        whole = not one.thinned or np.array_equal(_all(one), _all(other), equal_nan=True)
        return "=" if whole else "≈"
    return "≈" if _apart(one.values, other.values) <= _SAME else ""


def _near(one: Curve, other: Curve) -> bool:
    """Whether the points of one lie on the other, which has other times."""
    if one.trace.over is not None or (one.time[0], one.time[-1]) != (other.time[0], other.time[-1]):
        return False
    return _apart(one.values, np.interp(one.time, other.time, other.values)) <= _SAME


def _apart(one: Vector, other: Vector) -> float:
    """The largest distance, as a share of the range."""
    gaps = np.isnan(one)
    if gaps.all() or not np.array_equal(gaps, np.isnan(other)):
        return np.inf
    with np.errstate(over="ignore", invalid="ignore"):
        span, apart = float(np.ptp(one[~gaps])), float(np.max(np.abs(one[~gaps] - other[~gaps])))
    return apart / span if 0 < span < np.inf else np.inf


def _all(one: Curve) -> Vector:
    return one.trace.result[one.trace.column.name].astype(float)
