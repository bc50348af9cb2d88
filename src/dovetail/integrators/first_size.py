"""The size of the first step, where none is known."""

from __future__ import annotations

from ..core.signals import Vector
from .base import Problem
from .norm import weighted


def first_size(
    problem: Problem,
    start: float,
    state: Vector,
    derivative: Vector,
    stop: float,
    *,
    order: int,
    rtol: float,
    atol: float | Vector,
) -> float:
    """A step with an error of about a hundredth of the tolerance, from how the rates change.

    Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I, section II.4. It takes
    one evaluation of the rates, not beyond `stop`.
    """
    longest = stop - start
    if not state.size:
        return longest
    d_0 = weighted(state, state, state, rtol, atol, problem.sums)
    d_1 = weighted(derivative, state, state, rtol, atol, problem.sums)
    trial = 1e-6 if d_0 < 1e-5 or d_1 < 1e-5 else 0.01 * d_0 / d_1
    trial = min(trial, longest)
    change = problem.rates(min(start + trial, stop), state + trial * derivative) - derivative
    d_2 = weighted(change, state, state, rtol, atol, problem.sums) / trial
    steepest = max(d_1, d_2)
    size = max(1e-6, 1e-3 * trial) if steepest <= 1e-15 else (0.01 / steepest) ** (1 / (order + 1))
    return min(100 * trial, size, longest)
