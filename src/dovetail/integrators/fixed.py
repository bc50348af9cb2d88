"""Steps of one size."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, isfinite
from typing import Literal

import numpy as np

from ..core.options import check_number
from ..core.signals import Vector
from .base import Arc, IntegrationFailed, Problem, not_finite, quietly
from .events import Curve
from .running import Run, Stretch, arrived

Method = Literal["euler", "semi_implicit", "heun", "midpoint", "rk4"]

# How far along the previous derivative each further stage is, and the weights of all derivatives.
_METHODS: dict[str, tuple[tuple[float, ...], tuple[float, ...]]] = {
    "euler": ((), (1.0,)),
    "semi_implicit": ((), (1.0,)),
    "heun": ((1.0,), (1 / 2, 1 / 2)),
    "midpoint": ((1 / 2,), (0.0, 1.0)),
    "rk4": ((1 / 2, 1 / 2, 1.0), (1 / 6, 1 / 3, 1 / 3, 1 / 6)),
}


@dataclass(frozen=True, slots=True)
class FixedSize(Run):
    """Equal explicit steps of at most `size`, as few as fit between start and stop.

    `euler` is of order 1 with one evaluation per step, `heun` and `midpoint` of order 2 with two,
    `rk4` of order 4 with four. `semi_implicit`, for states in the order positions, velocities, is
    Euler's method with the new velocities in the positions: order 1, two evaluations, and no
    oscillation gains energy. Nothing is estimated: choose the size well below the fastest time
    constant. The same to the last bit on every machine, if the rates are. The curve between
    steps is a cubic through values and derivatives.

    Events are located on that curve. With `locate` off they happen where the step ends that went
    past them, up to a step late: what a target does that has no time to search, and what fmuCheck
    and the solver of the Reference FMUs do.

    Native twin, for FMUs: `native/explicit.c`.
    """

    size: float
    method: Method = "rk4"
    locate: bool = True

    def __post_init__(self) -> None:
        check_number("the step size", self.size, above=0)
        if self.method not in _METHODS:
            names = ", ".join(_METHODS)
            raise ValueError(f"{self.method!r} is not a method of fixed steps: {names}")
        if not isinstance(self.locate, bool):
            raise ValueError(f"locate must be True or False, not {self.locate!r}")

    @quietly
    def _follow(self, stretch: Stretch) -> Arc:
        problem, start, x, stop, watch, _, _ = stretch
        nodes, weights = _METHODS[self.method]
        count = max(1, ceil((stop - start) / self.size - 1e-9))
        size = (stop - start) / count
        derivatives = np.empty((len(weights), x.size))
        derivatives[0] = problem.rates(start, x)
        time, evaluations = start, 1
        for step in range(1, count + 1):
            end = stop if step == count else start + step * size
            for i, node in enumerate(nodes):
                instant = end if node == 1 else time + node * size
                derivatives[i + 1] = problem.rates(instant, x + (node * size) * derivatives[i])
            new = x + size * _mean(derivatives, weights)
            if self.method == "semi_implicit":
                new, evaluations = _positions(problem, time, x, new, size), evaluations + 1
            if not isfinite(new.dot(new)) and not np.isfinite(new).all():
                raise not_finite(time)
            evaluations += len(nodes)
            if watch or step < count:
                derivative = np.array(problem.rates(end, new), dtype=float)
                evaluations += 1
            if watch:
                if self.locate:
                    event = watch.step(
                        end, new, _cubic(time, x, derivatives[0], size, new, derivative)
                    )
                else:
                    event = watch.arrive(end, new)
                if event:
                    return event.arc(None, step, evaluations, 0)
            if step < count:
                time, x, derivatives[0] = end, new, derivative
        return arrived(stop, new, watch, None, count, evaluations)


def _positions(problem: Problem, time: float, x: Vector, new: Vector, size: float) -> Vector:
    """The first half of the states again, moved with what the second half has become."""
    if x.size % 2:
        what = f"semi_implicit needs as many positions as velocities, and there are {x.size} states"
        raise IntegrationFailed(time, what, "use 'euler' or 'rk4'")
    half, between = x.size // 2, new.copy()
    between[:half] = x[:half]
    new[:half] = x[:half] + size * problem.rates(time, between)[:half]
    return new


def _mean(derivatives: Vector, weights: tuple[float, ...]) -> Vector:
    total: Vector = weights[-1] * derivatives[-1]
    for weight, derivative in zip(weights[:-1], derivatives[:-1], strict=True):
        if weight:
            total += weight * derivative
    return total


def _cubic(
    time: float, begin: Vector, derivative: Vector, size: float, end: Vector, last: Vector
) -> Curve:
    """The cubic with these values and derivatives at both ends."""
    rise = end - begin
    bend = size * derivative - rise
    twist = rise - size * last - bend

    def at(instant: float) -> Vector:
        s = (instant - time) / size
        return begin + s * (rise + (1 - s) * (bend + s * twist))

    return at
