"""Observed orders: how the largest error over the whole run falls with the window.

Not the error at the end: that of Gauss-Seidel on prey and predator is of second order there, by
the accident that its modified energy is conserved.
"""

import numpy as np
import problems
import pytest
from catalogue import algorithms as every_algorithm
from catalogue import brief, iterated

import dovetail as dv

# those that extrapolate begin anew at every start and event: see test_extrapolation
algorithms = [a for a in every_algorithm if not getattr(a, "extrapolation", 0)]

PAIRS = [
    pytest.param(a, p, id=f"{brief(a)}-{p}")
    for a in algorithms
    for p in (*problems.smooth, problems.algebraic_loop, problems.stiff_loop)
    if problems.solvable(p, a)
]


@pytest.mark.parametrize(("algorithm", "problem"), PAIRS)
def test_observed_order_is_the_declared_order(algorithm, problem):
    """Errors fall by 2^order when windows are halved, but for terms of the next order."""
    assert problem.order(algorithm, 0.05) == pytest.approx(algorithm.order, abs=0.1)


@pytest.mark.parametrize("algorithm", algorithms, ids=brief)
def test_a_sampled_loop_keeps_the_order(algorithm):
    """Events cut windows and restart algorithms; nothing of the order may be lost by that."""
    size = (
        0.025 if algorithm.order == 4 else 0.0125
    )  # below, errors are a tenth of the 1e-10 asked for
    observed = problems.sampled_masses.order(algorithm, size)
    assert observed == pytest.approx(algorithm.order, abs=0.15)


@pytest.mark.parametrize("size", [0.01, 0.03, 0.07, 0.1, 0.25])
@pytest.mark.parametrize("algorithm", algorithms, ids=brief)
def test_a_loop_that_is_coupled_at_samples_only_is_exact(algorithm, size):
    """Between samples the plant's input stands still, so no window can be too long."""
    problem = problems.control_loop
    assert problem.error(problem.run(algorithm, size)) < 2e-14


def test_gauss_seidel_diverges_where_the_gain_is_above_one():
    with pytest.raises(dv.StepFailed, match=r"after 50 sweeps '[a-z.]+' still changes"):
        problems.stiff_loop.run(dv.GaussSeidel(50), 0.01)


@pytest.mark.parametrize("algorithm", [dv.Jacobi(), dv.GaussSeidel()], ids=brief)
def test_a_single_pass_blows_up_there(algorithm):
    """No tolerance is there to notice it; the numbers do, when they leave the range of floats."""
    with pytest.raises(dv.PartFailed, match=r"returned -?(inf|nan) for its output"):
        problems.stiff_loop.run(algorithm, 0.001)


@pytest.mark.parametrize("inputs", ["hold", "ramp"])
def test_newton_needs_two_evaluations_of_a_linear_loop(inputs):
    result = problems.stiff_loop.run(dv.Newton(inputs=inputs), 0.01)
    statistics = result.statistics
    assert statistics.iterations == 2 * statistics.windows
    # each part: one answer, one sensitivity, one answer at the corrected inputs
    assert statistics.evaluations_by_part == {"plant": 300, "feedback": 300}


@pytest.mark.parametrize("inputs", ["hold", "ramp"])
def test_newton_needs_four_iterations_of_a_stiff_nonlinear_loop_at_most(inputs):
    """A diode behind a resistor, i = 1e-3 (exp(5 w) - 1), w = 2 - v - 20 i: gains up to -30."""
    system = dv.System("diode")
    capacitor = problems.Linear(("i",), ("v",), A=[[0]], B=[[1]], C=[[1]], D=0, x=[0.0])
    diode = dv.Algebraic(
        inputs={"w": 0.9},
        outputs=["i"],
        function=lambda t, u, p: [1e-3 * (np.exp(5 * min(u.w, 3.0)) - 1)],
    )
    resistor = dv.Algebraic(
        inputs=["v", "i"], outputs=["w"], function=lambda t, u, p: [2 - u.v - 20 * u.i]
    )
    for name, model in (("capacitor", capacitor), ("resistor", resistor), ("diode", diode)):
        system.add(name, model)
    system.connect("diode.i", "capacitor.i")
    system.connect("diode.i", "resistor.i")
    system.connect("capacitor.v", "resistor.v")
    system.connect("resistor.w", "diode.w")
    options = {"stop": 2.0, "controller": dv.FixedStep(0.02), "quiet": True}
    with dv.Session(system, algorithm=dv.Newton(inputs=inputs), **options) as session:
        while not session.finished:
            before = session.counts.iterations
            session.advance()
            assert session.counts.iterations - before <= 4
    with pytest.raises(dv.StepFailed, match="does not converge"):
        dv.simulate(system, algorithm=dv.GaussSeidel(50, inputs=inputs), **options)


@pytest.mark.parametrize("algorithm", iterated, ids=brief)
def test_the_tolerance_bounds_what_iteration_leaves_over(algorithm):
    """Inputs and outputs disagree by no more than the tolerance allows."""
    result = problems.two_mass.run(algorithm, 0.05, 1.0, rtol=1e-8, atol=1e-8)
    assert result.verdict.mismatch < 1e-7
    assert result.verdict.converged


def test_default_algorithm_is_of_second_order():
    """What a user gets who names none."""
    errors = [problems.two_mass.error(problems.two_mass.run(None, h)) for h in (0.05, 0.025)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.05)


def test_step_doubling_holds_the_tolerance_per_window():
    """The error over the run falls with the square root of the tolerance for order one."""
    errors = []
    for tolerance in (1e-3, 1e-5):
        controller = dv.StepDoubling(tolerance, tolerance, first_size=0.01)
        result = problems.prey_predator.run(dv.GaussSeidel(), controller)
        errors.append(problems.prey_predator.error(result))
    assert errors[0] / errors[1] == pytest.approx(10, rel=0.2)


def test_step_doubling_of_second_order_falls_faster():
    algorithm, errors = dv.GaussSeidel(50, inputs="ramp"), []
    for tolerance in (1e-3, 1e-6):
        controller = dv.StepDoubling(tolerance, tolerance, first_size=0.01)
        result = problems.prey_predator.run(algorithm, controller)
        errors.append(problems.prey_predator.error(result))
    # (10^3)^(2/3) = 100 for Richardson's difference; less where the slope check governs
    assert 25 < errors[0] / errors[1] < 2000
