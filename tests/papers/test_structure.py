"""Papadopoulos and Leva (2014): cycles, bounds, indices and mixed-mode runs of their examples.

The figures in tests/data/structure.json were computed apart from this package; where they differ
from the article, docs/papers says why.
"""

import json
from pathlib import Path

import exchanger
import numpy as np
import pytest
from exchanger import article_error, exact, stepped
from scipy.integrate import solve_ivp

import dovetail as dv
from dovetail.integrators import FixedSize, Mixed, Problem

FIGURES = json.loads((Path(__file__).parent.parent / "data" / "structure.json").read_text())
EXAMPLE = np.array([[-1, 0.5, 0], [0.5, -1.5, 0.5], [0, 0.5, -1]])


# The example with three states, and Heun's probe


def test_the_example_has_the_cycles_of_the_article_with_either_probe():
    assert dv.analyze(EXAMPLE, probe="heun").cycles == FIGURES["cycles"]["heun_3x3"]
    assert dv.analyze(EXAMPLE).cycles == FIGURES["cycles"]["euler_3x3"]


def test_gains_under_heuns_probe_are_the_polynomials_of_the_article():
    from dovetail.cycles import PROBES, probed_cycles

    h = np.linspace(0.05, 2, 17)
    expected = {
        (0,): 1 - h + 5 * h**2 / 8,
        (1,): 1 + h * (11 * h - 12) / 8,
        (2,): 1 - h + 5 * h**2 / 8,
        (0, 1): h**2 * (4 - 5 * h) ** 2 / 64,
        (1, 2): h**2 * (4 - 5 * h) ** 2 / 64,
        (0, 2): h**4 / 64,
        (0, 1, 2): h**4 * (4 - 5 * h) ** 2 / 512,
        (0, 2, 1): h**4 * (4 - 5 * h) ** 2 / 512,
    }
    found = {c.states: c for c in probed_cycles(EXAMPLE, PROBES["heun"], 0.8)}
    assert set(found) == set(expected)
    for states, gain in expected.items():
        assert np.polyval(found[states].gain[::-1], h) == pytest.approx(gain, rel=1e-12, abs=1e-14)


def test_the_middle_state_is_feasible_in_the_interval_of_the_article():
    cycles = {c.states: c for c in dv.analyze(EXAMPLE, 0.8, probe="heun").list_cycles()}
    (interval,) = cycles[("x2",)].feasible
    assert interval == pytest.approx(FIGURES["heun"]["c2_alpha0.8_interval"], rel=1e-12)


def test_at_one_half_no_self_loop_is_feasible():
    for cycle in dv.analyze(EXAMPLE, 0.5, probe="heun").list_cycles():
        assert bool(cycle.feasible) == (len(cycle.states) > 1)


# Bounds and indices


def test_the_half_car_has_the_jacobian_of_the_article():
    found = dv.analyze(exchanger.half_car(jacobian="complex")).jacobians[0].toarray()
    assert found == pytest.approx(np.array(FIGURES["halfcar"]["J"]), abs=1e-12)


@pytest.mark.parametrize("rule", ["exact", "published"])
def test_the_half_car_has_the_bounds_and_indices_of_the_article(rule):
    analysis = dv.analyze(exchanger.half_car(jacobian="complex"), 0.5, rule)
    figures = FIGURES["halfcar"]
    assert analysis.cycles == FIGURES["cycles"]["half_car"]
    assert list(analysis.bounds) == figures["order"]
    expected = figures[f"rule_{rule}"]
    assert list(analysis.bounds.values()) == pytest.approx(expected["h"], rel=1e-9)
    assert analysis.stiffness == pytest.approx(expected["sigma"], rel=1e-9)
    assert analysis.separability == pytest.approx(expected["s"], rel=1e-9)
    assert analysis.stiffness_ratio == pytest.approx(figures["sigma_R"], rel=1e-9)


@pytest.mark.parametrize("rule", ["exact", "published"])
def test_the_exchanger_has_the_bounds_and_indices_of_the_article(rule):
    figures = FIGURES["hx10"][f"rule_{rule}"]
    at_one = dv.analyze(exchanger.exchanger(10), 1.0, rule).bounds
    T_a, T_b, *walls = figures["alpha1"]
    for i in range(1, 11):
        assert at_one[f"Ta[{i}]"] == pytest.approx(T_a, rel=1e-9)
        assert at_one[f"Tb[{i}]"] == pytest.approx(T_b, rel=1e-9)
        assert at_one[f"Tw[{i}]"] == pytest.approx(walls[min(i, 11 - i) - 1], rel=1e-9)
    at_half = dv.analyze(exchanger.exchanger(10), 0.5, rule)
    assert at_half.stiffness == pytest.approx(figures["sigma0.5"], rel=1e-9)
    assert at_half.separability == pytest.approx(figures["s0.5"], rel=1e-9)
    # ten equal poles in a chain: rounding of 1e-16 moves them by up to 1e-16^(1/10)
    assert at_half.stiffness_ratio == pytest.approx(FIGURES["hx10"]["sigma_R"], rel=1e-3)


@pytest.mark.parametrize("n", [10, 30])
def test_the_number_of_cycles_of_an_exchanger_is_quadratic(n):
    analysis = dv.analyze(exchanger.exchanger(n))
    assert analysis.cycles == n * (n - 1) // 2 + 5 * n == FIGURES["cycles"][f"exchanger_{n}"]
    assert not analysis.undecided


def test_for_alpha_one_the_only_cut_is_behind_the_tenth_state():
    study = dv.analyze(exchanger.exchanger(10)).study([1.0])
    assert np.flatnonzero(study.terms[0] > 0.2).tolist() == [9]


