"""The automatic choice of a method: stiffness is found, told, and left again."""

from __future__ import annotations

from math import exp

import numpy as np
import pytest

import dovetail as dv
from dovetail.core.statistics import Effort
from dovetail.integrators import Auto, Problem, Rk45, follower, named


def lag(t, x):
    return -1e6 * (x - np.sin(t))


def robertson(t, y):
    slow, fast, quick = 0.04 * y[0], 1e4 * y[1] * y[2], 3e7 * y[1] ** 2
    return np.array([-slow + fast, slow - fast - quick, quick])


def van_der_pol(t, x):
    return np.array([x[1], 1000 * (1 - x[0] ** 2) * x[1] - x[0]])


def relaxed(t, x):
    """Stiff up to t = 1, and then no longer."""
    return np.array([-(1e5 if t < 1 else 1.0) * (x[0] - np.cos(t)), x[0] - x[1]])


def followed(rates, x, stop, windows, integrator=Auto()):
    solver, size, spent = follower(integrator), None, Effort()
    for k in range(windows):
        arc = solver.run(
            Problem(rates), k * stop / windows, x, (k + 1) * stop / windows, first_size=size
        )
        x, size, spent = arc.state, arc.next_size, spent + arc.spent
    return x, spent


@pytest.mark.parametrize("windows", [1, 100])
@pytest.mark.parametrize(
    ("rates", "start", "stop"),
    [
        (lag, [0.0], 1.0),
        (robertson, [1.0, 0.0, 0.0], 40.0),
        (van_der_pol, [2.0, 0.0], 2000.0),
        (relaxed, [0.0, 0.0], 20.0),
    ],
)
def test_stiff_equations_are_solved_in_few_evaluations(rates, start, stop, windows):
    """Up to 6,600 were measured (van der Pol), errors up to 3e-7; rk45 takes millions."""
    x, spent = followed(rates, np.array(start), stop, windows)
    exact = named("radau", rtol=1e-10, atol=1e-13, step=stop / 100)
    right = exact.run(Problem(rates), 0.0, np.array(start), stop).state
    assert np.max(np.abs(x - right) / (1e-3 + np.abs(right))) < 2e-6
    assert spent.evaluations < 10_000
    assert spent.switches > 0


def test_both_ways_are_taken_and_counted():
    assert followed(relaxed, np.zeros(2), 20.0, 1)[1].switches == 2


def test_without_stiffness_all_bits_are_those_of_rk45():
    def swing(t, x):
        return np.array([x[1], -x[0]])

    for windows in (1, 37):
        x, spent = followed(swing, np.array([1.0, 0.0]), 30.0, windows)
        y, same = followed(swing, np.array([1.0, 0.0]), 30.0, windows, Rk45())
        assert np.array_equal(x, y)
        assert spent == same
        assert spent.switches == 0


def test_a_rollback_keeps_the_method_in_use():
    solver = follower(Auto())
    arc = solver.run(Problem(lag), 0.0, np.zeros(1), 0.1)
    kept = solver.memory()
    assert kept is not None
    there = solver.run(Problem(lag), 0.1, arc.state, 0.2, first_size=arc.next_size)
    other = follower(Auto())
    other.recall(kept)
    for one in (solver, other):
        one.recall(kept)
        again = one.run(Problem(lag), 0.1, arc.state, 0.2, first_size=arc.next_size)
        assert np.array_equal(there.state, again.state)
        assert there.next_size == again.next_size
        assert there.spent == again.spent


def test_an_event_is_found_by_the_implicit_method_too():
    """The curve of SciPy's Radau is a cubic: over its longest steps it is off by 2e-4 here."""
    watched = Problem(lag, crossings=lambda t, x: x - 0.5)
    arc = Auto(max_size=0.02).run(watched, 0.0, np.zeros(1), 1.0, signs=(-1,))
    assert arc.crossed == (0,)
    assert arc.time == pytest.approx(np.arcsin(0.5) + 1e-6, abs=1e-9)  # it lags by 1e-6 s
    assert arc.spent.switches == 1


@pytest.mark.parametrize("name", ["auto", "rk45", "radau"])
@pytest.mark.parametrize("windows", [1, 10, 100, 1000, 10_000])
def test_errors_do_not_grow_with_the_number_of_windows(name, windows):
    """One-step methods restart at their full order. The tolerance is met whatever the number."""
    x, _ = followed(lambda t, x: -x, np.ones(1), 1.0, windows, named(name, rtol=1e-7, atol=1e-9))
    assert abs(x[0] - exp(-1)) < 1e-7


def lagging(solver):
    system = dv.System("lagging")
    model = dv.Dynamic(
        states={"y": 0.0}, derivatives=lambda t, x, u, p: [-1e4 * (x.y - 1)], solver=solver
    )
    system.add("lag", model)
    return dv.simulate(system, stop=0.1, controller=dv.FixedStep(0.05), quiet=True)


def test_a_part_that_struggles_is_named_with_the_remedy():
    (note,) = [n for n in lagging("rk45").verdict.notes if "stiff" in n]
    assert note.startswith("'lag' is stiff")
    assert "solver='auto'" in note
    result = lagging("auto")
    assert not [n for n in result.verdict.notes if "stiff" in n]
    assert result.statistics.effort_by_part["lag"].switches == 1
