"""Native windows, one or many at a time, mixed with whatever a user does between them."""

from __future__ import annotations

import os
import signal
import tempfile
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from conformance.conftest import called_by
from conformance.fleet import is_clean, ring, run, same
from conformance.test_curves import knotted
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import dovetail as dv
from dovetail.run import fused_run

TIGHT = {"rtol": 1e-10, "atol": 1e-10}
NATIVE = [
    dv.Jacobi(),
    dv.GaussSeidel(),
    dv.GaussSeidel(order_of_parts=("c", "a")),
    dv.GaussSeidel(inputs="ramp"),
    dv.Jacobi(extrapolation=2),
    dv.GaussSeidel(extrapolation=1),
    dv.Jacobi(20),
    dv.GaussSeidel(20, **TIGHT),
    dv.GaussSeidel(2, on_limit="accept", **TIGHT),
    dv.GaussSeidel(20, inputs="ramp"),
    dv.Jacobi(20, inputs="ramp"),
    dv.Newton(**TIGHT),
    dv.Newton(inputs="ramp"),
]
STOP, SIZE = 2.04, 0.1
WINDOWS = 21  # the last one is shorter

step = st.one_of(
    st.tuples(st.just("advance"), st.integers(1, 4)),
    st.tuples(st.just("iterate"), st.integers(1, 4)),
    st.tuples(st.just("many"), st.integers(1, 6)),
    st.tuples(st.just("python"), st.integers(1, 2)),
    st.tuples(st.just("set"), st.floats(-3, 3)),
    st.tuples(st.just("tune"), st.floats(-2, -0.5)),
    st.tuples(st.just("checkpoint"), st.just(0)),
)


class Walk:
    """A run that is made in pieces, in ways that change."""

    def __init__(self, system, folder, **options):
        self.system, self.folder, self.options = system, folder, options
        self.session, self.made = dv.Session(system, **options), []

    def go(self, what, amount):
        session = self.session
        if session.finished:
            return
        before = session.counts.windows
        if what == "set":
            session.set("still.u", amount)
        elif what == "tune":
            session.set("still.a", amount)
        elif what == "checkpoint":
            session.checkpoint(self.folder / "half.dvc")
            session.close()
            self.session = dv.Session(self.system, resume=self.folder / "half.dvc", **self.options)
        elif what == "iterate":
            for k, _ in enumerate(session, 1):
                if k == amount:
                    break
        elif what == "many":  # as `run` does, but so many at the most
            session._make_changes()
            width = 1 + len(session._journal.names)
            room, fused_run._BYTES = fused_run._BYTES, 8 * width * amount
            try:
                session._loop.many()
            finally:
                fused_run._BYTES = room
            session._moved()
        elif what == "python":
            fused, session._loop._fused = session._loop._fused, None
            for _ in range(amount):
                if not session.finished:
                    session.advance()
            session._loop._fused = fused
        else:
            for _ in range(amount):
                if not session.finished:
                    session.advance()
        self.made.append((what, amount, self.session.counts.windows - before))

    def end(self):
        return self.session.result if self.session.finished else self.session.run()


def from_python(system, made, **options):
    """The same changes at the same places, every window from Python."""
    with called_by("python"), dv.Session(system, **options) as session:
        for what, amount, windows in made:
            if what == "set":
                session.set("still.u", amount)
            elif what == "tune":
                session.set("still.a", amount)
            elif what == "checkpoint":
                session._make_changes()
            for _ in range(windows):
                session.advance()
        while not session.finished:
            session.advance()
    return session.result


@pytest.mark.parametrize("algorithm", NATIVE, ids=repr)
@given(steps=st.lists(step, max_size=8))
@settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_however_a_run_is_made_its_bits_are_those_of_python(fmu, algorithm, steps):
    model = fmu("linear", 2, input_derivatives=3)
    options = {"stop": STOP, "controller": dv.FixedStep(SIZE), "algorithm": algorithm}
    options |= {"quiet": True, "record": ["*", "still.u"]}
    with tempfile.TemporaryDirectory() as folder, called_by("native"):
        walk = Walk(knotted(model), Path(folder), **options)
        for what, amount in steps:
            walk.go(what, amount)
        found = walk.end()
    wanted = from_python(knotted(model), walk.made, **options)
    assert same(found, wanted)
    assert found.changes == wanted.changes
    assert wanted.statistics.native_windows == 0
    by_hand = sum(n for what, _, n in walk.made if what == "python")
    assert found.statistics.native_windows == WINDOWS - by_hand
    assert is_clean(model)


