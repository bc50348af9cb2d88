"""Polynomials through the past of inputs."""

import numpy as np
import problems
import pytest

import dovetail as dv
from dovetail.subsystems.extrapolating import History, flattened


def histories(log):
    return [wave for _, wave in log]


def spied(algorithm, wrap=lambda model: model, size=0.1, stop=0.6):
    """The inputs that the predator saw, window by window."""
    log = []
    system = problems.prey_predator_system(wrap)
    seen = dv.System("seen")
    seen.add("prey", system.parts["prey"].model)
    seen.add("predator", problems.Spied(system.parts["predator"].model, log))
    seen.connect("prey.x", "predator.u")
    seen.connect("predator.x", "prey.u")
    result = dv.simulate(
        seen, stop=stop, algorithm=algorithm, controller=dv.FixedStep(size), quiet=True
    )
    return result, log


@pytest.mark.parametrize("order", [1, 2, 3])
def test_jacobi_passes_through_the_last_values_it_has(order):
    result, log = spied(dv.Jacobi(extrapolation=order))
    for n, (window, wave) in enumerate(log):
        points = min(n, order)
        assert wave.order == order
        assert np.all(wave.coefficients[:, points + 1 :] == 0)  # the first windows know less
        for k in range(points + 1):
            found = wave.reals(result.time[n - k] - window.start)[0]
            assert found == pytest.approx(result["prey.x"][n - k], rel=1e-12)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_gauss_seidel_passes_through_the_end_where_that_is_found(order):
    result, log = spied(dv.GaussSeidel(extrapolation=order))
    for n, (window, wave) in enumerate(log):
        for k in range(-1, min(n, order - 1) + 1):
            found = wave.reals(result.time[n - k] - window.start)[0]
            assert found == pytest.approx(result["prey.x"][n - k], rel=1e-12)


def test_points_that_are_too_near_to_tell_a_slope_are_left_out():
    history = History((0.0, 1.0, 1.0 + 1e-6), tuple(np.array([v]) for v in (0.0, 1.0, 1.0)))
    joined = history.joined(2.0, np.array([2.0]), size=1.0, count=3)
    assert joined.times == (0.0, 1.0 + 1e-6, 2.0)
    assert history.joined(2.0, np.array([2.0]), size=1.0, count=1).times == (2.0,)


def test_a_flattened_curve_has_the_same_integral():
    rng = np.random.default_rng(1)
    a, h = rng.normal(size=(5, 4)), 0.3
    powers = h ** np.arange(1, 5) / np.arange(1, 5)
    for order in range(4):
        flat = flattened(a, order, h)
        assert np.all(flat[:, order + 1 :] == 0)
        assert flat @ powers == pytest.approx(a @ powers, rel=1e-9)
    assert flattened(a, 3, h) == pytest.approx(a, rel=1e-9)


def test_the_mean_of_a_line_is_its_value_in_the_middle():
    assert flattened(np.array([[1.0, 2.0]]), 0, 0.5)[0, 0] == pytest.approx(1.5)


def test_flags_that_feed_reals_are_held():
    """A boolean as 0 and 1 is no curve to extrapolate."""
    system = dv.System("flags")
    log = []
    system.add(
        "flag",
        dv.Source(outputs={"on": False}, function=lambda t, p: [t > 0.25], jumps=[]),
    )
    part = problems.Linear(("u",), ("x",), A=[[0]], B=[[1]], C=[[1]], D=0, x=[0.0])
    system.add("sum", problems.Spied(part, log))
    system.connect("flag.on", "sum.u")
    for algorithm in (dv.Jacobi(extrapolation=2), dv.GaussSeidel(extrapolation=2)):
        log.clear()
        dv.simulate(system, stop=0.6, algorithm=algorithm, controller=dv.FixedStep(0.1))
        assert all(np.all(wave.coefficients[:, 1:] == 0) for _, wave in log)


@pytest.mark.parametrize("cls", [dv.Jacobi, dv.GaussSeidel])
def test_orders_that_there_are_not_are_refused(cls):
    for order in (-1, 4, 1.5, True):
        with pytest.raises(dv.OptionError, match="extrapolation must be 0, 1, 2 or 3"):
            cls(extrapolation=order)
    with pytest.raises(dv.OptionError, match="extrapolation is for a single pass"):
        cls(max_iterations=5, extrapolation=1)
    with pytest.raises(dv.OptionError, match="not both"):
        dv.GaussSeidel(inputs="ramp", extrapolation=1)


def test_checkpoints_keep_the_history(tmp_path):
    options = {
        "stop": 1.0,
        "algorithm": dv.Jacobi(extrapolation=3),
        "controller": dv.FixedStep(0.1),
        "quiet": True,
    }
    system = problems.prey_predator_system()
    with dv.Session(system, **options) as session:
        for step in session:
            if step.time >= 0.45:
                session.checkpoint(tmp_path / "run.checkpoint")
                break
    rest = dv.simulate(system, **options, resume=tmp_path / "run.checkpoint")
    whole = dv.simulate(system, **options)
    assert np.array_equal(rest["prey.x"], whole["prey.x"])


def test_step_doubling_uses_the_history_of_the_windows_start():
    """Rejected windows leave no trace in it: the same windows whatever was tried in between."""
    controller = dv.StepDoubling(1e-6, 1e-6, first_size=0.5)
    result = problems.prey_predator.run(dv.GaussSeidel(extrapolation=2), controller)
    assert result.statistics.rejected_by_error > 0
    assert problems.prey_predator.error(result) < 2e-5
