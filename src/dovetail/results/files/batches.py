"""The stream of a run: a head that names its columns, then rows in batches, column by column.

The head is the line `dovetail rows 1` and a line of JSON. A batch is three numbers (its rows, how
often discrete values change in them, the bytes of their JSON; eight bytes each, little-endian),
time and reals, the rows of the changes, and a line of JSON for each. A batch that was torn by the
death of its process is known by its length.
"""

from __future__ import annotations

import json
import os
import struct
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...core.description import Kind
from ...core.errors import FileError
from ...core.signals import Vector
from ..held import HeldValues, from_json
from ..recorders.base import Column
from .facts import facts_json

MAGIC = b"dovetail rows 1\n"
_COUNTS = struct.Struct("<qqq")


def head_of_stream(columns: Sequence[Column], facts: Mapping[str, Any]) -> bytes:
    """What a stream begins with."""
    described = [[c.name, str(c.kind), c.unit] for c in columns]
    return MAGIC + facts_json({"columns": described, "facts": dict(facts)}).encode() + b"\n"


def packed(lines: Vector, changes: Sequence[int], texts: Sequence[bytes]) -> bytes:
    """A batch: lines of time and reals, the rows where discrete values change, and their JSON."""
    text = b"\n".join(texts)
    counts = _COUNTS.pack(len(lines), len(texts), len(text))
    rows = np.array(changes, dtype="<i8").tobytes()
    return b"".join((counts, np.asarray(lines.T, dtype="<f8").tobytes(), rows, text))


@dataclass(frozen=True, slots=True)
class StoredBatch:
    """Where a batch lies in its stream."""

    rows: int
    changes: int
    text: int  # bytes
    begin: int  # of time and reals
    width: int

    @property
    def discrete(self) -> int:
        """Where the changes of discrete values begin."""
        return self.begin + 8 * self.width * self.rows

    @property
    def end(self) -> int:
        """Where the next batch begins."""
        return self.discrete + 8 * self.changes + self.text


class StoredStream:
    """The batches of a stream that are whole. The file stays open, so renaming it does no harm."""

    def __init__(self, path: Path, descriptor: int | None = None) -> None:
        self.path = path
        if descriptor is None:
            self._descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        else:  # open already, whatever has become of the path
            self._descriptor = os.dup(descriptor)
        weakref.finalize(self, os.close, self._descriptor)
        self.columns, self.facts, begin = self._head()
        self.width = 1 + sum(c.is_real for c in self.columns)
        self.batches = self._found(begin)

    def lines(self, batch: StoredBatch) -> Vector:
        """Time and reals of a batch, one column in each line."""
        return self._numbers(batch.begin, batch.width * batch.rows).reshape(batch.width, -1)

    def column(self, batch: StoredBatch, place: int) -> Vector:
        """One of those columns."""
        return self._numbers(batch.begin + 8 * batch.rows * place, batch.rows)

    def held(self, batch: StoredBatch) -> HeldValues:
        """The discrete values of a batch."""
        data = self._bytes(batch.discrete, 8 * batch.changes + batch.text)
        rows = np.frombuffer(data, dtype="<i8", count=batch.changes).tolist()
        texts = data[8 * batch.changes :].split(b"\n") if batch.changes else []
        return HeldValues(rows, map(from_json, texts))

    def _head(self) -> tuple[tuple[Column, ...], dict[str, Any], int]:
        data = b""
        while data.startswith(MAGIC[: len(data)]) and data.count(b"\n") < 2:
            more = _read_at(self._descriptor, len(data), 2**16)
            if not more:
                break
            data += more
        line, newline, _ = data.removeprefix(MAGIC).partition(b"\n")
        if not (data.startswith(MAGIC) and newline):
            raise FileError(self.path, "is not the stream of a run")
        try:
            found = json.loads(line)
            columns = tuple(Column(name, Kind(kind), unit) for name, kind, unit in found["columns"])
            facts = dict(found["facts"])
        except (ValueError, TypeError, KeyError) as error:
            raise FileError(self.path, "is not the stream of a run") from error
        return columns, facts, len(MAGIC) + len(line) + 1

    def _found(self, begin: int) -> tuple[StoredBatch, ...]:
        found, size = list[StoredBatch](), os.fstat(self._descriptor).st_size
        while begin + _COUNTS.size <= size:
            counts = _COUNTS.unpack(self._bytes(begin, _COUNTS.size))
            rows, changes, text = counts
            batch = StoredBatch(rows, changes, text, begin + _COUNTS.size, self.width)
            if min(counts) < 0 or not batch.rows or batch.end > size:
                break  # torn
            found.append(batch)
            begin = batch.end
        return tuple(found)

    def _numbers(self, begin: int, count: int) -> Vector:
        return np.frombuffer(self._bytes(begin, 8 * count), dtype="<f8").astype(float, copy=False)

    def _bytes(self, begin: int, size: int) -> bytes:
        data = _read_at(self._descriptor, begin, size)
        if len(data) < size:
            raise FileError(self.path, "some of its rows can no longer be read")
        return data


def _read_at(descriptor: int, begin: int, size: int) -> bytes:
    """As many bytes as there are, up to `size`."""
    found: list[bytes] = []
    while size:
        if hasattr(os, "pread"):
            data = os.pread(descriptor, size, begin)
        else:  # Windows
            os.lseek(descriptor, begin, os.SEEK_SET)
            data = os.read(descriptor, size)
        if not data:
            break
        found.append(data)
        begin += len(data)
        size -= len(data)
    return found[0] if len(found) == 1 else b"".join(found)
