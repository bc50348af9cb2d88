"""What a run has left on disk so far: the batches of its stream and the rows of its tail."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from ...core.description import Kind
from ...core.errors import FileError
from ...core.guard import check_file, guarded
from ...core.signals import Vector
from ..held import HeldValues, typed
from ..recorders.base import Array, regrouped
from ..recorders.memory import places
from .batches import StoredBatch, StoredStream
from .lazy import LazyTable
from .runfiles import STREAM, TAIL, stream_of, tail_of
from .tail import parsed


class Remains(LazyTable):
    """The rows of a run that has not ended, or that died.

    A batch or record torn by the death of its process is dropped. Reading a run that goes on
    is allowed; it shows the rows up to now. `descriptor`: of a stream that is open, and has all.
    """

    def __init__(self, path: Path, descriptor: int | None = None) -> None:
        stream, tail = stream_of(path), tail_of(path)
        if descriptor is None:
            check_file(stream)
        with guarded(stream, "is not the stream of a run, or it is damaged"):
            self._read(path, stream, tail, descriptor)

    def _read(self, path: Path, stream: Path, tail: Path, descriptor: int | None) -> None:
        # the tail before the stream: rows that move in between are seen twice, not lost
        data = tail.read_bytes() if descriptor is None and tail.is_file() else b""
        self._stream = StoredStream(stream, descriptor)
        self.path, self.columns, self.facts = path, self._stream.columns, self._stream.facts
        self._places = places(self.columns)
        self._kinds = {name: kind for name, (kind, _) in self._places.items()}
        self.rows = sum(batch.rows for batch in self._stream.batches)
        self._tail, self._tail_held = parsed(data, self._stream.width, self.rows)
        self.rows += len(self._tail)

    def rows_within(self, size: int) -> int:
        """How many rows lie whole in the first bytes of the stream."""
        return sum(batch.rows for batch in self._stream.batches if batch.end <= size)

    def since(self, row: int) -> Iterator[dict[str, Array]]:
        """All columns from a row on, time first, in the chunks that they lie in."""
        first = 0
        for group, count in self._counted():
            if first + count > row:
                yield {name: array[max(0, row - first) :] for name, array in group().items()}
            first += count

    def _counted(self) -> Iterator[tuple[Callable[[], dict[str, Array]], int]]:
        for batch in self._stream.batches:
            yield partial(self._batch, batch), batch.rows
        if len(self._tail):
            lines = np.ascontiguousarray(self._tail.T)
            yield lambda: self._arrays(lines, self._tail_held), len(self._tail)

    def _batch(self, batch: StoredBatch) -> dict[str, Array]:
        return self._arrays(self._stream.lines(batch), self._stream.held(batch))

    def _column(self, name: str) -> Array:
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
        return np.concatenate([typed([], kind), *arrays])

    def _last(self) -> dict[str, Any]:
        group = None
        for group in self._groups(last=True):  # noqa: B007  only the last one counts
            pass
        return {} if group is None else {name: a[-1:].tolist()[0] for name, a in group.items()}

    def _batches(self, size: int) -> Iterator[dict[str, Array]]:
        return regrouped(self._groups(), size)

    @cached_property
    def _held(self) -> list[HeldValues]:
        """The discrete values of all batches, and those of the tail."""
        return [*map(self._stream.held, self._stream.batches), self._tail_held]

    def _groups(self, last: bool = False) -> Iterator[dict[str, Array]]:
        groups = list(self._counted())
        for group, _ in groups[-2:] if last else groups:
            yield group()

    def _arrays(self, lines: Vector, held: HeldValues) -> dict[str, Array]:
        return {
            name: lines[place] if kind is Kind.REAL else held.column(place, kind, 0, lines.shape[1])
            for name, (kind, place) in self._places.items()
        }


def of_run(path: Path) -> Path:
    """The file a run was to become, whichever of its files is named."""
    return path.with_name(path.stem) if path.suffix in (STREAM, TAIL) else path


def what_is_left(path: Path, name: str, rows: int) -> str:
    """What can be read of a recording of that name and its rows: looked up, not assumed."""
    try:
        remains = Remains(path)
        left = remains.rows if remains.facts.get("recording") == name else 0
    except FileError:
        left = 0
    reading = f"read them with dovetail.read('{stream_of(path)}')"
    if left >= rows:
        return f"every row up to then is safe: {reading}"
    return f"of {rows} rows {left} are left: {reading}" if left else "the rows of this run are lost"
