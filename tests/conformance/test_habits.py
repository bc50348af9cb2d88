"""Habits of FMUs that people have: refused derivatives, free order, a failing end."""

from __future__ import annotations

from math import sin
from typing import Any

import numpy as np
import pytest

import dovetail as dv
from dovetail.fmi.archive import findings

from .fleet import alone, ring, run, same


@pytest.mark.parametrize("version", [1, 2])
def test_a_refused_input_derivative_does_not_end_a_run(fmu, way, version):
    model = fmu("linear", version, flaw="derivatives", input_derivatives=1)
    ramps = dv.GaussSeidel(inputs="ramp")
    result = run(ring(model), algorithm=ramps)
    held = run(ring(fmu("linear", version)), algorithm=dv.GaussSeidel())
    said = [m for m in result.facts["messages"] if "refuses input derivatives of order 1" in m]
    assert len(said) == 3
    assert np.isfinite(result["p0.y"]).all() and len(result.time) == len(held.time)


def test_both_ways_fall_back_alike(fmu, both):
    model = fmu("linear", 2, flaw="derivatives", input_derivatives=1)
    native, python = both(lambda: run(ring(model), algorithm=dv.GaussSeidel(inputs="ramp")))
    assert same(native, python)


CURVES: dict[str, Any] = {
    "algorithm": dv.GaussSeidel(extrapolation=2),
    "controller": dv.FixedStep(0.1),
    "quiet": True,
}


def _follows(model: Any) -> dv.Result:
    """With input derivatives of order 1 and 2."""
    return dv.simulate(ring(model), stop=1.0, **CURVES)


def test_an_fmu_that_a_refused_derivative_breaks_is_run_again_without_it(fmu, way, monkeypatch):
    """It breaks down in its first window: the run begins anew, and so does no later one."""
    monkeypatch.setattr(findings, "_HERE", {})
    monkeypatch.setattr(findings, "_file", lambda archive: None)
    frail = fmu("linear", 2, flaw="derivatives_end", input_derivatives=3)
    for _ in range(2):
        result = _follows(frail)
        said = [m for m in result.facts["messages"] if "refuses input derivatives of order 2" in m]
        assert len(said) == 3 and "up to order 1 over a window" in said[0]
        straight = _follows(fmu("linear", 2, input_derivatives=1))
        assert np.array_equal(result["p0.y"], straight["p0.y"])


def test_a_session_over_it_says_that_a_further_run_goes(fmu, way, monkeypatch):
    monkeypatch.setattr(findings, "_HERE", {})
    monkeypatch.setattr(findings, "_file", lambda archive: None)
    frail = fmu("linear", 2, flaw="derivatives_end", input_derivatives=3)
    words = "a further run gives it no input derivatives of order 2, which it refuses"
    with (
        dv.Session(ring(frail), stop=1.0, **CURVES) as session,
        pytest.raises(dv.PartFailed, match=words),
    ):
        session.run()
    with dv.Session(ring(frail), stop=1.0, **CURVES) as session:
        assert session.run().time[-1] == 1.0


def _relays(fmu: Any, *names: str) -> dv.Result:
    system = dv.System("relays")
    system.add("s", dv.Source(outputs=["u"], function=lambda t, p: [2 * sin(3 * t)]))
    model = fmu(
        "relay", 2, state_saving=False, model_exchange=True, load={"kind": "model exchange"}
    )
    high = {"a": 1.0, "b": 1.2}
    for name in names:
        system.add(name, model, high=high[name])
        system.connect("s.u", f"{name}.u")
    return dv.simulate(system, stop=3.0, controller=dv.FixedStep(0.1), quiet=True)


def test_feed_forward_parts_that_cannot_roll_back_run_in_any_order(fmu):
    one, other = _relays(fmu, "a", "b"), _relays(fmu, "b", "a")
    for result in (one, other):
        for name, high in (("a", 1.0), ("b", 1.2)):
            first = result.time[np.flatnonzero(result[f"{name}.y"] > 0)[0]]
            assert first == pytest.approx(np.arcsin(high / 2) / 3, abs=0.1)  # a window at most


@pytest.mark.parametrize("algorithm", [dv.GaussSeidel(), dv.Jacobi(), None])
def test_parts_that_return_early_are_asked_first_where_the_order_is_free(fmu, algorithm):
    steady = fmu("ball", 1, state_saving=False)
    early = fmu("ball", 2, model_exchange=True, load={"kind": "model exchange"})
    found = []
    for names in (("steady", "early"), ("early", "steady")):
        system = dv.System("balls")
        for name in names:
            system.add(name, {"steady": steady, "early": early}[name])
        found.append(dv.simulate(system, stop=1.0, step=0.1, algorithm=algorithm, quiet=True))
    assert np.array_equal(found[0].time, found[1].time)
    assert np.array_equal(found[0]["steady.h"], found[1]["steady.h"])


@pytest.mark.parametrize("version", [2, 3])
def test_an_end_that_fails_is_told(fmu, version):
    result = run(alone(fmu("linear", version, flaw="terminate")))
    said = [m for m in result.facts["messages"] if "failed while terminating" in m]
    assert said and "could not be closed" in said[0]
