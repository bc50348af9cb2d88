"""Observed orders of extrapolated inputs.

History begins with one point, so the first windows are of lower order. Their error is made once:
a start with a kink in some derivative limits the order over the run to two, whatever the
extrapolation. Full orders show where everything starts from rest, smoothly.
"""

import numpy as np
import problems
import pytest
from catalogue import brief
from scipy.integrate import solve_ivp

import dovetail as dv

STOP = 3.0
EVERY = [cls(extrapolation=k) for cls in (dv.Jacobi, dv.GaussSeidel) for k in range(4)]


def driven(wrap=lambda model: model):
    """Two masses at rest, and a force that grows as t^6."""
    system = dv.System("driven")
    masses = problems.sampled_masses_system()
    system.add("ahead", dv.Source(outputs=["force"], function=lambda t, p: [(t / 2) ** 6]))
    system.add("left", wrap(masses.parts["left"].model))
    system.add("right", wrap(masses.parts["right"].model))
    system.connect("ahead.force", "left.drive")
    system.connect("left.x", "right.x")
    system.connect("left.v", "right.v")
    system.connect("right.force", "left.force")
    return system


def exact():
    A = problems._two_mass_matrix()
    found = solve_ivp(
        lambda t, x: A @ x + np.array([0, (t / 2) ** 6, 0, 0]),
        (0, STOP),
        np.zeros(4),
        method="DOP853",
        rtol=1e-13,
        atol=1e-15,
        dense_output=True,
    )
    return found.sol


EXACT = exact()


def error(algorithm, size, wrap=lambda model: model):
    result = dv.simulate(
        driven(wrap), stop=STOP, algorithm=algorithm, controller=dv.FixedStep(size), quiet=True
    )
    found = np.array([result[n] for n in ("left.x", "left.v", "right.x2")])
    return np.max(np.abs(found - EXACT(result.time)[:3]))


@pytest.mark.parametrize("algorithm", EVERY, ids=brief)
def test_the_order_is_one_more_than_that_of_the_extrapolation(algorithm):
    observed = np.log2(error(algorithm, 0.02) / error(algorithm, 0.01))
    assert observed == pytest.approx(algorithm.extrapolation + 1, abs=0.2)
    assert algorithm.order == algorithm.extrapolation + 1


@pytest.mark.parametrize("algorithm", EVERY, ids=brief)
def test_parts_that_hold_inputs_lose_order_where_outputs_depend_on_inputs_at_once(algorithm):
    """The integral of an input is right; what it does within the window is not."""

    def holding(model):
        return problems.Blind(model, input_order=0)

    observed = np.log2(error(algorithm, 0.02, holding) / error(algorithm, 0.01, holding))
    # the damper makes the force depend on the speed at once: a mean lags there by half a window
    assert observed == pytest.approx(1, abs=0.15)
    assert error(algorithm, 0.01, holding) <= error(type(algorithm)(), 0.01)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_held_means_are_of_second_order_without_feed_through(k):
    """Prey and predator tell their states, so nothing depends on an input at once."""
    problem = problems.prey_predator
    errors = []
    for size in (0.05, 0.025):
        result = dv.simulate(
            problems.prey_predator_system(lambda m: problems.Blind(m, input_order=0)),
            stop=problem.stop,
            algorithm=dv.Jacobi(extrapolation=k),
            controller=dv.FixedStep(size),
        )
        errors.append(problem.error(result))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.1)


@pytest.mark.parametrize("algorithm", [a for a in EVERY if a.extrapolation], ids=brief)
@pytest.mark.parametrize("problem", problems.smooth, ids=str)
def test_any_start_leaves_second_order_at_least(algorithm, problem):
    assert problem.order(algorithm, 0.05) > 1.9


@pytest.mark.parametrize("cls", [dv.Jacobi, dv.GaussSeidel])
def test_history_starts_anew_at_events(cls):
    """Samples jump; a polynomial across one of them would be far off."""
    plain = problems.sampled_masses.run(cls(), 0.0125)
    better = problems.sampled_masses.run(cls(extrapolation=1), 0.0125)
    error = problems.sampled_masses.error
    assert error(better) < 0.6 * error(plain)
