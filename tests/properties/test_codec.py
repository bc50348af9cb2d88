"""Values written down and read again, to the last bit."""

import contextlib
import struct
from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from dovetail.core import codec
from dovetail.core.signals import Signals, Tolerance, Waveform
from dovetail.core.statistics import Statistics
from dovetail.core.window import Grid, Window

scalars = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.binary(max_size=20)
)
boxes = st.sampled_from(["<f8", ">f8", "<f4", "<i8", "<i4", "|u1", "|b1"])
arrays = boxes.flatmap(
    lambda d: hnp.arrays(np.dtype(d), hnp.array_shapes(min_dims=0, max_dims=3, min_side=0))
)
values = st.recursive(
    st.one_of(scalars, arrays),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=4).map(tuple),
        st.dictionaries(st.text(), inner, max_size=3),
    ),
    max_leaves=12,
)


def same(a, b):
    """Equal in type and to the last bit: also NaN, and zeros of either sign."""
    if isinstance(a, np.ndarray):
        return (
            isinstance(b, np.ndarray)
            and (a.dtype, a.shape) == (b.dtype, b.shape)
            and a.tobytes() == b.tobytes()
        )
    if type(a) is not type(b):
        return False
    if isinstance(a, float):
        return struct.pack("d", a) == struct.pack("d", b) or (isnan(a) and isnan(b))
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    return a == b


@given(values)
def test_whatever_is_written_is_read_again(value):
    assert same(codec.decode(codec.encode(value)), value)


@given(st.floats(), st.floats(), st.floats())
def test_data_of_this_package_comes_back_as_it_was(a, b, c):
    for value in (Window(a, b, c), Grid(a, b, c)):
        found = codec.decode(codec.encode(value))
        assert type(found) is type(value)
        assert same((a, b, c), tuple(getattr(found, n) for n in type(value).__slots__))


def test_nested_data_comes_back_too():
    wave = Waveform(np.array([[1.0, -0.0]]), (True, 3, "a", b"\0"))
    found = codec.decode(codec.encode({"w": wave, "s": Signals(np.zeros(2))}))
    assert found["w"].equals(wave)
    assert found["w"].discrete == wave.discrete
    assert [type(v) for v in found["w"].discrete] == [bool, int, str, bytes]
    assert found["s"].slopes is None
    assert codec.decode(codec.encode(Tolerance())) == Tolerance()
    assert codec.decode(codec.encode(Statistics(3))) == Statistics(3)


@pytest.mark.parametrize(
    "value", [object(), {1, 2}, 1j, np.array(["a"]), np.array([None]), lambda: 0, Exception()]
)
def test_what_cannot_be_written_is_refused(value):
    with pytest.raises(TypeError, match="cannot write"):
        codec.encode([value])


@given(st.binary(max_size=60))
def test_noise_is_no_value_and_no_crash(data):
    with contextlib.suppress(ValueError):
        codec.decode(data)


@pytest.mark.parametrize(
    "text",
    [
        '{"$":"os:system","fields":{}}',
        '{"$":"dovetail.core.codec:importlib.import_module","fields":{}}',
        '{"$":"dovetail.core.errors:FileError","fields":{"path":"x","what":"y"}}',
        '{"$":"dovetail.nowhere:Thing","fields":{}}',
        '{"$":"dovetail.core.window:Window","fields":{"start":0}}',
        '{"$":"dovetail.core.window:Window"}',
        '{"$":"dovetail.core.window:Nothing","fields":{}}',
        '{"no":"tag"}',
        '{"$":"array","type":"<f8","shape":[3],"data":"AAAA"}',
    ],
)
def test_nothing_but_data_is_ever_made(text):
    with pytest.raises(ValueError):
        codec.decode(text.encode())
