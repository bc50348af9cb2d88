"""Two small results of the literature on coupling that a correct implementation shows."""

import numpy as np
import problems
import pytest

import dovetail as dv


def decay(split):
    """x' = -x, split into two parts that each know a share of it."""
    system = dv.System("decay")
    part = problems.Linear(("u",), ("x",), A=[[-split]], B=[[-(1 - split)]], C=[[1]], D=0, x=[1.0])
    system.add("one", part)
    system.connect("one.x", "one.u")
    return system


@pytest.mark.parametrize("split", [0.0, 0.3])
def test_one_window_of_a_held_input_is_the_exponential_euler_step(split):
    """x1 = e^(-a h) x0 - (1 - a) (1 - e^(-a h))/a x0, by hand."""
    h = 0.2
    result = dv.simulate(decay(split), stop=h, algorithm=dv.Jacobi(), controller=dv.FixedStep(h))
    grown = h if split == 0 else (1 - np.exp(-split * h)) / split
    assert result["one.x"][-1] == pytest.approx(np.exp(-split * h) - (1 - split) * grown)


def test_iterated_ramps_are_the_trapezoidal_rule_where_a_part_only_integrates():
    """x' = u with u = -x interpolated linearly: (1 - h/2)/(1 + h/2) per window."""
    h = 0.2
    result = dv.simulate(
        decay(0.0),
        stop=1.0,
        algorithm=dv.Newton(inputs="ramp"),
        controller=dv.FixedStep(h),
        rtol=1e-12,
        atol=1e-13,
    )
    factor = (1 - h / 2) / (1 + h / 2)
    assert result["one.x"] == pytest.approx(factor ** np.arange(6), rel=1e-11)


def test_iterated_holds_are_the_implicit_euler_method():
    h = 0.2
    result = dv.simulate(
        decay(0.0),
        stop=1.0,
        algorithm=dv.Newton(),
        controller=dv.FixedStep(h),
        rtol=1e-12,
        atol=1e-13,
    )
    assert result["one.x"] == pytest.approx((1 / (1 + h)) ** np.arange(6), rel=1e-11)


def test_gauss_seidel_of_an_oscillator_is_the_symplectic_euler_method():
    """One half integrates the other: x' = v, v' = -x; energy neither grows nor decays."""
    system = dv.System("oscillator")
    one = problems.Linear(("v",), ("x",), A=[[0]], B=[[1]], C=[[1]], D=0, x=[1.0])
    two = problems.Linear(("x",), ("v",), A=[[0]], B=[[-1]], C=[[1]], D=0, x=[0.0])
    system.add("x", one)
    system.add("v", two)
    system.connect("v.v", "x.v")
    system.connect("x.x", "v.x")
    h = 0.1
    options = {"stop": 60.0, "controller": dv.FixedStep(h)}
    kept = dv.simulate(system, algorithm=dv.GaussSeidel(), **options)
    x, v = kept["x.x"], kept["v.v"]
    modified = x**2 + v**2 - h * x * v  # conserved exactly, one way round or the other
    other = x**2 + v**2 + h * x * v
    assert min(np.ptp(modified), np.ptp(other)) < 1e-12
    lost = dv.simulate(system, algorithm=dv.Jacobi(), **options)
    energy = lost["x.x"] ** 2 + lost["v.v"] ** 2
    assert energy[-1] / energy[0] == pytest.approx((1 + h * h) ** 600, rel=1e-9)
