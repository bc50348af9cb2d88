"""A run that never goes back saves no states: doing so costs time, and some FMUs cannot."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from conformance.fleet import handle, is_clean, oscillator, ring, run

import dovetail as dv


def taken(model):
    """States that instances of this FMU were asked to save so far."""
    count = handle(model).dovetail_count
    count.restype = ctypes.c_long
    return count(b"states taken")


def driven(model):
    system = dv.System("driven")
    system.add("wave", dv.Source(outputs=["u"], function=lambda t, p: [3 * np.sin(7 * t)]))
    system.add("part", model)
    system.connect("wave.u", "part.u")
    return system


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("algorithm", [dv.Jacobi(), dv.GaussSeidel()], ids=repr)
def test_plain_coupling_saves_nothing(fmu, way, version, algorithm):
    model, body, spring = (fmu(name, version) for name in ("linear", "body", "spring"))
    before = [taken(m) for m in (model, body, spring)]
    run(ring(model), algorithm=algorithm)
    run(oscillator(body, spring), algorithm=algorithm)
    windows = dv.FixedStep(0.01)  # those that are chosen by default roll back
    given = {"algorithm": algorithm, "controller": windows, "quiet": True}
    with dv.Session(ring(model), stop=0.3, **given) as session:
        for _ in session:
            pass
    assert [taken(m) for m in (model, body, spring)] == before
    run(ring(model), algorithm=dv.GaussSeidel(5))
    assert taken(model) > before[0]
    assert is_clean(model, body, spring)


@pytest.mark.parametrize(
    ("version", "kind"), [(2, "model exchange"), (3, "model exchange"), (3, "co-simulation")]
)
def test_events_of_the_only_part_that_has_some_take_nobody_back(fmu, version, kind):
    model = fmu("relay", version, load={"kind": kind})
    before = taken(model)
    result = run(driven(model), algorithm=dv.Jacobi())
    assert taken(model) == before
    assert result.statistics.events > 2
    again = run(driven(model), algorithm=dv.Jacobi(), estimators={"part": dv.Rollback()})
    assert taken(model) > before
    assert np.array_equal(result["part.y"], again["part.y"])
    assert np.array_equal(result.time, again.time)
    assert is_clean(model)


def test_with_events_of_two_parts_both_can_go_back(fmu):
    model = fmu("relay", 3, load={"kind": "model exchange"})
    system = driven(model)
    system.add("other", model)
    system.connect("wave.u", "other.u", gain=-0.9)
    before = taken(model)
    run(system, algorithm=dv.Jacobi())
    assert taken(model) > before
