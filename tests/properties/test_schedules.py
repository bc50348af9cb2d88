"""Samples and jumps at any times, with windows of any size: none is lost, none comes twice."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from problems import Linear

import dovetail as dv

STOP = 2.0
periods = st.floats(0.05, 1.5)
offsets = st.one_of(st.just(0.0), st.floats(0.0, 1.0))
times = st.floats(0.001, STOP - 0.001)
sizes = st.floats(0.02, 3.0)
algorithms = st.sampled_from(
    [dv.Jacobi(), dv.GaussSeidel(), dv.GaussSeidel(inputs="ramp"), dv.Iterative()]
)


def counter(period, offset):
    return dv.Discrete(
        period=period,
        offset=offset,
        states={"n": 0.0},
        outputs=["n"],
        output=lambda t, x, u, p: [x.n],
        update=lambda t, x, u, p: [x.n + 1],
    )


def staircase(jumps):
    return dv.Source(outputs=["y"], function=lambda t, p: [sum(t >= j for j in jumps)], jumps=jumps)


def integrator():
    return Linear(("u",), ("x",), A=[[0]], B=[[1]], C=[[1]], D=0, x=[0.0])


def samples(period, offset):
    """Sample times from 0 to the stop, which counts."""
    count = int(np.floor((STOP - offset) / period + 1e-9))
    return [offset + k * period for k in range(count + 1)] if offset <= STOP else []


@settings(max_examples=25)
@example([(0.1, 0.0), (0.3, 0.0)], [0.3, 0.7], 0.1, dv.GaussSeidel())
@example([(0.1, 0.1)], [0.1, 0.1 + 1e-12], 0.03, dv.Jacobi())
@example([(1 / 3, 0.0), (0.1, 0.05)], [1.0, 1 / 3], 1 / 3, dv.Iterative())
@given(
    st.lists(st.tuples(periods, offsets), min_size=1, max_size=3),
    st.lists(times, max_size=4),
    sizes,
    algorithms,
)
def test_every_sample_and_every_jump_happens_once_and_on_time(clocks, jumps, size, algorithm):
    """Seen in the integrals of what was held between them, which are exact for any window."""
    system = dv.System("schedule")
    system.add("stairs", staircase(jumps))
    system.add("sum", integrator())
    system.connect("stairs.y", "sum.u")
    for k, (period, offset) in enumerate(clocks):
        system.add(f"clock{k}", counter(period, offset))
        system.add(f"area{k}", integrator())
        system.connect(f"clock{k}.n", f"area{k}.u")
    result = dv.simulate(system, stop=STOP, algorithm=algorithm, controller=dv.FixedStep(size))
    assert result.time[-1] == STOP
    assert result.final["stairs.y"] == len(jumps)
    assert result.final["sum.x"] == pytest.approx(sum(STOP - j for j in jumps), abs=1e-8)
    for k, (period, offset) in enumerate(clocks):
        taken = samples(period, offset)
        # n counts the samples before the last: the first one shows 0
        assert result.final[f"clock{k}.n"] == max(len(taken) - 1, 0)
        area = sum(STOP - t for t in taken[1:])
        assert result.final[f"area{k}.x"] == pytest.approx(area, abs=1e-8)
    lines = int(np.ceil(STOP / size - 1e-9))
    events = sum(len(samples(*c)) for c in clocks) + len(jumps)
    assert result.statistics.windows <= lines + events
