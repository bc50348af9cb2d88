"""What a witness sees of a run is the same to the last bit, natively and from Python."""

from __future__ import annotations

import numpy as np
import pytest
from conformance.conftest import called_by
from conformance.test_curves import knotted
from conformance.test_native_windows import NATIVE, SIZE, STOP

import dovetail as dv


def _seen(session):
    witness = session._journal.witness
    return [*witness.arrays(), *witness.course.dump()]


def _equal(native, python):
    pairs = list(zip(native, python, strict=True))
    assert all(np.array_equal(a, b, equal_nan=True) for a, b in pairs), [
        (k, a, b) for k, (a, b) in enumerate(pairs) if not np.array_equal(a, b, equal_nan=True)
    ]
    return native


def _options(algorithm):
    return {
        "stop": STOP,
        "controller": dv.FixedStep(SIZE),
        "algorithm": algorithm,
        "quiet": True,
        "record": "*",
    }


def _model(fmu):
    return fmu("linear", 2, input_derivatives=3)


@pytest.mark.parametrize("algorithm", NATIVE, ids=repr)
def test_a_native_run_sees_the_bits_of_python(fmu, both, algorithm):
    def seen():
        with dv.Session(knotted(_model(fmu)), **_options(algorithm)) as session:
            session.run()
        return _seen(session)

    found = _equal(*both(seen))
    off, way, turn = found[6:9]
    assert way.any() and turn.any()
    single = algorithm.inputs == "hold" and not algorithm.repeats
    if single and not getattr(algorithm, "extrapolation", 0) and isinstance(algorithm, dv.Jacobi):
        assert np.array_equal(off, way)  # held values are off by as much as they move


@pytest.mark.parametrize("algorithm", NATIVE, ids=repr)
def test_changes_and_windows_from_python_in_between_make_no_difference(fmu, both, algorithm):
    def seen():
        with dv.Session(knotted(_model(fmu)), **_options(algorithm)) as session:
            for _ in range(5):
                session.advance()
            session.set("still.u", 2.0)  # an event: what was before says nothing
            session.advance()
            fused, session._loop._fused = session._loop._fused, None
            session.advance()
            session._loop._fused = fused
            session.run()
        return _seen(session)

    _equal(*both(seen))


@pytest.mark.parametrize("algorithm", NATIVE, ids=repr)
def test_a_checkpoint_keeps_what_was_seen(fmu, tmp_path, algorithm):
    system = knotted(_model(fmu))

    def interrupted():
        with dv.Session(system, **_options(algorithm)) as session:
            for _ in range(7):
                session.advance()
            session.checkpoint(tmp_path / "half")
        with dv.Session(system, resume=tmp_path / "half", **_options(algorithm)) as session:
            session.run()
        return _seen(session)

    with called_by("native"):
        with dv.Session(system, **_options(algorithm)) as session:
            session.run()
        whole = _seen(session)
        _equal(interrupted(), whole)
    with called_by("python"):
        _equal(interrupted(), whole)


@pytest.mark.parametrize("n", [2, 3, 16, 17, 70])
def test_any_number_of_signals_is_seen_alike(fmu, both, n):
    """Few are seen one by one, many in blocks, and the last pair may be half empty."""
    model = fmu("linear", 2)
    system = dv.System("ring")
    for k in range(n):
        system.add(f"p{k}", model)
    for k in range(n):
        system.connect(f"p{k}.y", f"p{(k + 1) % n}.u")

    def seen():
        options = {"stop": 2.0, "controller": dv.FixedStep(0.01), "algorithm": dv.Jacobi()}
        with dv.Session(system, record="p0.y", quiet=True, **options) as session:
            session.run()
        return _seen(session)

    _equal(*both(seen))
