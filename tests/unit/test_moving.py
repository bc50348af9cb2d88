"""Inputs as floats along a window: the same as those of NumPy, to the bit."""

from __future__ import annotations

import numpy as np
import pytest

import dovetail as dv
from dovetail.core.moving import moving
from dovetail.core.signals import Waveform


@pytest.mark.parametrize("columns", [1, 2, 3, 4, 6])
@pytest.mark.parametrize("inputs", [0, 1, 3, 40])
def test_floats_along_a_window_are_those_of_the_waveform_to_the_bit(
    inputs: int, columns: int
) -> None:
    random = np.random.default_rng(7)
    for scale in (1e-300, 1e-3, 1.0, 1e8, 1e300):
        wave = Waveform(scale * random.normal(size=(inputs, columns)))
        at = moving(wave)
        for t in (0.0, 0.1, 1 / 3, 7e5):
            with np.errstate(over="ignore", invalid="ignore"):
                found = at(t)
                assert np.array_equal(found, wave.reals(t), equal_nan=True)
            assert all(type(value) is float for value in found)


def test_functions_see_moving_inputs_as_plain_floats_by_name() -> None:
    """With names and with vectors, and whatever kind of number the solver counts time in."""
    seen: list[type] = []

    def rates(t, x, u, p):
        seen.append(type(u.a))
        return [u.a - u["b"]]

    ends = []
    for vector in (False, True):
        f = (lambda t, x, u, p: [u[0] - u[1]]) if vector else rates
        part = dv.Dynamic(
            states={"x": 0.0},
            inputs=["a", "b"],
            outputs=["x"],
            derivatives=f,
            vector=vector,
            solver="radau" if not vector else "auto",
            rtol=1e-10,
        )
        system = dv.System("ramps")
        system.add("part", part)
        system.add("a", dv.Source(outputs=["y"], function=lambda t, p: [3.0 * t]))
        system.add("b", dv.Source(outputs=["y"], function=lambda t, p: [t]))
        system.connect("a.y", "part.a")
        system.connect("b.y", "part.b")
        way = dv.GaussSeidel(inputs="ramp")
        result = dv.simulate(system, stop=1.0, step=0.25, algorithm=way, quiet=True, verify=False)
        ends.append(result["part.x"][-1])
    assert ends == pytest.approx([1.0, 1.0], abs=1e-8)
    assert set(seen) == {float}
