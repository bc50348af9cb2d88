"""The method of Dormand and Prince, with its step size chosen by its error.

It stays beside SciPy's RK45: a step of two states takes 22 microseconds here and 53 there, a run
of one step 50 and 90. Sizes are controlled by the last two errors.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isfinite, ulp

from ..core.statistics import Effort
from .base import Arc, not_finite, quietly, too_many, too_small
from .dormand_prince import Steps
from .first_size import first_size as suggested
from .norm import weighted
from .running import Run, Stretch, Tolerances, arrived
from .stiffness import Stiffness

REMEDY = "the equations may be stiff or singular there: try solver='auto' or 'radau'"


@dataclass(frozen=True, slots=True)
class Rk45(Tolerances, Run):
    """Explicit Runge-Kutta steps of order 5, with an error estimate of order 4.

    Six evaluations per step, one more per run, and one more to find a first size. For equations
    that are not stiff; steps that stability shortens are counted as `Effort.stiff_steps`. The
    curve between steps is of order 4.

    Native twin, for FMUs: `native/explicit.c`.
    """

    def _follow(self, stretch: Stretch) -> Arc:
        return self.follow(stretch)

    @quietly
    def follow(self, stretch: Stretch, *, leaves: bool = False) -> Arc:
        """All steps; with `leaves`, up to where the equations are found to be stiff."""
        problem, start, x, stop, watch, first_size, _ = stretch
        steps, sums = Steps(problem.rates, start, x, problem.sums), problem.sums
        if not isfinite(sums.square(steps.derivative)):
            raise not_finite(start)
        evaluations, atol = 1, problem.absolute(self.atol)
        if first_size is None:
            derivative, rtol = steps.derivative, self.rtol
            first_size = suggested(
                problem, start, x, derivative, stop, order=4, rtol=rtol, atol=atol
            )
            evaluations = 2
        time, proposed = start, min(first_size, self.max_size)
        shortest, longest = 4 * ulp(max(abs(start), abs(stop))), self.max_size * (1 + 1e-9)
        taken, rejected, error, before, growth = 0, 0, 0.0, 1e-4, 10.0
        stiffness = Stiffness()
        while True:
            size, end = _fitted(proposed, time, stop, longest)
            if size < shortest and end < stop:
                raise not_finite(time) if error == inf else too_small(time, size, REMEDY)
            if taken + rejected == self.max_steps:
                raise too_many(time, self.max_steps, REMEDY)
            new = steps.step(time, size, end)
            evaluations += 6
            error = inf if new is None else weighted(steps.error(), x, new, self.rtol, atol, sums)
            wanted = min(size * _factor(error, before, growth), self.max_size)
            if new is None or error > 1:
                rejected += 1
                proposed, growth = wanted, 1.0
                continue
            taken += 1
            proposed = max(proposed, wanted) if size < proposed else wanted
            if taken >= stiffness.first:
                stiffness.see(steps.stiffness(size, new))
            event = watch and watch.step(end, new, steps.curve(time, size))
            if event or end == stop or (leaves and stiffness.found):
                stiff = stiffness.steps
                effort = Effort(taken, evaluations, stiff_steps=stiff) if stiff else None
                counts = proposed, taken, evaluations, rejected, effort
                return event.arc(*counts) if event else arrived(end, new, watch, *counts)
            steps.accept(new)
            time, x, before, growth = end, new, max(error, 1e-4), 10.0


def _fitted(proposed: float, time: float, stop: float, longest: float) -> tuple[float, float]:
    """The size of a step and where it ends: on `stop`, or well before it."""
    left = stop - time
    if proposed >= 0.99 * left and left <= longest:
        return left, stop
    size = proposed if proposed <= 0.5 * left else 0.5 * left
    return size, time + size


def _factor(error: float, before: float, growth: float) -> float:
    """How much longer the next step may be: proportional-integral control after Gustafsson."""
    if error == 0:
        return growth
    factor: float = 0.9 * before**0.04 / error**0.17
    return min(max(factor, 0.2), growth)
