"""Windows that follow those of another run, in native code: the same bits as from Python."""

from __future__ import annotations

import pytest
from conformance.conftest import called_by
from conformance.fleet import ring, run, same
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import dovetail as dv
from dovetail.verification.following import Following
from dovetail.verification.short_start import ShortStart
from dovetail.verification.window_ends import WindowEnds

ALGORITHMS = [dv.GaussSeidel(extrapolation=1), dv.GaussSeidel(20), dv.Newton()]
SIZES = st.lists(
    st.one_of(st.sampled_from([0.1, 0.1, 0.2, 0.1 + 1e-12]), st.floats(1e-3, 0.5)),
    min_size=1,
    max_size=12,
)


def ends_of(sizes):
    times = [0.0]
    for size in sizes:
        times.append(times[-1] + size)
    told = WindowEnds(times)
    told.end()
    return told, times


def followed(model, sizes, steps, algorithm=ALGORITHMS[0]):
    told, times = ends_of(sizes)
    try:
        controller = Following(told, 0.0, steps)
        return run(ring(model), algorithm=algorithm, controller=controller, stop=times[-1])
    finally:
        told.close()


@settings(max_examples=40, suppress_health_check=list(HealthCheck), deadline=None)
@given(sizes=SIZES, steps=st.sampled_from([1, 2, 3]))
def test_bits_are_those_of_python(fmu, sizes, steps):
    model, found = fmu("linear", 2), []
    for way in ("native", "python"):
        with called_by(way):
            found.append(followed(model, sizes, steps))
    assert same(*found)
    statistics = found[0].statistics
    assert statistics.native_windows == statistics.windows > 0


@pytest.mark.parametrize("algorithm", ALGORITHMS[1:], ids=repr)
def test_so_are_those_of_iterations(fmu, both, algorithm):
    sizes = [0.05, 0.05, 0.1, 0.3, 0.2, 0.2, 0.05]
    for steps in (1, 2, 3):
        native, python = both(lambda s=steps: followed(fmu("linear", 3), sizes, s, algorithm))
        assert same(native, python)
        assert native.statistics.native_windows == native.statistics.windows


def test_a_window_that_does_not_converge_is_halved_by_python(fmu, both):
    algorithm = dv.GaussSeidel(3, rtol=1e-9, atol=1e-9)
    native, python = both(lambda: followed(fmu("linear", 2), [0.01] * 3 + [0.6] * 2, 2, algorithm))
    assert same(native, python)
    assert native.statistics.rejected_by_convergence > 0
    assert 0 < native.statistics.native_windows < native.statistics.windows


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=repr)
def test_a_first_window_that_is_short_is_so_in_every_way(fmu, both, algorithm):
    windows = ShortStart.halved(dv.FixedStep(0.2, 0.01))
    options = {"algorithm": algorithm, "controller": windows, "stop": 1.1}
    native, python = both(lambda: run(ring(fmu("linear", 2)), **options))
    assert same(native, python)
    assert native.time == pytest.approx([0.0, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.1])
    assert native.statistics.native_windows >= native.statistics.windows - 1  # but that one


@pytest.mark.parametrize("version", [1, 2])
def test_a_verified_run_says_the_same_in_every_way(fmu, both, version):
    """The companion is told the ends of windows while the run goes on, in a process of its own."""
    model = fmu("linear", version, state_saving=False, exposed_states=False)
    controller = dv.InputDefect(1e-2, 1e-9, first_size=1e-3, scale="range")
    options = {"algorithm": dv.GaussSeidel(extrapolation=1), "controller": controller}

    def verified():
        return dv.simulate(ring(model), stop=2.0, verify=True, quiet=True, **options)

    native, python = both(verified)
    assert native.verdict.error == python.verdict.error
    assert native.verdict.errors == python.verdict.errors
    assert "at windows two thirds as long" in str(native.verdict)
    assert native.statistics.native_windows == native.statistics.windows
