"""A curve through rows that does not overshoot at kinks.

SciPy has it too; loading that takes longer than many a run that is verified.
"""

from __future__ import annotations

import numpy as np

from ..core.signals import Vector

_STRAIGHT = 1e-9  # of the largest change of slope: less is none


def akima(time: Vector, values: Vector, wanted: Vector) -> Vector:
    """Cubics between rows at rising times, three or more; wanted times lie between the ends.

    The slope at a row is that of the chords beside it, each with the weight of the kink on the
    far side. H. Akima, A new method of interpolation and smooth curve fitting based on local
    procedures, Journal of the ACM 17, 1970. As SciPy's `Akima1DInterpolator`, to the bit.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # of a run that explodes
        return _read(time, values, wanted)


def _read(time: Vector, values: Vector, wanted: Vector) -> Vector:
    sizes = np.diff(time)
    chords = np.diff(values) / sizes
    before, after = _outside(chords[0], chords[1]), _outside(chords[-1], chords[-2])
    m = np.concatenate([before[::-1], chords, after])
    kinks = np.abs(np.diff(m))
    left, right = kinks[:-2], kinks[2:]
    both = left + right
    slopes = 0.5 * (m[3:] + m[:-3])
    k = np.flatnonzero(both > _STRAIGHT * both.max())
    slopes[k] = m[k + 1] + left[k] / both[k] * (m[k + 2] - m[k + 1])
    bend = (slopes[:-1] + slopes[1:] - 2 * chords) / sizes
    k = np.clip(np.searchsorted(time, wanted, side="right") - 1, 0, len(sizes) - 1)
    s = wanted - time[k]
    square = s * s
    curved = (chords[k] - slopes[k]) / sizes[k] - bend[k]
    found: Vector = values[k] + slopes[k] * s + curved * square + bend[k] / sizes[k] * (square * s)
    return found


def _outside(last: float, other: float) -> Vector:
    """Chords beyond an end: they go on as the last two did."""
    next_ = 2.0 * last - other
    return np.array([next_, 2.0 * next_ - last])
