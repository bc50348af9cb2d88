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
_ASKED = struct.Struct("<dddddQQQQ")
_FOUND = struct.Struct("<QQdiI")
_MOST = 10_000_000  # windows in one request
_LONG = 200  # letters of a reason


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


def stretch_bytes(stretch: WindowRange, size: float, start: Vector, known: Vector) -> bytes:
    """WINDOWS: the windows, the inputs that nothing feeds, and outputs of others at the start."""
    w, counts = stretch.first, (stretch.line, stretch.count, start.size, known.size)
    head = _ASKED.pack(w.start, w.size, w.stop, stretch.origin, size, *counts)
    return head + start.astype("<f8").tobytes() + known.astype("<f8").tobytes()


def stretch_of(data: bytes) -> tuple[tuple[float, float, float], float, int, int, Vector, Vector]:
    """The same back; ValueError if it is none."""
    try:
        *times, line, count, n, m = _ASKED.unpack_from(data)
    except struct.error as error:
        raise ValueError("too short") from error
    first, size, stop, origin, _ = times
    fits = all(map(isfinite, times)) and stop > first and size > 0 and 1 <= count <= _MOST
    if not fits or line > 2**53 or len(data) != _ASKED.size + 8 * (n + m):
        raise ValueError("no windows")
    numbers = np.frombuffer(data, "<f8", offset=_ASKED.size).astype(float)
    return (first, size, stop), origin, line, count, numbers[:n], numbers[n:]


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