@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.parametrize("algorithm", [a for a in NATIVE if a.inputs == "hold"], ids=repr)
def test_segments_tell_the_same_as_those_from_python(fmu, both, version, algorithm):
    """Windows, positions, inputs over the window, iterations: field by field."""

    def walked():
        options = {"stop": STOP, "controller": dv.FixedStep(SIZE), "algorithm": algorithm}
        with dv.Session(knotted(fmu("linear", version)), quiet=True, **options) as session:
            found = []
            while not session.finished:
                found.append(session.advance())
        return found

    pairs = list(zip(*both(walked), strict=True))
    assert len(pairs) == WINDOWS
    for (native,), (python,) in pairs:
        assert native.window == python.window
        assert native.before.time == python.before.time
        assert native.after.time == python.after.time
        assert native.outputs.equals(python.outputs)
        assert native.after.outputs.equals(python.after.outputs)
        assert native.trial.inputs.equals(python.trial.inputs)
        assert native.trial.iterations == python.trial.iterations
        assert native.trial.doubtful == python.trial.doubtful
        assert (native.trial.state is None) == (python.trial.state is None)
        assert (native.trial.coordination is None) == (python.trial.coordination is None)
        assert (native.event, native.found_by, native.ticks) == (False, (), None)
    for (first,), (second,) in pairwise([a for a, _ in pairs]):
        assert second.before is first.after


@pytest.mark.parametrize("algorithm", NATIVE, ids=repr)
def test_segments_along_curves_tell_the_same(fmu, both, algorithm):
    model = fmu("linear", 2, input_derivatives=3)

    def walked():
        options = {"stop": STOP, "controller": dv.FixedStep(SIZE), "algorithm": algorithm}
        with dv.Session(knotted(model), quiet=True, **options) as session:
            found = []
            while not session.finished:
                found += session.advance()
        return [s.trial.inputs.coefficients for s in found]

    for native, python in zip(*both(walked), strict=True):
        assert native.shape == python.shape
        assert np.array_equal(native, python)


def test_steps_of_an_iteration_show_what_is_recorded(fmu, both):
    def walked():
        options = {"stop": 1.0, "controller": dv.FixedStep(SIZE), "algorithm": dv.GaussSeidel()}
        with dv.Session(ring(fmu("linear", 2)), quiet=True, **options) as session:
            return [(s.time, s.window, s.event, s.values) for s in session]

    native, python = both(walked)
    assert native == python
    assert set(native[0][3]) == {f"p{k}.{v}" for k in range(3) for v in "uy"}


def test_windows_one_by_one_are_native_and_counted(fmu):
    with dv.Session(
        ring(fmu("linear", 2)), stop=1.0, controller=dv.FixedStep(0.002), quiet=True
    ) as session:
        session.advance()
        assert (session.counts.windows, session.counts.native_windows) == (1, 1)
        next(iter(session))
        assert session.statistics.native_windows == 2
        result = session.run()
    assert result.statistics.native_windows == result.statistics.windows == 500
    with called_by("python"):
        assert run(ring(fmu("linear", 2))).statistics.native_windows == 0


def test_ctrl_c_while_windows_go_one_by_one_leaves_whole_rows(fmu):
    """Ctrl-C while a window is made and recorded waits for it; the next look raises."""
    system = ring(fmu("linear", 2))
    with dv.Session(system, stop=100.0, controller=dv.FixedStep(SIZE), quiet=True) as session:
        with pytest.raises(KeyboardInterrupt), session._shield.watched():
            for k, _ in enumerate(session):
                if k == 5:
                    os.kill(os.getpid(), signal.SIGINT)
        rows = len(session.result)
    assert rows == session.counts.windows + 1 >= 7


def test_threads_are_chosen_by_what_single_windows_cost(fmu):
    """Steps that are asked for one by one are timed as well."""
    with dv.Session(
        ring(fmu("linear", 2)),
        stop=5.0,
        controller=dv.FixedStep(SIZE),
        algorithm=dv.Jacobi(),
        quiet=True,
    ) as session:
        for _ in session:
            pass
        assert all(m.timed >= 3 for m in session.assembly.batch._members)
        assert session.assembly.batch._looked
