"""Inputs over a window: shapes, ends, and counting time from elsewhere."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from dovetail.core.signals import Signals, Span, Tolerance, Waveform

numbers = st.floats(-1e6, 1e6, allow_subnormal=False).map(lambda v: v if abs(v) > 1e-12 else 0.0)
sizes = st.floats(1e-6, 1e3)
shares = st.floats(0.0, 1.0)


@st.composite
def instants(draw, derivatives=True):
    n = draw(st.integers(0, 4))
    reals, rates = (draw(arrays(float, n, elements=numbers)) for _ in range(2))
    held = draw(st.tuples(st.booleans(), st.text(max_size=3), st.integers()))
    return Signals(reals, rates if derivatives else None, held)


@st.composite
def spans(draw):
    """Two instants of the same variables, and a time between them."""
    begin = draw(instants())
    n = begin.reals.size
    end = Signals(
        draw(arrays(float, n, elements=numbers)),
        draw(arrays(float, n, elements=numbers)),
        draw(st.tuples(st.booleans(), st.text(max_size=3), st.integers())),
    )
    return begin, end, draw(sizes)


@st.composite
def polynomials(draw):
    shape = draw(st.integers(0, 4)), draw(st.integers(1, 5))
    return Waveform(draw(arrays(float, shape, elements=st.floats(-100, 100))), ("a", 1))


def near(found, expected, scale):
    assert found == pytest.approx(expected, abs=1e-9 * (1 + scale), rel=1e-9)


def largest(*vectors):
    return max((float(np.max(np.abs(v), initial=0.0)) for v in vectors), default=0.0)


@given(spans())
def test_hermite_meets_values_and_slopes_at_both_ends(span):
    begin, end, size = span
    wave = Waveform.hermite(begin, end, size)
    scale = largest(begin.reals, end.reals, begin.derivatives * size, end.derivatives * size)
    for time, there in ((0.0, begin), (size, end)):
        found = wave.at(time)
        near(found.reals, there.reals, scale)
        near(found.derivatives * size, there.derivatives * size, scale)
    assert wave.order == 3
    assert wave.discrete == end.discrete


@given(spans())
def test_a_ramp_is_straight_from_end_to_end(span):
    begin, end, size = span
    wave = Waveform.ramp(begin, end, size)
    scale = largest(begin.reals, end.reals)
    near(wave.reals(0.0), begin.reals, 0)
    near(wave.reals(size), end.reals, scale)
    near(wave.reals(size / 2), (begin.reals + end.reals) / 2, scale)
    assert wave.order == 1


@given(spans(), shares)
def test_a_hold_keeps_the_later_values(span, share):
    begin, end, size = span
    wave = Waveform.shaped("hold", begin, end, size)
    assert np.array_equal(wave.reals(share * size), end.reals)
    assert not wave.at(share * size).derivatives.any()
    assert wave.order == 0


@given(spans(), shares)
def test_a_shape_is_what_its_name_says(span, share):
    begin, end, size = span
    assert Waveform.shaped("ramp", begin, end, size).equals(Waveform.ramp(begin, end, size))
    assert Waveform.shaped("hermite", begin, end, size).equals(Waveform.hermite(begin, end, size))
    assert Waveform.shaped("hold", begin, end, size).equals(Waveform.hold(end))


@given(polynomials(), st.floats(0, 3), st.floats(0, 3))
def test_restarted_is_the_same_curve_counted_from_elsewhere(wave, shift, time):
    restarted = wave.restarted(shift)
    power = wave.coefficients.shape[1]
    scale = largest(wave.coefficients) * (1 + shift + time) ** power
    near(restarted.reals(time), wave.reals(shift + time), scale)
    near(restarted.at(time).derivatives, wave.at(shift + time).derivatives, power * scale)
    assert restarted.discrete == wave.discrete


@given(polynomials(), st.floats(-2, 2))
def test_slopes_are_those_of_the_polynomial(wave, time):
    exact = [np.polynomial.Polynomial(row).deriv()(time) for row in wave.coefficients]
    near(wave.at(time).derivatives, exact, largest(wave.coefficients) * 100)


@given(polynomials(), polynomials(), st.floats(0, 2))
def test_a_sum_is_the_sum_of_both(one, other, time):
    rows = min(one.coefficients.shape[0], other.coefficients.shape[0])
    span = Span(slice(0, rows), slice(0, 2))
    one, other = one[span], other[span]
    near((one + other).reals(time), one.reals(time) + other.reals(time), 1e4)
    assert (one + other).discrete == one.discrete


@given(st.lists(instants(), max_size=4))
def test_joined_signals_come_apart_again(parts):
    whole = Signals.join(parts)
    spans = Span.sequence([p.reals.size for p in parts], [len(p.discrete) for p in parts])
    for part, span in zip(parts, spans, strict=True):
        assert whole[span].equals(part)
        assert np.array_equal(whole[span].derivatives, part.derivatives)


@given(instants(), instants(derivatives=False))
def test_slopes_are_known_only_if_all_are(known, unknown):
    joined = Signals.join([known, unknown])
    assert (joined.derivatives is None) == (unknown.reals.size > 0)


@given(
    arrays(float, 5, elements=numbers),
    arrays(float, 5, elements=numbers),
    st.floats(1e-12, 1e-1),
    st.floats(1e-12, 1e-1),
)
def test_a_change_within_tolerance_measures_at_most_one(change, reference, rtol, atol):
    weight = np.abs(reference) * rtol + atol
    for norm in ("rms", "max"):
        tolerance = Tolerance(rtol, atol, norm)
        assert tolerance.measure(0.999 * weight, reference) <= 1
        assert tolerance.measure(1.001 * weight, reference) > 1
        assert tolerance.measure(change, reference) >= 0
        assert tolerance.measure(change * 0, reference) == 0
    largest = Tolerance(rtol, atol, "max").measure(change, reference)
    assert Tolerance(rtol, atol).measure(change, reference) <= largest * (1 + 1e-12)


@settings(max_examples=5)
@given(st.sampled_from([np.nan, np.inf, -np.inf]))
def test_what_is_not_finite_is_never_within_tolerance(value):
    for norm in ("rms", "max"):
        assert Tolerance(norm=norm).measure(np.array([0.0, value]), np.zeros(2)) == np.inf
    assert Tolerance().measure(np.zeros(0), np.zeros(0)) == 0.0
