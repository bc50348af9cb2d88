"""What a run has left on disk so far: the batches of its stream and the rows of its tail."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from ...core.errors import FileError
from ..held import HeldValues
from ..recorders.base import TIME
from ..recorders.memory import places
from .columnar import Columnar
from .runfiles import STREAM, TAIL, reason, stream_of, tail_of
from .schema import arrow_batch
from .tail import parsed


class Remains(Columnar):
    """The rows of a run that has not ended, or that died.

    A batch or record torn by the death of its process is dropped. Reading a run that goes on
    is allowed; it shows the rows up to now.
    """

    def __init__(self, path: Path) -> None:
        import pyarrow as pa

        stream, tail = stream_of(path), tail_of(path)
        try:  # the tail before the stream: rows that move in between are seen twice, not lost
            data = tail.read_bytes() if tail.exists() else b""
            with pa.memory_map(str(stream)) as mapped:
                self._buffer = mapped.read_buffer()
            self._stat = os.stat(stream)
            self._schema = pa.ipc.open_stream(pa.BufferReader(self._buffer)).schema
        except FileNotFoundError as error:
            raise FileError(stream, f"cannot be read: {reason(error)}") from error
        except (pa.ArrowInvalid, OSError) as error:
            raise FileError(stream, "is not the stream of a run") from error
        self._stream = stream
        sizes = self._sizes(self._buffer)
        self._count = len(sizes)
        super().__init__(path, self._schema, sum(sizes))
        width = 1 + sum(c.is_real for c in self.columns)
        lines, held = parsed(data, width, self.rows)
        self.rows += len(lines)
        self._tail = self._batch(lines, held) if len(lines) else None

    def rows_within(self, size: int) -> int:
        """How many rows lie whole in the first bytes of the stream."""
        return sum(self._sizes(self._buffer.slice(0, size)))

    def _sizes(self, buffer: Any) -> list[int]:
        return [batch.num_rows for batch in _whole(_mapped(buffer, [0]))]

    def _chunks(self, names: list[str] | None) -> Iterator[Any]:
        missing = self._count
        for batch in islice(_whole(self._reader(names)), self._count):
            missing -= 1
            yield batch
        if missing:
            raise FileError(self._stream, f"{missing} of its batches can no longer be read")
        if self._tail is not None:
            yield self._tail if names is None else self._tail.select(names)

    def _reader(self, names: list[str] | None) -> Any:
        """One column from mapped memory; everything from the file, so that memory is freed."""
        import pyarrow as pa

        if names is None and _same(self._stream, self._stat):
            return pa.ipc.open_stream(pa.OSFile(str(self._stream)))
        names = self._schema.names if names is None else names
        return _mapped(self._buffer, [self._schema.get_field_index(name) for name in names])

    def _batch(self, lines: Any, held: HeldValues) -> Any:
        arrays = {
            name: lines[:, place].copy()
            if name == TIME or kind == "real"
            else held.column(place, kind, 0, len(lines))
            for name, (kind, place) in places(self.columns).items()
        }
        return arrow_batch(self._schema, arrays, self.path)


def of_run(path: Path) -> Path:
    """The file a run was to become, whichever of its files is named."""
    return path.with_name(path.stem) if path.suffix in (STREAM, TAIL) else path


def _mapped(buffer: Any, fields: list[int]) -> Any:
    import pyarrow as pa

    options = pa.ipc.IpcReadOptions(included_fields=fields)
    return pa.ipc.open_stream(pa.BufferReader(buffer), options=options)


def _whole(reader: Any) -> Iterator[Any]:
    """Batches up to the end, or up to one that was torn."""
    import pyarrow as pa

    while True:
        try:
            batch = reader.read_next_batch()
        except (StopIteration, pa.ArrowInvalid, OSError):
            return
        yield batch


def _same(path: Path, stat: os.stat_result) -> bool:
    try:
        return os.path.samestat(os.stat(path), stat)
    except OSError:
        return False
