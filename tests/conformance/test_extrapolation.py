"""Extrapolated inputs of FMUs: derivatives where they take them, the mean where they do not."""

from __future__ import annotations

import problems
import pytest
from conformance.fleet import is_clean, pair

import dovetail as dv

OPTIONS = {"stop": 5.0, "controller": dv.FixedStep(0.25), "quiet": True}


def twin(order):
    """The same pair as Python parts that solve themselves exactly."""

    def limited(model):
        return problems.Blind(model, input_order=order)

    return pair(
        limited(problems.Species(0.1, -0.02, 10.0)), limited(problems.Species(-0.4, 0.02, 10.0))
    )


@pytest.mark.parametrize("taken", [0, 3])
@pytest.mark.parametrize("cls", [dv.Jacobi, dv.GaussSeidel])
@pytest.mark.parametrize("degree", [1, 2, 3])
def test_fmus_follow_as_far_as_they_can(fmu, way, taken, cls, degree):
    models = [fmu(n, 2, input_derivatives=taken) for n in ("prey", "predator")]
    algorithm = cls(extrapolation=degree)
    found = dv.simulate(pair(*models), algorithm=algorithm, **OPTIONS)
    expected = dv.simulate(twin(taken), algorithm=algorithm, **OPTIONS)
    for name in ("prey.x", "predator.x"):
        assert found[name] == pytest.approx(expected[name], rel=1e-11)
    assert is_clean(*models)
