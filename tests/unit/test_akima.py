"""The curve between rows: that of SciPy to the bit, without loading it."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
from scipy.interpolate import Akima1DInterpolator

from dovetail.verification.akima import akima


def test_it_is_scipys_to_the_bit_on_smooth_kinked_and_constant_rows() -> None:
    random = np.random.default_rng(0)
    for _ in range(300):
        sizes = random.exponential(size=random.integers(3, 30)) + 1e-3
        t = np.cumsum(sizes) * 10.0 ** random.integers(-4, 4)
        y = random.normal(size=t.size) * 10.0 ** random.integers(-8, 8)
        kinds = (y, np.round(y), np.full(t.size, y[0]), y[0] * t + 1, np.where(t > t.mean(), y, 0))
        wanted = np.concatenate([random.uniform(t[0], t[-1], 20), t, (t[1:] + t[:-1]) / 2])
        for values in kinds:
            found = akima(t, values, wanted)
            assert np.array_equal(found, Akima1DInterpolator(t, values)(wanted))


def test_three_rows_are_enough_and_rows_are_met() -> None:
    t, y = np.array([0.0, 1.0, 3.0]), np.array([1.0, -2.0, 5.0])
    assert np.array_equal(akima(t, y, t), y)


def test_comparing_a_single_pass_with_its_companion_does_not_load_scipys_curves() -> None:
    """Loading them takes longer than many a run."""
    script = """
import sys, dovetail as dv
def pull(t, u, p): return [-8.0 * u.x]
def fall(t, x, u, p): return [x.v, u.f / 2.0]
s = dv.System("oscillator")
mass = {"states": {"x": 1.0, "v": 0.0}, "inputs": ["f"], "outputs": ["x", "v"]}
s.add("mass", dv.Dynamic(**mass, derivatives=fall))
s.add("spring", dv.Algebraic(inputs=["x"], outputs=["f"], function=pull))
s.connect("mass.x", "spring.x")
s.connect("spring.f", "mass.f")
way = dv.GaussSeidel()
r = dv.simulate(s, stop=0.4, step=0.02, algorithm=way, verify=True, quiet=True)
assert r.verdict.error > 0, r.verdict
assert "scipy.interpolate" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=300)
