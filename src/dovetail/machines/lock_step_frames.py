"""Windows in lock step as bytes and back: what is asked of each part, and what it answers."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np

from ..core.signals import Vector
from ..hosts.answers import value_of
from ..subsystems.batch import WindowRange

WINDOWS = 5  # the kind of an answer beside those of hosts/answers.py
_ASKED, _PAST = struct.Struct("<dddddQQQQ"), struct.Struct("<Q")
_FOUND = struct.Struct("<QQdiI")
_MOST = 10_000_000  # windows in one request
_LONG = 200  # letters of a reason
_POINTS = 4  # of the past of inputs
Past = tuple[Vector, Vector]  # times, and the inputs there
NO_PAST: Past = np.zeros(0), np.zeros((0, 0))


@dataclass(frozen=True, slots=True)
class Stepped:
    """What a part did: windows that were completed, outputs at their ends, and why no more.

    `stopped_by`: the number of the neighbour that was waited for in vain, and `why`.
    """

    done: int
    outputs: Vector
    seconds: float
    error: BaseException | None = None
    stopped_by: int = -1
    why: str = ""


def stretch_bytes(
    stretch: WindowRange, size: float, start: Vector, known: Vector, past: Past | None = None
) -> bytes:
    """WINDOWS: the windows, the inputs that nothing feeds, and outputs of others at the start.

    Where inputs are extrapolated, `past`: what they were at the ends of windows before.
    """
    w, counts = stretch.first, (stretch.line, stretch.count, start.size, known.size)
    head = _ASKED.pack(w.start, w.size, w.stop, stretch.origin, size, *counts)
    numbers = start.astype("<f8").tobytes() + known.astype("<f8").tobytes()
    if past is not None:
        times, points = past
        numbers += _PAST.pack(times.size) + times.astype("<f8").tobytes()
        numbers += np.ascontiguousarray(points, "<f8").tobytes()
    return head + numbers


Asked = tuple[tuple[float, float, float], float, int, int, Vector, Vector, Past]


def stretch_of(data: bytes) -> Asked:
    """The same back; ValueError if it is none."""
    try:
        *times, line, count, n, m = _ASKED.unpack_from(data)
    except struct.error as error:
        raise ValueError("too short") from error
    first, size, stop, origin, _ = times
    fits = all(map(isfinite, times)) and stop > first and size > 0 and 1 <= count <= _MOST
    end = _ASKED.size + 8 * (n + m)
    if not fits or line > 2**53 or len(data) < end:
        raise ValueError("no windows")
    numbers = np.frombuffer(data[_ASKED.size : end], "<f8").astype(float)
    past = _past_of(data[end:], n)
    return (first, size, stop), origin, line, count, numbers[:n], numbers[n:], past


def _past_of(data: bytes, n: int) -> Past:
    """What inputs were before; ValueError if that is none."""
    if not data:
        return NO_PAST
    count = _PAST.unpack_from(data)[0] if len(data) >= _PAST.size else _POINTS + 1
    if count > _POINTS or len(data) != _PAST.size + 8 * count * (1 + n):
        raise ValueError("no windows")
    numbers = np.frombuffer(data, "<f8", offset=_PAST.size).astype(float)
    times = numbers[:count]
    if not np.all(np.diff(times) > 0) or not np.isfinite(times).all():
        raise ValueError("no windows")
    return times, numbers[count:].reshape(count, n)


def windows_bytes(found: Any) -> tuple[int, bytes]:
    """What a host answered, as it goes to the master."""
    done, outputs, seconds, failed, stopped, why = found
    kind, said = (0, b"") if failed is None else (int(failed[0]), bytes(failed[1]))
    text = str(why)[:_LONG].encode()
    head = _FOUND.pack(done, len(outputs) // 8, seconds, stopped, len(text))
    return WINDOWS, head + text + outputs + bytes([kind]) + said


def stepped_of(data: bytes, count: int, width: int) -> Stepped:
    """The same for the master; ValueError if it is none."""
    try:
        done, n, seconds, stopped, letters = _FOUND.unpack_from(data)
    except struct.error:
        raise ValueError("too short") from None
    begin = _FOUND.size + letters
    end = begin + 8 * n
    if letters > 4 * _LONG or n != done * width or done > count or len(data) < end + 1:
        raise ValueError("no windows")
    why = data[_FOUND.size : begin].decode(errors="replace")
    outputs = np.frombuffer(data[begin:end], "<f8").reshape(done, width)
    error: BaseException | None = None
    if data[end]:
        try:
            value_of(data[end], data[end + 1 :])
        except Exception as failed:
            error = failed
    if error is None and not why and done < count:
        raise ValueError("fewer windows, and no reason")
    return Stepped(done, outputs, float(seconds), error, stopped, why)
