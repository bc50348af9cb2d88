"""How far a run is from a reference.

Two measures. **Deviation**: for each row of the reference, how far its value is from all values
that the run takes around that time, over the range of the reference (its size where it is
constant). Around means a thousandth of the duration to each side, but at most a tenth of the
distance of rows. So steep flanks may be a little early or late. A row right at a flank, between two
that agree, may have a value from before it or after it. **Band**: what the cross-check itself asks
for, in the form that FMPy gave it: a tube around the reference, one percent of the duration and
ten percent of the range to each side; a run passes if less than a tenth of its rows lie outside.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .files import Rows

LEEWAY = 1e-3  # in time, of the duration
NEAR = 0.1  # and no more of the distance of rows
CLOSE = 1e-3  # deviation up to which a run agrees
SAMPLES, WIDTH, HEIGHT, OUTSIDE = 1000, 20, 0.1, 0.1  # the tube of the cross-check


@dataclass(frozen=True)
class Distance:
    """The variable that is farthest off, by how much and where."""

    name: str
    deviation: float
    time: float
    values: tuple[float, float]
    in_band: bool


def distance(run: Rows, reference: Rows) -> Distance | None:
    """The farthest of all variables that both have; None if there is none."""
    found = [_apart(name, run, reference) for name in reference.columns if name in run.columns]
    if not found:
        return None
    worst = max(found, key=lambda one: one.deviation)
    inside = all(one.in_band for one in found)
    return Distance(worst.name, worst.deviation, worst.time, worst.values, inside)


def _apart(name: str, run: Rows, reference: Rows) -> Distance:
    t, y = run.time, run.columns[name].astype(float)
    # the clock of a run may end a rounding before the last row of the reference
    slack = 1e-9 * max(abs(t[-1]), t[-1] - t[0])
    shared = (reference.time >= t[0] - slack) & (reference.time <= t[-1] + slack)
    shared &= np.isfinite(reference.columns[name])
    at, wanted = np.clip(reference.time[shared], t[0], t[-1]), reference.columns[name][shared]
    if not at.size:
        return Distance(name, np.inf, float(t[0]), (np.nan, np.nan), in_band=False)
    scale = _scale(wanted)
    off = np.abs(np.interp(at, t, y) - wanted)
    apart = np.diff(at)
    leeway = LEEWAY * (t[-1] - t[0])
    if np.any(apart > 0):
        leeway = min(leeway, NEAR * float(np.median(apart[apart > 0])))
    for k in np.flatnonzero(off > 0.01 * CLOSE * scale):
        off[k] = min(off[k], _off(t, y, at[k], wanted[k], leeway))
    off[~np.isfinite(off)] = np.inf
    off = _at_flanks(off, np.interp(at, t, y), wanted, CLOSE * scale)
    worst = int(np.argmax(off))
    there = float(at[worst])
    values = float(np.interp(there, t, y)), float(wanted[worst])
    inside = _outside(t, y, at, wanted) < OUTSIDE
    return Distance(name, float(off[worst] / scale), there, values, inside)


def _scale(values: Any) -> float:
    low, high = float(np.min(values)), float(np.max(values))
    return (high - low) or abs(high) or 1.0


def _off(t: Any, y: Any, at: float, wanted: float, leeway: float) -> float:
    """How far a value is from all that a run takes around a time."""
    low, high = at - leeway, at + leeway
    first, last = np.searchsorted(t, low, "left"), np.searchsorted(t, high, "right")
    around = np.concatenate([y[first:last], np.interp([low, high], t, y)])
    return max(float(around.min()) - wanted, wanted - float(around.max()), 0.0)


def _at_flanks(off: Any, y: Any, wanted: Any, close: float) -> Any:
    """Single rows that are off may lie between their neighbours, where those agree.

    That is between the values on both sides, each continued on a straight line.
    """
    found = off.copy()
    for k in np.flatnonzero(off[2:-2] > close) + 2:
        if max(off[k - 1], off[k + 1]) <= close:
            a, b, c, d = wanted[[k - 2, k - 1, k + 1, k + 2]]
            around = np.array([b, 2 * b - a, c, 2 * c - d])
            found[k] = max(around.min() - y[k], y[k] - around.max(), 0.0)
    return found


def _outside(t: Any, y: Any, at: Any, wanted: Any) -> float:
    """The share of a run's rows that lie outside the tube around the reference."""
    if at[0] == at[-1]:
        return float(np.mean(np.abs(y - wanted[0]) > HEIGHT * _scale(wanted)))
    grid = np.linspace(at[0], at[-1], SAMPLES)
    middle = np.interp(grid, at, wanted)
    padded = np.pad(middle, (WIDTH // 2, WIDTH // 2 - 1), mode="edge")
    near = np.lib.stride_tricks.sliding_window_view(padded, WIDTH)
    margin = HEIGHT * (np.ptp(middle) or abs(middle[0]) or 5.0)
    low = np.interp(t, grid, near.min(axis=1) - margin)
    high = np.interp(t, grid, near.max(axis=1) + margin)
    inside = (t > at[0]) & (t < at[-1])
    return float(np.mean(((y < low) | (y > high)) & inside))
