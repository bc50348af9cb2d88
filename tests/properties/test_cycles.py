"""Bounds by search are those by enumeration, on any graph."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from dovetail.cycles import PROBES, Scales, probed_cycles, simple_cycles
from dovetail.cycles.howard import least_means

ALPHAS = st.sampled_from([1.0, 0.9, 0.5, 0.1, 1e-3])


@st.composite
def jacobians(draw, most=7):
    n = draw(st.integers(1, most))
    elements = st.one_of(
        st.just(0.0), st.floats(-1e3, -1e-3), st.floats(1e-3, 1e3), st.sampled_from([-1.0, 1.0])
    )
    return draw(arrays.arrays(float, (n, n), elements=elements))


def enumerated(scales, alpha, rule="exact"):
    bounds = np.full(scales.graph.size, np.inf)
    for cycle in simple_cycles(scales.graph):
        nodes = list(cycle)
        bounds[nodes] = np.minimum(bounds[nodes], scales.allowed(cycle, alpha, rule))
    return bounds


@settings(deadline=None, max_examples=150)
@given(jacobians(), ALPHAS, st.sampled_from(["exact", "published"]))
def test_bounds_are_those_of_every_cycle_listed(J, alpha, rule):
    scales = Scales(J)
    found, expected = scales.bounds(alpha, rule), enumerated(scales, alpha, rule)
    assert found.lower == pytest.approx(expected, rel=1e-9)
    assert found.upper == pytest.approx(expected, rel=1e-9)


@settings(deadline=None, max_examples=100)
@given(jacobians(), ALPHAS, st.integers(0, 3000))
def test_limits_enclose_the_bounds_whatever_the_budget(J, alpha, budget):
    scales = Scales(J)
    found, expected = scales.bounds(alpha, budget=budget), enumerated(scales, alpha)
    assert (found.lower <= expected * (1 + 1e-9)).all()
    assert (found.upper >= expected * (1 - 1e-9)).all()


@settings(deadline=None, max_examples=100)
@given(jacobians(), ALPHAS)
def test_the_limiting_cycle_of_a_state_allows_its_bound(J, alpha):
    scales = Scales(J)
    bounds = scales.bounds(alpha).upper
    for state, bound in enumerate(bounds.tolist()):
        cycle = scales.limiting(state, alpha)
        if not cycle:
            assert bound == np.inf
            continue
        assert state in cycle and len(set(cycle)) == len(cycle)
        assert scales.allowed(cycle, alpha) == pytest.approx(bound, rel=1e-9)


@settings(deadline=None, max_examples=100)
@given(jacobians())
def test_howards_mean_is_the_least_of_all_cycles(J):
    scales = Scales(J)
    graph, means = scales.graph, least_means(scales.graph)
    least = np.full(graph.members.size, np.inf)
    for cycle in simple_cycles(graph):
        if len(cycle) > 1:
            mean = np.log(scales.allowed(cycle, 1.0))
            least[graph.component[cycle[0]]] = min(least[graph.component[cycle[0]]], mean)
    assert means.least == pytest.approx(least, rel=1e-9, abs=1e-9)
    assert (means.least <= means.attained).all()
    assert (means.slack >= 0).all()


@settings(deadline=None, max_examples=60)
@given(jacobians(), st.floats(1e-3, 1e3), ALPHAS)
def test_time_in_other_units_changes_bounds_by_that_factor(J, factor, alpha):
    """What the published rule gets wrong."""
    here, there = Scales(J).bounds(alpha), Scales(J / factor).bounds(alpha)
    assert there.lower == pytest.approx(here.lower * factor, rel=1e-8)


@settings(deadline=None, max_examples=60)
@given(jacobians(), ALPHAS, st.data())
def test_states_in_other_units_change_nothing(J, alpha, data):
    units = np.array([10.0 ** data.draw(st.integers(-3, 3)) for _ in J])
    scaled = J * units[:, None] / units[None, :]
    assert Scales(scaled).bounds(alpha).lower == pytest.approx(
        Scales(J).bounds(alpha).lower, rel=1e-8
    )


@settings(deadline=None, max_examples=40)
@given(jacobians(4), st.sampled_from([0.9, 0.5]))
def test_eulers_probe_by_roots_is_eulers_probe_in_closed_form(J, alpha):
    scales = Scales(J)
    for cycle in probed_cycles(J, PROBES["euler"], alpha):
        assert cycle.bound == pytest.approx(scales.allowed(cycle.states, alpha), rel=1e-7)


@settings(deadline=None, max_examples=40)
@given(jacobians(4), st.sampled_from(["heun", "rk3", "rk4"]), st.sampled_from([1.0, 0.7, 0.3]))
def test_gains_are_small_inside_feasible_intervals_and_large_outside(J, probe, alpha):
    for cycle in probed_cycles(J, PROBES[probe], alpha):
        ends = sorted({e for pair in cycle.feasible for e in pair if 0 < e < np.inf})
        places = [0.5 * (a + b) for a, b in zip([0.0, *ends], ends, strict=False)]
        for h in set(places) - set(ends):  # nothing lies between neighbouring numbers
            inside = any(a < h < b for a, b in cycle.feasible)
            value = abs(np.polyval(cycle.gain[::-1], h))
            at_the_edge = value == pytest.approx(alpha, rel=1e-5)
            assert at_the_edge or (value <= alpha) == inside
