"""Values written down and read again, to the last bit."""

import contextlib
import json
import struct
import sys
import zlib
from functools import cache
from math import isnan
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import problems
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import dovetail as dv
from dovetail.core import codec
from dovetail.core.signals import Signals, Tolerance, Waveform
from dovetail.core.statistics import Statistics
from dovetail.core.stored import STORED
from dovetail.core.window import Grid, Window
from dovetail.run.checkpoint import FORMAT, Checkpoint

STORED_MODULES = {f"dovetail.{place.partition(':')[0]}" for place in STORED.values()}

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
    assert found["s"].derivatives is None
    assert codec.decode(codec.encode(Tolerance())) == Tolerance()
    assert codec.decode(codec.encode(Statistics(3))) == Statistics(3)


@pytest.mark.parametrize(
    "value", [object(), {1, 2}, 1j, np.array(["a"]), np.array([None]), lambda: 0, Exception()]
)
def test_what_cannot_be_written_is_refused(value):
    with pytest.raises(TypeError, match="cannot serialize"):
        codec.encode([value])


@given(st.binary(max_size=60))
def test_noise_is_no_value_and_no_crash(data):
    with contextlib.suppress(ValueError):
        codec.decode(data)


WINDOW = {"start": 0.0, "size": 1.0, "stop": 1.0}


def stored(name, fields):
    return {"$": "class", "name": name, "fields": fields}


def array(**more):
    return {"$": "array", "type": "<f8", "shape": [1], "data": "AAAAAAAAAAA=", **more}


@pytest.mark.parametrize(
    "plain",
    [
        stored("os:system", {}),
        stored("dovetail.__main__:main", {}),
        stored("core.window:Window", WINDOW),
        stored("dovetail.core.window:Window", WINDOW),
        stored("Window", WINDOW),
        stored("", {}),
        stored(None, {}),
        stored(["window"], WINDOW),
        stored("window", {"start": 0.0, "size": 1.0}),
        stored("window", {**WINDOW, "more": 1}),
        stored("window", {**WINDOW, "__class__": 1}),
        stored("window", {**WINDOW, "start": "now"}),
        stored("window", {**WINDOW, "start": True}),
        stored("window", {**WINDOW, "start": None}),
        stored("window", [0.0, 1.0, 1.0]),
        stored("signals", {"reals": [1.0]}),
        stored("signals", {"reals": array(type="<i8")}),
        stored("signals", {"reals": array(type=">f8")}),
        stored("signals", {"reals": array(), "discrete": {"$": "tuple", "items": [1.5]}}),
        {"$": "class", "name": "window"},
        {"$": "class", "name": "window", "fields": WINDOW, "more": 1},
        {"$": "dovetail.core.window:Window", "fields": WINDOW},
        {"$": "window", "fields": WINDOW},
        {"$": None},
        {"$": ["bytes"], "data": ""},
        {"no": "tag"},
        {},
        array(shape=[3]),
        array(shape=[-1]),
        array(shape=[True]),
        array(shape=[1.0]),
        array(shape=1),
        array(shape="1"),
        array(shape=[2**62, 2**62]),
        array(shape=[0, 2**70], data=""),
        array(shape=[1] * 100),
        array(type="O"),
        array(type="|O8"),
        array(type="<U2"),
        array(type="<M8[s]"),
        array(type="<c16", data="AAAAAAAAAAAAAAAAAAAAAA=="),
        array(type="<f8,<f8"),
        array(type="<f1", shape=[8]),
        array(type=[["a", "<f8"]]),
        array(type=8),
        array(data="AAAA"),
        array(data="not base64!!"),
        array(data=3),
        array(data="\u00e9"),
        array(more=1),
        {"$": "bytes", "data": "A"},
        {"$": "bytes"},
        {"$": "float", "text": "1.5"},
        {"$": "float", "text": "Infinity"},
        {"$": "float", "text": ["nan"]},
        {"$": "tuple", "items": "ab"},
        {"$": "tuple", "items": {"$": "map", "items": []}},
        {"$": "map", "items": [["a"]]},
        {"$": "map", "items": [["a", 1, 2]]},
        {"$": "map", "items": ["ab"]},
        {"$": "map", "items": [["a", 1], ["a", 2]]},
        {"$": "map", "items": [[[], 1]]},
        {"$": "map", "items": 3},
    ],
    ids=str,
)
def test_nothing_but_data_is_ever_made(plain):
    for value in (plain, [plain], {"$": "tuple", "items": [plain]}):
        with pytest.raises(ValueError):
            codec.decode(json.dumps(value).encode())


