"""The rows since the last batch of a stream, one record each, written as they come.

A record is the number of the row, the number of bytes of JSON behind it, the time and the reals
(eight bytes each, little-endian), and the discrete values as JSON where they have changed since
the record before. Numbers make it safe to be killed at any instant: a record that is in the
stream already is known by its number, one that was torn by its length. Where the tail is memory
that is written to, the time of a row comes last: a record without (NaN) is no row yet.
"""

from __future__ import annotations

import struct
from math import isnan

import numpy as np

from ...core.signals import Vector
from ..held import HeldValues, from_json

HEAD = 2  # places in a line before the time: the row's number, the bytes of JSON
_HEADER = struct.Struct("<qq")
_TIME = struct.Struct("<d")


def parsed(data: bytes, width: int, first: int) -> tuple[Vector, HeldValues]:
    """Lines of time and reals (`width` numbers) from row `first` on, and the discrete values."""
    lines: dict[int, bytes] = {}
    held = HeldValues()
    place, size = 0, 8 * width
    expected: int | None = None
    while place + _HEADER.size + size <= len(data):
        number, text = _HEADER.unpack_from(data, place)
        begin = place + _HEADER.size
        place = begin + size + text
        if text < 0 or place > len(data) or (expected is not None and number > expected):
            break  # torn, or no record at all
        if isnan(_TIME.unpack_from(data, begin)[0]):
            break  # room for rows to come
        if text:
            held.change(number, from_json(data[begin + size : place]))
        lines[number] = data[begin : begin + size]
        expected = number + 1
    if first not in lines:
        return np.empty((0, width)), HeldValues()
    kept = b"".join(line for number, line in lines.items() if number >= first)
    changes = [max(0, number - first) for number in held.changes]
    return np.frombuffer(kept, dtype="<f8").reshape(-1, width), HeldValues(changes, held.values)
