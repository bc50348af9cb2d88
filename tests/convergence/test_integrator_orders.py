"""Integrators have the order they declare, and errors follow tolerances."""

from __future__ import annotations

from itertools import pairwise
from math import cos, log, log2, sin
from typing import Any

import numpy as np
import pytest

from dovetail.core.signals import Vector
from dovetail.integrators import (
    Bdf,
    Cvode,
    FixedSize,
    Integrator,
    Mixed,
    Problem,
    Radau,
    Rk45,
    named,
)
from dovetail.integrators.dormand_prince import Steps


def rates(t: float, x: Vector) -> Vector:
    """Nonlinear, coupled and driven; x = (cos(sin t), -sin(sin t))."""
    speed = cos(t) * (x[0] ** 2 + x[1] ** 2)
    return np.array([speed * x[1], -speed * x[0]])


def solution(t: float) -> Vector:
    return np.array([cos(sin(t)), -sin(sin(t))])


START, STOP = 0.5, 1.5
LATE = 12.5  # past the first steps of every method: those of Bdf are Radau's


def error(integrator: Integrator, stop: float = STOP) -> float:
    arc = integrator.run(Problem(rates), START, solution(START), stop)
    return float(np.max(np.abs(arc.state - solution(stop))))


@pytest.mark.parametrize(
    ("method", "order"),
    [("euler", 1), ("semi_implicit", 1), ("midpoint", 2), ("heun", 2), ("rk4", 4)],
)
def test_observed_order_is_the_declared_order(method: str, order: int) -> None:
    errors = [error(named(method, step=1 / n)) for n in (20, 40, 80, 160)]
    observed = [log2(a / b) for a, b in pairwise(errors)]
    assert observed[-1] == pytest.approx(order, abs=0.1)


@pytest.mark.parametrize(
    ("method", "order"), [("euler", 1), ("midpoint", 2), ("heun", 2), ("ars3", 3)]
)
@pytest.mark.parametrize("fast", [(), (0,), (1,), (0, 1)])
def test_mixed_steps_have_their_order_whichever_states_are_fast(
    method: Any, order: int, fast: tuple[int, ...]
) -> None:
    """Both states see each other: the case in which the article's second-order pairs are first."""
    sizes = (20, 40, 80, 160)
    errors = [error(Mixed(1 / n, method, fast=fast, tolerance=1e-13)) for n in sizes]
    observed = [log2(a / b) for a, b in pairwise(errors)]
    assert observed[-1] == pytest.approx(order, abs=0.1)


def test_the_second_order_pair_as_printed_is_of_order_one() -> None:
    """Slow states see fast ones as they were when the step began."""

    def printed(count: int) -> float:
        x, size = solution(START), (STOP - START) / count
        for k in range(count):
            t = START + k * size
            slow = x.copy()
            slow[0] += size / 2 * rates(t, x)[0]
            new = x.copy()
            new[0] += size * rates(t + size / 2, slow)[0]
            middle = 0.5 * (x + new)
            for _ in range(50):
                new[1] = x[1] + size * rates(t + size / 2, middle)[1]
                middle = 0.5 * (x + new)
            x = new
        return float(np.max(np.abs(x - solution(STOP))))

    assert log2(printed(160) / printed(320)) == pytest.approx(1, abs=0.1)


def test_steps_of_rk45_are_of_order_5() -> None:
    def after(count: int) -> float:
        x = solution(0.0)
        steps = Steps(rates, 0.0, x)
        size = 3.0 / count
        for k in range(count):
            new = steps.step(k * size, size, (k + 1) * size)
            assert new is not None
            steps.accept(new)
            x = new
        return float(np.max(np.abs(x - solution(3.0))))

    assert log2(after(80) / after(160)) == pytest.approx(5, abs=0.3)


def test_the_error_estimate_of_rk45_is_of_order_5_in_one_step() -> None:
    def estimate(size: float) -> float:
        steps = Steps(rates, START, solution(START))
        steps.step(START, size, START + size)
        return float(np.max(np.abs(steps.error())))

    assert log2(estimate(0.1) / estimate(0.05)) == pytest.approx(5, abs=0.3)


def test_the_curve_of_rk45_is_of_order_4_between_its_ends() -> None:
    """The local error of an interpolant of order 4 is of order 5."""

    def deviation(size: float) -> float:
        steps = Steps(rates, START, solution(START))
        new = steps.step(START, size, START + size)
        curve = steps.curve(START, size)
        assert curve(START).tolist() == solution(START).tolist()
        assert curve(START + size) == pytest.approx(new, abs=1e-15)
        points = START + size * np.linspace(0, 1, 21)
        return max(float(np.max(np.abs(curve(t) - solution(t)))) for t in points)

    assert log2(deviation(0.1) / deviation(0.05)) == pytest.approx(5, abs=0.3)


@pytest.mark.parametrize("kind", [Rk45, Radau, Bdf, Cvode])
def test_errors_are_proportional_to_tolerances(
    kind: type[Rk45] | type[Radau] | type[Bdf] | type[Cvode],
) -> None:
    tolerances = [1e-4, 1e-6, 1e-8, 1e-10]
    errors = [error(kind(rtol=t, atol=t), LATE) for t in tolerances]
    assert all(a < 100 * t for a, t in zip(errors, tolerances, strict=True))
    slope = log(errors[0] / errors[-1]) / log(tolerances[0] / tolerances[-1])
    assert slope == pytest.approx(1.0, abs=0.25)


def test_short_windows_are_as_exact_as_a_long_run() -> None:
    integrator = Rk45(rtol=1e-8, atol=1e-10)
    time, x, size = START, solution(START), None
    for k in range(1, 101):
        arc = integrator.run(Problem(rates), time, x, START + k / 100, first_size=size)
        time, x, size = arc.time, arc.state, arc.next_size
    assert np.max(np.abs(x - solution(STOP))) < 1e-8


@pytest.mark.parametrize(("method", "order"), [("euler", 1), ("heun", 2), ("rk4", 4)])
def test_events_are_found_with_the_order_of_the_method(method: str, order: int) -> None:
    """x' = -x meets 0.3 at log(1 / 0.3); the cubic between steps is of order 4."""

    def lateness(size: float) -> float:
        problem = Problem(lambda t, x: -x, crossings=lambda t, x: x - 0.3)
        arc = FixedSize(size, method).run(problem, 0.0, np.ones(1), 2.0)  # type: ignore[arg-type]
        assert arc.crossed == (0,)
        return abs(arc.time - log(1 / 0.3))

    sizes = [2.0 / n for n in (20, 40, 80, 160)]
    slope = np.polyfit(np.log(sizes), np.log([lateness(s) for s in sizes]), 1)[0]
    assert slope == pytest.approx(order, abs=0.3)
