"""Errors carried along with native windows of FMUs, by their directional derivatives."""

from __future__ import annotations

import numpy as np
import pytest
from conformance.fleet import ring

import dovetail as dv

STOP, SIZE = 2.0, 0.05


@pytest.mark.parametrize(
    "algorithm", [dv.Jacobi(), dv.GaussSeidel(20, rtol=1e-10, atol=1e-10)], ids=repr
)
def test_native_windows_are_seen_one_by_one(algorithm, fmu):
    system = ring(fmu("linear", 2))
    given = {"stop": STOP, "step": SIZE, "algorithm": algorithm, "quiet": True}
    plain = dv.simulate(system, verify=False, **given)
    result = dv.simulate(system, verify="carried", **given)
    assert result.statistics.native_windows == plain.statistics.native_windows == 40
    for name in plain.names:
        assert np.array_equal(result[name], plain[name])
    fine = dv.simulate(system, verify=False, **{**given, "step": SIZE / 64})
    rows = slice(None, None, 64)
    assert result.verdict.errors
    for name, found in result.verdict.errors.items():
        truth = fine[name][rows]
        true = np.abs(result[name] - truth).max() / np.ptp(truth)
        # windows of a sixty-fourth are themselves off by a sixty-fourth with held inputs
        assert found == pytest.approx(true, rel=0.06)
