"""Signals at times between the ends of windows, along curves.

A measurement has times of its own. On straight lines between windows a signal is off by a part of
its curvature, which a fit would take for a property of the parameters.
"""

from __future__ import annotations

import numpy as np
from scipy.interpolate import Akima1DInterpolator

from ..core.signals import Vector
from ..results.between_rows import between_rows
from ..results.result import Result

_FEWEST = 3  # rows that bend a curve


def along_curves(result: Result, name: str, times: Vector) -> Vector:
    """A signal at these times; NaN beyond the end of the run. No curve crosses an event."""
    time, values = result.time, np.asarray(result[name], dtype=float)
    found = np.full(times.size, np.nan)
    if not time.size:
        return found
    slack = 1e-9 * float(time[-1] - time[0])
    inside = (times >= time[0] - slack) & (times <= time[-1] + slack)
    wanted = np.clip(times[inside], time[0], time[-1])
    real = result.column(name).is_real
    made: Vector = np.asarray(between_rows(time, values, wanted, name, real=real), dtype=float)
    if real:
        edges = np.flatnonzero(np.diff(time) <= 0) + 1
        for first, last in zip([0, *edges], [*edges, time.size], strict=True):
            here = (wanted >= time[first]) & (wanted <= time[last - 1])
            if last < time.size:
                here &= wanted < time[last]
            if here.any() and last - first >= _FEWEST:
                curve = Akima1DInterpolator(time[first:last], values[first:last])
                made[here] = curve(wanted[here])
    found[inside] = made
    return found
