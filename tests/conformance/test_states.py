"""Saved states: who has none is told so beforehand; who has them goes on where it was."""

from __future__ import annotations

import numpy as np
import pytest
from conformance.fleet import ALGORITHMS, CONTROLLERS, is_clean, ring, run, walked

import dovetail as dv

REPEATING = [dv.GaussSeidel(5), dv.Jacobi(5), dv.Newton(), dv.Iterative(inputs="hold")]


@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.parametrize("algorithm", REPEATING)
def test_iterating_is_refused_beforehand(fmu, version, algorithm):
    model = fmu("linear", version, state_saving=False)
    with pytest.raises(dv.CapabilityError) as caught:
        run(ring(model), algorithm=algorithm)
    assert [s.subsystem for s in caught.value.shortfalls] == ["p0", "p1", "p2"]
    assert "'p0' can step over a window only once; give it an estimator" in str(caught.value)
    assert run(ring(model)).finished
    assert is_clean(model)


@pytest.mark.parametrize("version", [1, 2, 3])
def test_step_doubling_is_refused_beforehand(fmu, version):
    model = fmu("linear", version, state_saving=False)
    with pytest.raises(dv.CapabilityError, match="'p0' cannot go back") as caught:
        run(ring(model), controller=CONTROLLERS["doubling"])
    assert len(caught.value.shortfalls) == 3


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize(
    ("algorithm", "controller"),
    [("jacobi", "fixed"), ("gauss_seidel_5", "fixed"), ("newton", "doubling")],
)
def test_a_resumed_run_is_the_same_to_the_last_bit(
    fmu, way, version, algorithm, controller, tmp_path
):
    model = fmu("linear", version, strict=True)
    options = {"algorithm": ALGORITHMS[algorithm], "controller": CONTROLLERS[controller]}
    whole = walked(ring(model), **options)
    path = tmp_path / "checkpoint"
    with dv.Session(ring(model), stop=2.0, quiet=True, **options) as session:
        for _ in range(3):
            session.advance()
        session.checkpoint(path)
        part = session.time
    resumed = run(ring(model), resume=path, **options)
    later = whole.time > part
    assert np.array_equal(resumed.time[resumed.time > part], whole.time[later])
    for name in whole.names:
        assert np.array_equal(resumed[name][resumed.time > part], whole[name][later])
    assert resumed.statistics.windows == whole.statistics.windows
    assert resumed.statistics.evaluations == whole.statistics.evaluations
    assert is_clean(model)


@pytest.mark.parametrize("version", [1, 2, 3])
def test_without_serialization_a_checkpoint_is_refused_by_name(fmu, way, version, tmp_path):
    model = fmu("linear", version, serialization=False)
    options = {"algorithm": dv.Jacobi(), "controller": dv.FixedStep(0.1)}
    with dv.Session(ring(model), stop=1.0, quiet=True, **options) as session:
        session.advance()
        with pytest.raises(dv.CapabilityError, match="'p2' cannot write its state down"):
            session.checkpoint(tmp_path / "checkpoint")
        assert session.run().finished
    assert is_clean(model)
