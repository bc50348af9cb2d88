"""Implicit steps for fast states, explicit ones for slow states, in one method."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, inf, isfinite
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..core.options import check_number
from ..core.signals import Vector
from ..core.statistics import Effort
from ..cycles import Scales
from .amplification import radius
from .base import Arc, IntegrationFailed, Problem, not_finite, quietly
from .factors import Linear
from .fast_part import FastPart
from .mixed_step import curve, moved, step, uses_start
from .pairs import PAIRS
from .running import Run, Stretch, arrived

Method = Literal["euler", "midpoint", "heun", "ars3"]
Index = NDArray[np.intp]
_LARGEST = 1.001  # a spectral radius up to here is taken for one
_CHECKED = 2000  # states up to which a split that was chosen here is also checked


@dataclass(frozen=True, slots=True)
class Mixed(Run):
    """Equal steps of at most `size`, implicit for fast states and explicit for the others.

    `euler` is of order 1, `midpoint` and `heun` of 2, `ars3` of 3. Per step one evaluation, and
    per implicit stage one to three more with a back substitution of the size of the fast part;
    its factors are kept as long as they serve, also from window to window. `fast` holds the
    numbers of the fast states. Without it they are chosen at the start: those whose bound by
    cycle analysis with `alpha` is below `size`, and more if the step would amplify something
    that the equations do not. With `renew`, the choice is made again after so many seconds.
    `euler` and `ars3` damp what is much faster than the step, `midpoint` and `heun` do not.
    """

    size: float
    method: Method = "heun"
    fast: tuple[int, ...] | None = None
    alpha: float = 0.5
    renew: float = inf
    tolerance: float = 1e-9
    linear: Linear = "auto"

    def __post_init__(self) -> None:
        check_number("the step size", self.size, above=0)
        if self.method not in PAIRS:
            raise ValueError(f"{self.method!r} is not a mixed method: {', '.join(PAIRS)}")
        check_number("alpha", self.alpha, above=0, most=1)
        check_number("renew", self.renew, above=0, endless=True)
        check_number("tolerance", self.tolerance)
        if not 0 < self.tolerance < 1e-2:
            raise ValueError(f"tolerance must be between 0 and 0.01, not {self.tolerance!r}")
        if self.fast is not None and any(k < 0 for k in self.fast):
            raise ValueError("fast states are counted from 0")

    def follower(self) -> MixedFollower:
        """For one part: it keeps the split and the factors."""
        return MixedFollower(self)

    def _follow(self, stretch: Stretch) -> Arc:
        return self.follower()._follow(stretch)


class MixedFollower(Run):
    """Mixed steps of one part."""

    def __init__(self, options: Mixed) -> None:
        self.options = options
        self.part: FastPart | None = None
        self._chosen = -inf  # when the split was made
        self._last: tuple[float, Vector, Vector] | None = None  # rates where the last run ended

    @quietly
    def _follow(self, stretch: Stretch) -> Arc:
        _, start, x, _, _, _, going_on = stretch
        last, self._last = self._last, None
        derivative = None
        if going_on and last and last[0] == start and np.array_equal(last[1], x):
            derivative = last[2]
        elif self.part is not None:
            self.part.forget()
        return self._steps(stretch, derivative)

    def memory(self) -> Any:
        """What later steps depend on beside the state, as plain values; None before the first."""
        if self.part is None:
            return None
        return self._chosen, self.part.fast, self.part.slow.size, *self.part.memory()

    def recall(self, memory: Any) -> None:
        """Go on as one would have with this memory."""
        self._last = None
        if memory is None:
            if self.part is not None:
                self.part.recall(None)
            return
        self._chosen, fast, slow, *rest = memory
        if self.part is None or not np.array_equal(fast, self.part.fast):
            o = self.options
            self.part = FastPart(fast, fast.size + slow, o.linear, o.tolerance)
        self.part.recall(tuple(rest))

    def _steps(self, stretch: Stretch, derivative: Vector | None) -> Arc:
        problem, start, x, stop, watch, _, _ = stretch
        options, effort = self.options, Effort()
        pair = PAIRS[options.method]
        count = max(1, ceil((stop - start) / options.size - 1e-9))
        size = (stop - start) / count
        time, moves = start, None if derivative is None else size * derivative
        watches = (
            problem.crossings is not None
        )  # derivatives at both ends are needed to look between
        renews = options.fast is None and options.renew < inf
        for number in range(1, count + 1):
            end = stop if number == count else start + number * size
            part = self.part
            if part is None or renews:
                part = self._split(problem, time, x, effort)
            part.since = time
            if moves is None and (watches or uses_start(pair, part)):
                moves = moved(problem, time, x, size, effort)
            new, last = step(pair, part, problem, time, x, size, end, moves, effort)
            effort.steps += 1
            if not isfinite(new.dot(new)) and not np.isfinite(new).all():
                raise not_finite(time)
            if watch:
                if watches and last is None:
                    last = moved(problem, end, new, size, effort)
                event = watch.step(end, new, curve(part, time, x, moves, size, new, last))
                if event:
                    return event.arc(None, effort.steps, _asked(effort), 0, effort)
            time, x, moves = end, new, last
        self._last = None if moves is None else (stop, x.copy(), moves / size)
        return arrived(stop, x, watch, None, effort.steps, _asked(effort), 0, effort)

    def _split(self, problem: Problem, time: float, x: Vector, effort: Effort) -> FastPart:
        """The fast part: as it was, or chosen here and now."""
        o = self.options
        due = self.part is None or not (0 <= time - self._chosen < o.renew)
        if o.fast is None and due:
            fast = chosen(problem, time, x, o, effort)
            self._chosen = time
            if self.part is None or not np.array_equal(fast, self.part.fast):
                self.part = FastPart(fast, x.size, o.linear, o.tolerance)
        if self.part is None:
            assert o.fast is not None
            fast = np.array(sorted(set(o.fast)), dtype=np.intp)
            if fast.size and fast[-1] >= x.size:
                reason = f"state {fast[-1]} cannot be fast: there are {x.size} states"
                raise IntegrationFailed(time, reason, "states are counted from 0")
            self.part = FastPart(fast, x.size, o.linear, o.tolerance)
        return self.part


def chosen(problem: Problem, time: float, x: Vector, options: Mixed, effort: Effort) -> Index:
    """The states that are fast for steps of this size.

    Those whose bound is below it, on the safe side. Bounds are a hint and no proof: while the
    step amplifies what the equations do not, the next states are added.
    """
    if not x.size:
        return np.zeros(0, dtype=np.intp)
    J = _whole_jacobian(problem, time, x, effort)
    if not np.isfinite(J.data if hasattr(J, "tocsc") else J).all():
        raise not_finite(time)
    bounds = Scales(J).bounds(options.alpha).lower
    order = np.argsort(bounds, kind="stable")
    count = int(np.searchsorted(bounds[order], options.size, side="left"))
    if x.size <= _CHECKED:
        steps = [count]
        while steps[-1] < x.size:  # more and more, to be done in few tries
            steps.append(min(x.size, max(steps[-1] + 1, int(1.5 * steps[-1]))))
        for count in steps:
            fast = np.sort(order[:count]).astype(np.intp)
            if radius(J, fast, options.size, options.method) <= _LARGEST:
                break
            if count == steps[0] and _grows(J):
                break  # the solution itself does; no split would change that
    return np.sort(order[:count]).astype(np.intp)


def _grows(J: Any) -> bool:
    dense = J.toarray() if hasattr(J, "toarray") else np.asarray(J)
    return bool(np.max(np.linalg.eigvals(dense).real, initial=-inf) > 0)


def _asked(effort: Effort) -> int:
    return effort.evaluations + effort.jacobian_evaluations


def _whole_jacobian(problem: Problem, time: float, x: Vector, effort: Effort) -> Any:
    if problem.jacobian is not None:
        effort.jacobians += 1
        return problem.jacobian(time, x)
    everything = FastPart(np.arange(x.size), x.size, "auto", 1e-9)
    everything.since = time
    return everything.matrix(problem, time, x, effort)
