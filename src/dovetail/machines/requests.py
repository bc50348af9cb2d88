"""Requests as plain bytes and back: what is asked of a part on another machine.

What is asked in every window is a small head and numbers; all else is JSON, by the codec of
checkpoints. `docs/protocol.md` has the same as a table.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from enum import IntEnum
from math import isfinite
from typing import Any

import numpy as np

from ..core import codec
from ..core.description import Variable
from ..core.signals import Signals, Waveform
from ..core.values import Values
from ..core.window import Window


class FrameKind(IntEnum):
    """The kinds of frames."""

    HELLO, PROOF, WELCOME, REFUSED = 1, 2, 3, 4
    LIST, OPEN, START, BEGIN, OUTPUTS, ADVANCE, CALL = 16, 17, 18, 19, 20, 21, 22
    SNAPSHOT, RESTORE, DROP, CLOSE, DESCRIBE = 23, 24, 25, 26, 27
    INVITE, MEET, WINDOWS = 28, 29, 30
    ANSWER = 64  # and above: 64 + the kind of an answer of a host, see hosts/answers.py
    PLAIN = 80  # an answer in plain JSON


_START, _VALUE = struct.Struct("<dII"), struct.Struct("<IId")
_OUTPUTS, _ADVANCE, _KEY = struct.Struct("<IIQ"), struct.Struct("<dddQQ"), struct.Struct("<Q")
_MOST_COLUMNS = 64  # powers of time in a curve
Asked = tuple[str, tuple[Any, ...]]


def start_bytes(variables: Sequence[Variable], start: float, values: Values, rates: bool) -> bytes:
    """START: real scalars by their place among inputs and parameters, all others by name."""
    places = {v.name: k for k, v in enumerate(variables) if v.is_real and not v.shape}
    numbers = {places[n]: float(v) for n, v in values.items() if n in places}  # type: ignore[arg-type]
    rest = {n: v for n, v in values.items() if n not in places}
    data = b"".join(_VALUE.pack(place, 0, value) for place, value in sorted(numbers.items()))
    more = codec.encode(rest) if rest else b""
    return _START.pack(start, rates, len(numbers)) + data + more


def started(variables: Sequence[Variable], data: bytes) -> tuple[float, dict[str, Any], bool]:
    """The same back: start, values by name, whether derivatives are wanted."""
    start, rates, count = _START.unpack_from(data)
    end = _START.size + count * _VALUE.size
    if end > len(data) or rates not in (0, 1) or not isfinite(start):
        raise ValueError("not as many values as it says")
    found: dict[str, Any] = {}
    for place, _, value in _VALUE.iter_unpack(data[_START.size : end]):
        found[_at(variables, place).name] = value
    rest = codec.decode(data[end:]) if len(data) > end else {}
    if not isinstance(rest, dict) or not all(isinstance(n, str) for n in rest):
        raise ValueError("values have names")
    return start, found | rest, bool(rates)


def call_bytes(method: str, given: tuple[Any, ...]) -> tuple[FrameKind, bytes]:
    """A call of a method: outputs and advance as numbers where they are, all else as JSON."""
    if method == "outputs" and not given[0].discrete:
        inputs, order = given
        rates = inputs.derivatives
        head = _OUTPUTS.pack(order, rates is not None, inputs.reals.size)
        return FrameKind.OUTPUTS, head + _doubles(inputs.reals) + _doubles(rates)
    if method == "advance" and not given[1].discrete:
        w, a = given[0], given[1].coefficients
        head = _ADVANCE.pack(w.start, w.size, w.stop, *a.shape)
        return FrameKind.ADVANCE, head + _doubles(a)
    if method == "begin":
        return FrameKind.BEGIN, b""
    return FrameKind.CALL, codec.encode([method, *given])


def called(kind: int, data: bytes) -> Asked:
    """The method and what it is given; ValueError if these bytes are no call."""
    try:
        if kind == FrameKind.BEGIN:
            return "begin", ()
        if kind == FrameKind.OUTPUTS:
            order, rates, n = _OUTPUTS.unpack_from(data)
            numbers = _numbers(data, _OUTPUTS.size, n * (2 if rates else 1))
            return "outputs", (Signals(numbers[:n], numbers[n:] if rates else None), order)
        if kind == FrameKind.ADVANCE:
            start, size, stop, n, columns = _ADVANCE.unpack_from(data)
            if not 1 <= columns <= _MOST_COLUMNS:
                raise ValueError("no curve")
            numbers = _numbers(data, _ADVANCE.size, n * columns).reshape(n, columns)
            return "advance", (Window(start, size, stop), Waveform(numbers))
    except struct.error as error:
        raise ValueError("too short") from error
    found = codec.decode(data) if kind == FrameKind.CALL else None
    if not isinstance(found, list) or not found or not isinstance(found[0], str):
        raise ValueError("no request")
    return found[0], tuple(found[1:])


def key_bytes(*keys: int) -> bytes:
    """Keys of snapshots."""
    return b"".join(map(_KEY.pack, keys))


def keys_of(data: bytes) -> list[int]:
    """The same back."""
    if len(data) % _KEY.size:
        raise ValueError("no keys")
    return [key for (key,) in _KEY.iter_unpack(data)]


def _at(variables: Sequence[Variable], place: int) -> Variable:
    if place >= len(variables):
        raise ValueError("there is no such variable")
    return variables[place]


def _doubles(numbers: Any) -> bytes:
    return b"" if numbers is None else np.ascontiguousarray(numbers, dtype="<f8").tobytes()


def _numbers(data: bytes, begin: int, n: int) -> Any:
    if len(data) != begin + 8 * n:
        raise ValueError("not as many numbers as it says")
    return np.frombuffer(data, "<f8", offset=begin).astype(float)
