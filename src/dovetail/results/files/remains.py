"""What a run has left on disk so far: the batches of its stream and the rows of its tail."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ...core.description import Kind
from ...core.errors import FileError
from ...core.signals import Vector
from ..held import HeldValues, typed
from ..recorders.base import TIME, Array, regrouped
from ..recorders.memory import places
from .batches import StoredStream
from .runfiles import STREAM, TAIL, reason, stream_of, tail_of
from .tail import parsed


class Remains:
    """The rows of a run that has not ended, or that died.

    A batch or record torn by the death of its process is dropped. Reading a run that goes on
    is allowed; it shows the rows up to now.
    """

    def __init__(self, path: Path) -> None:
        stream, tail = stream_of(path), tail_of(path)
        try:  # the tail before the stream: rows that move in between are seen twice, not lost
            data = tail.read_bytes() if tail.exists() else b""
            self._stream = StoredStream(stream)
        except OSError as error:
            raise FileError(stream, f"cannot be read: {reason(error)}") from error
        self.path, self.columns, self.facts = path, self._stream.columns, self._stream.facts
        self._places = places(self.columns)
        self.rows = sum(batch.rows for batch in self._stream.batches)
        self._tail, self._tail_held = parsed(data, self._stream.width, self.rows)
        self.rows += len(self._tail)

    def rows_within(self, size: int) -> int:
        """How many rows lie whole in the first bytes of the stream."""
        return sum(batch.rows for batch in self._stream.batches if batch.end <= size)

    @property
    def time(self) -> Vector:
        """The time of each row."""
        return self[TIME]

    def __getitem__(self, name: str) -> Array:
        kind, place = self._places[name]
        if kind is Kind.REAL:
            arrays = [self._stream.column(batch, place) for batch in self._stream.batches]
            arrays.append(self._tail[:, place])
        else:
            counts = [*(batch.rows for batch in self._stream.batches), len(self._tail)]
            arrays = [
                held.column(place, kind, 0, rows)
                for held, rows in zip(self._held, counts, strict=True)
            ]
        array = np.concatenate([typed([], kind), *arrays])
        array.flags.writeable = False
        return array

    def last(self) -> dict[str, Any]:
        """The last row."""
        group = None
        for group in self._groups(last=True):  # noqa: B007  only the last one counts
            pass
        return {} if group is None else {name: a[-1:].tolist()[0] for name, a in group.items()}

    def batches(self, size: int) -> Iterator[dict[str, Array]]:
        """All columns in chunks."""
        return regrouped(self._groups(), size)

    @cached_property
    def _held(self) -> list[HeldValues]:
        """The discrete values of all batches, and those of the tail."""
        return [*map(self._stream.held, self._stream.batches), self._tail_held]

    def _groups(self, last: bool = False) -> Iterator[dict[str, Array]]:
        batches = self._stream.batches
        for batch in batches[-1:] if last else batches:
            yield self._arrays(self._stream.lines(batch), self._stream.held(batch))
        if len(self._tail):
            yield self._arrays(np.ascontiguousarray(self._tail.T), self._tail_held)

    def _arrays(self, lines: Vector, held: HeldValues) -> dict[str, Array]:
        return {
            name: lines[place] if kind is Kind.REAL else held.column(place, kind, 0, lines.shape[1])
            for name, (kind, place) in self._places.items()
        }


def of_run(path: Path) -> Path:
    """The file a run was to become, whichever of its files is named."""
    return path.with_name(path.stem) if path.suffix in (STREAM, TAIL) else path
