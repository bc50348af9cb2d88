"""Saved states: who has none is told so beforehand; who has them goes on where it was."""

from __future__ import annotations

import numpy as np
import pytest
from conformance.fleet import ALGORITHMS, CONTROLLERS, is_clean, ring, run, same, walked

import dovetail as dv
from dovetail.core.signals import Waveform
from dovetail.core.window import Window

REPEATING = [dv.GaussSeidel(5), dv.Jacobi(5), dv.Newton(), dv.Iterative(inputs="hold")]


@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.parametrize("algorithm", REPEATING)
def test_iterating_without_an_estimator_is_refused_beforehand(fmu, version, algorithm):
    model = fmu("linear", version, state_saving=False)
    direct = {f"p{k}": dv.Direct() for k in range(3)}
    with pytest.raises(dv.CapabilityError) as caught:
        run(ring(model), algorithm=algorithm, estimators=direct)
    assert [s.subsystem for s in caught.value.shortfalls] == ["p0", "p1", "p2"]
    assert "'p0' can step over a window only once; give it an estimator" in str(caught.value)
    assert run(ring(model)).finished
    assert is_clean(model)


@pytest.mark.parametrize("version", [1, 2, 3])
def test_step_doubling_is_refused_beforehand(fmu, version):
    model = fmu("linear", version, state_saving=False)
    with pytest.raises(dv.CapabilityError, match="'p0' cannot roll back") as caught:
        run(ring(model), controller=CONTROLLERS["doubling"])
    assert len(caught.value.shortfalls) == 3


def test_fmi_1_goes_back_one_step_and_no_farther(fmu, both):
    model = fmu("linear", 1)
    able = model.description.capabilities
    assert able.can_repeat
    assert not able.can_restore
    with pytest.raises(dv.CapabilityError, match="'p0' cannot roll back farther than one step"):
        run(ring(model), controller=CONTROLLERS["doubling"])
    system, fixed = ring(model), dv.FixedStep(0.4, min_size=0.01)
    tight = {"algorithm": dv.GaussSeidel(3, rtol=1e-6, atol=1e-6), "controller": fixed}
    native, plain = both(lambda: run(system, **tight))  # windows are halved until it converges
    assert same(native, plain)
    assert native.statistics.rejected_by_convergence > 0
    newer = run(ring(fmu("linear", 2)), **tight)
    assert native.statistics.windows == newer.statistics.windows
    for name in native.names:
        assert native[name] == pytest.approx(newer[name], rel=1e-12)
    assert is_clean(model)


def test_fmi_1_does_not_go_back_two_steps(fmu):
    part = fmu("linear", 1).instantiate("part")
    part.initialize(0.0, {})
    part.begin()
    mark = part.snapshot()
    held = Waveform(np.zeros((1, 1)))
    once = part.advance(Window(0.0, 0.1, 0.1), held).outputs.reals
    part.restore(mark)
    part.restore(mark)  # it is there already
    assert part.advance(Window(0.0, 0.1, 0.1), held).outputs.reals == once
    part.advance(Window(0.1, 0.1, 0.2), held)
    with pytest.raises(dv.PartFailed, match="fmiDoStep can reject one step only, the last"):
        part.restore(mark)
    part.close()


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
        with pytest.raises(dv.CapabilityError, match="'p2' cannot serialize its state"):
            session.checkpoint(tmp_path / "checkpoint")
        assert session.run().finished
    assert is_clean(model)
