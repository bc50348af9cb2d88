"""Windows sized by what inputs are off by, where they are interpolated."""

from math import sin

import numpy as np
import pytest

import dovetail as dv


def chain() -> dv.System:
    """A wave and a lag: the lag sees what the wave is at a window's end."""
    system = dv.System("chain")
    system.add("wave", dv.Source(outputs=["y"], function=lambda t, p: [sin(3.0 * t)]))
    lag = dv.Dynamic(
        states={"y": 0.0},
        inputs=["u"],
        outputs=["y"],
        derivatives=lambda t, x, u, p: [u.u - x.y],
        rtol=1e-9,
        atol=1e-11,
    )
    system.add("lag", lag)
    system.connect("wave.y", "lag.u")
    return system


@pytest.mark.parametrize("order", [1, 2, 3])
def test_what_curves_miss_inside_a_window_limits_it(order):
    """At its end they miss nothing: windows grew until a whole wave went through one of them."""
    run = dv.simulate(
        chain(),
        stop=10.0,
        algorithm=dv.GaussSeidel(extrapolation=order),
        controller=dv.InputDefect(1e-3, 1e-6, scale="range"),
        quiet=True,
    )
    t = run.time
    exact = (np.sin(3 * t) - 3 * np.cos(3 * t) + 3 * np.exp(-t)) / 10
    assert np.abs(run["lag.y"] - exact).max() < 1e-3 * 2, "of the range of the input"
    assert len(run) < 10_000