def test_the_cut_at_four_hundredths_is_that_of_the_article():
    p = dv.analyze(exchanger.exchanger(10), 1.0).partition(0.04)
    assert p.fast == tuple(f"Ta[{i}]" for i in range(1, 11))
    published = dv.analyze(exchanger.half_car(), 0.5, "published").partition(0.04)
    assert published.fast == ("zdot",)
    assert dv.analyze(exchanger.half_car(), 0.5).partition(0.04).fast == ()


def test_at_thirty_volumes_the_bound_exceeds_what_eulers_method_stands():
    """Why bounds are a hint, and the amplification of a split is looked at."""
    analysis = dv.analyze(exchanger.exchanger(30), 1.0)
    step = 0.999 * min(analysis.bounds.values())
    assert analysis.partition(step).fast == ()
    assert analysis.partition(step).radius["euler"] > 1


# Mixed-mode runs


@pytest.fixture(scope="module")
def car_reference():
    def rates(t, x):
        return exchanger.car_rates(t, x)

    flat = solve_ivp(
        rates, (0, 2), np.zeros(4), rtol=1e-12, atol=1e-13, dense_output=True, method="DOP853"
    )
    raised = solve_ivp(
        lambda t, x: rates(t + 1e-9, x),
        (2, 5),
        flat.y[:, -1],
        rtol=1e-12,
        atol=1e-13,
        dense_output=True,
        method="DOP853",
    )
    return lambda times: np.array([flat.sol(t) if t <= 2 else raised.sol(t) for t in times])


@pytest.mark.parametrize("size", [0.04, 0.05])
@pytest.mark.parametrize(("name", "fast"), [("mixed_mode", (0,)), ("implicit_euler", (0, 1, 2, 3))])
def test_the_half_car_runs_with_the_errors_of_the_figures(size, name, fast, car_reference):
    problem = Problem(exchanger.car_rates)
    states, effort = stepped(problem, np.zeros(4), size, 5.0, Mixed(size, "euler", fast=fast))
    reference = car_reference(np.arange(len(states)) * size)
    error = article_error(states, reference, 5.0)
    figures = FIGURES["halfcar"][f"run_h{size:g}"][name]
    assert error == pytest.approx(figures["rmse_states"], rel=1e-3)
    assert error.max() == pytest.approx(figures["rmse"], rel=1e-3)
    # factors that serve for the whole run: less work than the article's on all four counts
    counts = effort.evaluations, effort.jacobians, effort.jacobian_evaluations
    counts = *counts, effort.newton_iterations
    assert all(c <= told for c, told in zip(counts, figures["counters"], strict=True)), counts
    assert effort.jacobian_evaluations == 1 + len(exchanger.CAR)


def test_explicit_euler_on_the_half_car_has_the_error_of_the_figures(car_reference):
    """The figure is that of a run whose accumulated time is a rounding after 2 s there.

    It sees the raised road at once. On the exact grid the road is not yet raised at 2 s, the
    step comes one step late, and the error is 0.2007.
    """
    problem = Problem(lambda t, x: exchanger.car_rates(t * (1 + 1e-15), x))
    x, states = np.zeros(4), [np.zeros(4)]
    for k in range(250):
        x = FixedSize(0.02, "euler").run(problem, k * 0.02, x, (k + 1) * 0.02).state
        states.append(x)
    error = article_error(np.array(states), car_reference(np.arange(251) * 0.02), 5.0)
    assert error.max() == pytest.approx(FIGURES["halfcar"]["run_EE_h0.02_rmse"], rel=1e-3)


@pytest.mark.parametrize(("name", "fast"), [("mixed_mode", 10), ("implicit_euler", 30)])
def test_the_exchanger_runs_with_the_errors_of_the_figures(name, fast):
    A, b = exchanger.matrix(10)
    problem = Problem(lambda t, x: A @ x + b, lambda t, x: A)
    method = Mixed(0.04, "euler", fast=tuple(range(fast)))
    states, _ = stepped(problem, np.full(30, exchanger.START), 0.04, 5.0, method)
    error = article_error(states, exact(10, 0.04, 5.0), 5.0)
    figures = FIGURES["hx10"]["run"][name]
    rows = [error[:10].max(), error[10:20].max(), error[20:].max()]
    assert rows == pytest.approx(figures["rmse_Ta_Tw_Tb"], rel=1e-3)
    assert error.max() == pytest.approx(figures["rmse"], rel=1e-3)


def test_explicit_euler_on_the_exchanger_has_the_error_of_the_figures():
    A, b = exchanger.matrix(10)
    x = np.full(30, exchanger.START)
    states = [x]
    for _ in range(500):
        x = x + 0.01 * (A @ x + b)
        states.append(x)
    error = article_error(np.array(states), exact(10, 0.01, 5.0), 5.0)
    figures = FIGURES["hx10"]["run"]["explicit_euler"]
    assert error.max() == pytest.approx(figures["rmse"], rel=1e-3)


def test_a_part_of_the_exchanger_chooses_the_split_of_the_article_by_itself():
    system = dv.System("exchanger")
    system.add("hx", exchanger.exchanger(10, solver=Mixed(0.04, "euler")))
    result = dv.simulate(system, stop=5.0, controller=dv.FixedStep(0.04), quiet=True)
    states = np.column_stack(
        [result[f"hx.{row}[{i}]"] for row in ("Ta", "Tw", "Tb") for i in range(1, 11)]
    )
    error = article_error(states, exact(10, 0.04, 5.0), 5.0)
    assert error.max() == pytest.approx(FIGURES["hx10"]["run"]["mixed_mode"]["rmse"], rel=1e-3)
