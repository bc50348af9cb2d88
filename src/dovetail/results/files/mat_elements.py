"""MATLAB files of the versions 4 and 5, read without trust.

Every size is compared with the bytes that are there before anything is made of it. What a result
can hold is read: arrays of numbers, texts, cells of texts. Structures, objects and sparse arrays
are passed over.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np

_TYPES = {
    1: "i1",
    2: "u1",
    3: "i2",
    4: "u2",
    5: "i4",
    6: "u4",
    7: "f4",
    9: "f8",
    12: "i8",
    13: "u8",
}
_TEXTS = {1: "latin-1", 2: "latin-1", 4: "utf-16", 16: "utf-8", 17: "utf-16", 18: "utf-32"}
_OLD_TYPES = ("f8", "f4", "i4", "i2", "u2", "u1")
_MATRIX, _COMPRESSED = 14, 15
_CELL, _CHAR, _FIRST_NUMBER, _LAST_NUMBER = 1, 4, 6, 15
_LOGICAL, _COMPLEX = 0x200, 0x800
_HIGHEST_RATIO, _RATIO_MATTERS_FROM = 100, 2**24  # unpacked to packed, as elsewhere

Found = tuple[str, Any]


def variables_in(data: bytes) -> dict[str, Any]:
    """The variables of a file, by name; ValueError where it is none, or damaged."""
    if data[:4].count(0) and len(data) >= 20:
        return dict(_old_variables(data))
    if len(data) < 128 or data[126:128] not in (b"IM", b"MI"):
        raise ValueError("it does not begin as such a file does")
    order = "<" if data[126:128] == b"IM" else ">"
    if struct.unpack(order + "H", data[124:126])[0] >> 8 != 1:
        raise ValueError("it is of version 7.3; save it with -v7")
    return dict(_variables(memoryview(data)[128:], order))


def _variables(data: memoryview, order: str) -> Iterator[Found]:
    room = max(_RATIO_MATTERS_FROM, _HIGHEST_RATIO * len(data))  # for all that is compressed
    for kind, body in _elements(data, order):
        whole = [(kind, body)]
        if kind == _COMPRESSED:
            inner = _inflated(body, room)
            room -= len(inner)
            whole = list(_elements(memoryview(inner), order))
        for sort, one in whole:
            found = _matrix(one, order) if sort == _MATRIX else None
            if found is not None:
                yield found


def _elements(data: memoryview, order: str) -> Iterator[tuple[int, memoryview]]:
    """Kind and bytes of each element; up to four bytes stand in the tag itself."""
    place = 0
    while place + 8 <= len(data):
        kind, size = struct.unpack_from(order + "II", data, place)
        begin = place + 8
        if kind >> 16:
            kind, size, begin = kind & 0xFFFF, kind >> 16, place + 4
            if size > 4:
                raise ValueError("an element is larger than its place")
        if begin + size > len(data):
            raise ValueError("an element reaches beyond the end")
        yield kind, data[begin : begin + size]
        end = begin + size
        place = end if kind == _COMPRESSED else end + -(end - place) % 8
    if any(data[place:]):
        raise ValueError("there is a rest that is no element")


def _inflated(body: memoryview, room: int) -> bytes:
    unpacker = zlib.decompressobj()
    found = unpacker.decompress(body, room + 1)  # zero would mean without a limit
    if unpacker.unconsumed_tail or not unpacker.eof:
        raise ValueError("a compressed element is damaged, or far larger than it should be")
    return found


def _matrix(body: memoryview, order: str, deep: int = 0) -> Found | None:
    """Name and values of a variable; None for what no result holds."""
    parts = _elements(body, order)
    (_, flags), (_, sizes), (_, name) = (_next(parts) for _ in range(3))
    flag = struct.unpack_from(order + "I", flags)[0]
    shape = tuple(np.frombuffer(sizes, order + "i4").tolist())
    if len(shape) < 2 or min(shape) < 0:
        raise ValueError("a variable has no shape")
    title, sort = bytes(name).decode("latin-1"), flag & 0xFF
    if sort == _CELL and not deep:
        return title, _cells(list(parts), shape, order)
    if sort == _CHAR and shape[0] < 2:
        kind, text = next(parts, (1, memoryview(b"")))
        return title, _text(kind, text, shape, order)
    if not _FIRST_NUMBER <= sort <= _LAST_NUMBER or flag & _COMPLEX:
        return None
    kind, raw = next(parts, (9, memoryview(b"")))
    array = _numbers(kind, raw, shape, order)
    return title, array.astype(bool) if flag & _LOGICAL else array


def _next(parts: Iterator[tuple[int, memoryview]]) -> tuple[int, memoryview]:
    found = next(parts, None)
    if found is None:
        raise ValueError("a variable is not whole")
    return found


def _numbers(kind: int, raw: memoryview, shape: tuple[int, ...], order: str) -> Any:
    if kind not in _TYPES:
        raise ValueError(f"there is no type of numbers {kind}")
    array = np.frombuffer(raw, order + _TYPES[kind])
    if array.size != prod(shape):
        raise ValueError(f"a variable of shape {shape} has {array.size} values")
    return array.reshape(shape, order="F").astype(array.dtype.newbyteorder("="))


def _text(kind: int, raw: memoryview, shape: tuple[int, ...], order: str) -> str:
    if kind not in _TEXTS:
        raise ValueError(f"there is no type of text {kind}")
    wide = {"utf-16": 2, "utf-32": 4}.get(_TEXTS[kind], 0)
    end = ("-le" if order == "<" else "-be") if wide else ""
    text = bytes(raw).decode(_TEXTS[kind] + end)
    if prod(shape) > len(raw):
        raise ValueError(f"a text of shape {shape} has {len(text)} letters")
    return text


def _cells(
    parts: list[tuple[int, memoryview]], shape: tuple[int, ...], order: str
) -> list[str | None]:
    """The texts in cells; None for cells of anything else."""
    if len(parts) != prod(shape):
        raise ValueError(f"{len(parts)} cells are there, and their shape is {shape}")
    inner = [_matrix(body, order, 1) if len(body) else None for _, body in parts]
    return [one[1] if one is not None and isinstance(one[1], str) else None for one in inner]


def _old_variables(data: bytes) -> Iterator[Found]:
    """Version 4: a head of five numbers, a name, the values, again and again."""
    place = 0
    while place < len(data):
        order = "<" if struct.unpack_from("<i", data, place)[0] in range(5000) else ">"
        kind, rows, columns, imaginary, length = struct.unpack_from(order + "5i", data, place)
        if kind // 1000 not in (0, 1) or not 0 <= kind % 1000 < 60 or min(rows, columns) < 0:
            raise ValueError("a variable has no shape, or is of no known type")
        if not 0 < length <= len(data) - place - 20:
            raise ValueError("a name reaches beyond the end")
        name = data[place + 20 : place + 20 + length].rstrip(b"\0").decode("latin-1")
        numbers, begin = np.dtype(order + _OLD_TYPES[kind // 10 % 10]), place + 20 + length
        end = begin + rows * columns * numbers.itemsize
        if end > len(data):
            raise ValueError("a variable reaches beyond the end")
        if kind % 10 == 0 and not imaginary:
            array = np.frombuffer(data[begin:end], numbers).reshape((rows, columns), order="F")
            yield name, array.astype(numbers.newbyteorder("="))
        place = end + (end - begin if imaginary else 0)