@pytest.mark.parametrize(
    "text",
    [
        "NaN",
        "[Infinity]",
        "-Infinity",
        "[" * 101 + "]" * 101,
        "[" * 1_000_000 + "]" * 1_000_000,
        '{"$":"tuple","items":[' * 100_000,
        '{"$":"tuple","items":[' * 200 + "1" + "]}" * 200,
        "9" * 10_000,
        '{"$":"bytes","data":"","data":""}',
        '{"$":"bytes","$":"float","text":"nan"}',
        '"\u00e9"',
        "",
        "{",
        "1 2",
    ],
    ids=lambda text: text[:24],
)
def test_what_is_no_json_of_ours_is_no_value(text):
    with pytest.raises(ValueError):
        codec.decode(text.encode())


def test_what_is_nested_too_deep_is_not_written():
    value: list = []
    for _ in range(99):
        value = [value]
    assert codec.decode(codec.encode(value)) == value
    with pytest.raises(TypeError, match="nested more than 100 times"):
        codec.encode([value])
    value.append(value)
    with pytest.raises(TypeError, match="nested more than 100 times"):
        codec.encode(value)


def test_a_field_with_a_default_may_be_missing_as_in_an_older_file():
    text = json.dumps(stored("statistics", {"windows": 3}))
    assert codec.decode(text.encode()) == Statistics(3)
    with pytest.raises(ValueError, match="window lacks 'size'"):
        codec.decode(json.dumps(stored("window", {"start": 0.0, "stop": 1.0})).encode())
    with pytest.raises(ValueError, match="statistics has no 'losses'"):
        codec.decode(json.dumps(stored("statistics", {"losses": 3})).encode())


plain_json = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=5)
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(["$", "items", "fields", "name", "data", "type", "shape", "start"]),
            st.one_of(inner, st.sampled_from(["class", "map", "tuple", "array", *STORED])),
            max_size=4,
        ),
    ),
    max_leaves=10,
)


@given(plain_json)
def test_any_json_is_a_value_or_a_value_error(plain):
    with contextlib.suppress(ValueError):
        codec.decode(json.dumps(plain, allow_nan=False).encode())


# Checkpoints that somebody has changed -----------------------------------------------------------


@cache
def checkpoint():
    """One of a small run, as bytes and as JSON."""
    system = problems.sampled_masses_system()
    algorithm, controller = dv.GaussSeidel(extrapolation=1), dv.Defect(first_size=0.05)
    with dv.Session(system, stop=1.0, algorithm=algorithm, controller=controller) as session:
        session.advance()
        session.advance()
        with TemporaryDirectory() as folder:
            session.checkpoint(f"{folder}/c")
            data = zlib.decompress(Path(folder, "c").read_bytes().partition(b"\n")[2])
    return data, json.loads(data)


def read(data):
    """What comes of a checkpoint with this content: a checkpoint, or a FileError."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "c")
        path.write_bytes(b"dovetail checkpoint %d\n" % FORMAT + zlib.compress(data, 1))
        try:
            return Checkpoint.read(path)
        except dv.FileError as error:
            assert str(error).startswith(str(path)) and "\n" not in str(error)
            return None


def places(plain, path=()):
    """Every place in a tree of JSON."""
    yield path
    pairs = enumerate(plain) if isinstance(plain, list) else ()
    for key, inner in plain.items() if isinstance(plain, dict) else pairs:
        yield from places(inner, (*path, key))


def test_the_checkpoint_that_is_changed_below_is_good():
    data, plain = checkpoint()
    assert isinstance(read(data), Checkpoint)
    assert len(list(places(plain))) > 200


@given(st.data())
def test_a_checkpoint_with_another_branch_is_refused_or_is_still_data(data):
    """Any part of the tree exchanged for anything: no other error, and nothing is imported."""
    tree = json.loads(checkpoint()[0])
    place = data.draw(st.sampled_from(list(places(tree))))
    branch = data.draw(plain_json)
    before = set(sys.modules)
    if place:
        inner = tree
        for key in place[:-1]:
            inner = inner[key]
        if data.draw(st.booleans()):
            inner[place[-1]] = branch
        else:
            del inner[place[-1]]
    else:
        tree = branch
    found = read(json.dumps(tree).encode())
    assert found is None or isinstance(found, Checkpoint)
    assert {m for m in set(sys.modules) - before if m.startswith("dovetail")} <= STORED_MODULES


@given(st.data())
def test_a_checkpoint_with_other_bytes_is_refused_or_is_still_data(data):
    content = bytearray(checkpoint()[0])
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(content) - 1))
        content[place] = data.draw(st.integers(0, 255))
    found = read(bytes(content))
    assert found is None or isinstance(found, Checkpoint)


def test_a_checkpoint_that_holds_something_else_is_refused(tmp_path):
    (tmp_path / "c").write_bytes(b"dovetail checkpoint 3\n" + zlib.compress(codec.encode(3)))
    with pytest.raises(dv.FileError, match="something else than a checkpoint"):
        Checkpoint.read(tmp_path / "c")
