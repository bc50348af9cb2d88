"""The control part of outputs: what a linearization does not explain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..core.signals import Vector
from ..subsystems.subsystem import Linearization
from .response import Motion

Control = Literal["zero", "first", "flexible"]
_HIGHEST: dict[Control, int] = {"zero": 0, "first": 1, "flexible": 2}
KEPT = 3  # samples before the present one: as many as it takes to judge a parabola


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """States, inputs and outputs where a window began."""

    time: float
    x: Vector
    u: Vector
    y: Vector


def control_part(
    past: Sequence[Sample], here: Sample, lin: Linearization, size: float, control: Control
) -> Motion:
    """y_C = y - (C x + D u) at the end of a window of this size, and its derivative there.

    Past samples are seen with the present C and D. (With their own, as in the article, nothing
    converges for an output such as y = x^2: what is compared would mean something else each
    time.) Flexible: for each output the order, up to the parabola, that would have predicted
    the present sample best from those before it; of two that are equally good, the lower one.
    """
    seen = [s.y - lin.C @ s.x - lin.D @ s.u for s in (here, *past)]
    times = [s.time - here.time for s in (here, *past)]
    highest = min(_HIGHEST[control], len(past))
    found = [_polynomial(times, seen, order, size) for order in range(highest + 1)]
    if highest == 0:
        return found[0]
    best = np.full(seen[0].size, min(highest, 1))
    if control == "flexible" and len(past) > 1:
        tried = range(min(highest, len(past) - 1) + 1)
        misses = [
            np.abs(_polynomial(times[1:], seen[1:], order, 0.0).values - seen[0]) for order in tried
        ]
        best = np.argmin(misses, axis=0)  # the first of equals
    index = np.arange(best.size)
    return Motion(
        np.array([f.values for f in found])[best, index],
        np.array([f.derivatives for f in found])[best, index],
    )


def _polynomial(times: Sequence[float], values: Sequence[Vector], order: int, at: float) -> Motion:
    """A polynomial through the newest samples, and its derivative, in Newton's form."""
    value, derivative = values[0], np.zeros(values[0].size)
    factor, rate = 1.0, 0.0  # (t - t_0) ... (t - t_{k-1}) and its derivative
    row = list(values[: order + 1])
    for k in range(1, order + 1):
        row = [(row[j] - row[j + 1]) / (times[j] - times[j + k]) for j in range(len(row) - 1)]
        factor, rate = factor * (at - times[k - 1]), rate * (at - times[k - 1]) + factor
        value, derivative = value + factor * row[0], derivative + rate * row[0]
    return Motion(value, derivative)
