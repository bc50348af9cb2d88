"""A recording whose rows are on disk as soon as they are given."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.description import Kind
from ...core.errors import FileError
from ...core.signals import Discrete, Vector
from ..held import HeldValues, held_in, to_json, typed
from ..recorders.base import Array, Column, RecordedTable, batch_rows
from ..recorders.memory import places
from . import runfiles
from .batches import head_of_stream, packed
from .remains import Remains
from .tail import HEAD

if TYPE_CHECKING:
    from . import Format

CHUNK_BYTES = 2**23  # a batch goes to the stream when it has this size ...
CHUNK_SECONDS = 0.5  # ... or this age, looked at every so many rows
ROWS_BETWEEN_LOOKS = 256


class FileRecording:
    """Rows in a chunk in memory, and each of them at once in the tail on disk.

    A line of the chunk is its own record in the tail, so a row costs one copy and one write.
    """

    def __init__(self, path: Path, form: Format, columns: tuple[Column, ...], name: str) -> None:
        self.path, self.form, self.columns, self.name = path, form, columns, name
        message = "the run terminated abnormally; these are the rows it left"
        self._head = head_of_stream(
            columns, {"recording": name, "finished": False, "message": message}
        )
        self._places = places(columns)
        width = HEAD + 1 + sum(c.is_real for c in columns)
        self._size = 8 * width
        self._room = max(1, CHUNK_BYTES // self._size)
        chunk = np.empty((self._room, width))
        self._lines = chunk[:, HEAD:]
        self._times, self._reals = chunk[:, HEAD], chunk[:, HEAD + 1 :]
        self._numbers, self._lengths = chunk.view(np.int64)[:, 0], chunk.view(np.int64)[:, 1]
        self._bytes = chunk.data.cast("B")
        self._held, self._texts = HeldValues(), list[bytes]()
        self._rows = self._fill = self._until = 0  # rows in the stream, in the chunk, next look
        self._since = monotonic()
        self._stream = self._tail = -1
        self._inside: Mapping[str, RecordedTable] = {}

    @property
    def rows(self) -> int:
        """How many rows there are so far."""
        return self._rows + self._fill

    def begin(self) -> None:
        """Begin with two new files."""
        self._stream, self._tail = runfiles.create(self.path)
        try:
            runfiles.write_all(self._stream, self._head)
        except OSError as error:
            self._release()
            runfiles.delete(self.path)
            what = f"cannot be written: {runfiles.reason(error)}"
            raise FileError(self.path, what, "nothing was recorded yet") from error

    def take_up(self, remains: Remains, rows: int, size: int) -> None:
        """Go on with the stream of a run that died, after its first `rows` rows."""
        if remains.rows_within(size) != rows:
            what = f"does not hold the {rows} rows before the checkpoint"
            raise FileError(runfiles.stream_of(self.path), what, "start the run anew")
        self._stream, self._tail = runfiles.take_up(self.path)
        os.ftruncate(self._stream, size)
        os.lseek(self._stream, size, os.SEEK_SET)
        self._rows = rows

    def replay(self, table: RecordedTable, rows: int) -> None:
        """Begin with the first `rows` rows of a table."""
        for batch in table.batches(batch_rows(self.columns, CHUNK_BYTES)):
            if self._rows == rows:
                return
            self._replay({name: array[: rows - self._rows] for name, array in batch.items()})

    def row(self, time: float, reals: Vector, discrete: tuple[Discrete, ...]) -> None:
        """Keep one row; it is on its way to the disk when this returns."""
        if self._fill == self._until:
            self._look()
        fill, size = self._fill, self._size
        self._times[fill] = time
        self._reals[fill] = reals
        record: memoryview | bytes = self._bytes[fill * size : (fill + 1) * size]
        if discrete != self._held.last:
            record = self._with_change(record, discrete)
        try:
            written = os.write(self._tail, record)
        except OSError as error:
            raise self._failed(error) from error
        if written != len(record):
            self._finish_record(record, written)
        self._fill = fill + 1

    def block(self, times: Vector, reals: Vector, discrete: tuple[Discrete, ...] = ()) -> None:
        """Keep many rows at once."""
        done, count = 0, len(times)
        while done < count:
            if discrete != self._held.last or self._fill == self._until:
                self.row(float(times[done]), reals[done], discrete)
                done += 1
                continue
            begin = self._fill
            end = min(begin + count - done, self._until)
            self._times[begin:end] = times[done : done + end - begin]
            self._reals[begin:end] = reals[done : done + end - begin]
            try:
                runfiles.write_all(self._tail, self._bytes[begin * self._size : end * self._size])
            except OSError as error:
                raise self._failed(error) from error
            self._fill = end
            done += end - begin

    def position(self) -> dict[str, Any]:
        """Where the stream stands; every row so far is in it."""
        self._flush()
        size = os.fstat(self._stream).st_size
        return {"recording": self.name, "rows": self._rows, "bytes": size}

    def show(self, inside: Mapping[str, RecordedTable]) -> None:
        """What parts showed inside their windows: files beside this one."""
        self._inside = inside

    def close(self, facts: Mapping[str, Any]) -> RecordedTable:
        """Make the file, and only then remove the two it was made from."""
        from . import write
        from .finished import finished
        from .inside import write_inside

        try:
            self._flush()
            facts = {**facts, "recording": self.name}
            remains = Remains(self.path)
            remains.facts = dict(facts)
            write(remains, self.path, self.form)
            write_inside(self._inside, self.path)
            table = finished(self.path, self.form, remains)
            del remains  # and its open file, which Windows could not remove
        except FileError as error:
            raise self._kept(error.what) from error
        finally:
            self._release()
        runfiles.delete(self.path)
        return table

    def __del__(self) -> None:
        self._release()

    def _look(self) -> None:
        """Hand a full or old chunk over to the stream, and number the next lines."""
        if self._fill == self._room or monotonic() - self._since > CHUNK_SECONDS:
            self._flush()
        begin, end = self._fill, min(self._fill + ROWS_BETWEEN_LOOKS, self._room)
        self._numbers[begin:end] = np.arange(self._rows + begin, self._rows + end)
        self._lengths[begin:end] = 0
        self._until = end

    def _flush(self) -> None:
        if self._fill:
            self._check_integers()
            self._append(packed(self._lines[: self._fill], self._held.changes, self._texts))
            self._rows += self._fill
            with contextlib.suppress(OSError):  # rows seen twice are recognized by number
                os.ftruncate(self._tail, 0)
        self._held, self._texts = HeldValues(), []  # the next record holds all values again
        self._fill = self._until = 0
        self._since = monotonic()

    def _replay(self, arrays: Mapping[str, Array]) -> None:
        """Rows of a table, straight to the stream."""
        reals = [name for name, (kind, _) in self._places.items() if kind is Kind.REAL]
        lines = np.stack([arrays[name] for name in reals], axis=1)
        held = held_in([arrays[c.name] for c in self.columns if not c.is_real])
        self._append(packed(lines, held.changes, [to_json(v) for v in held.values]))
        self._rows += len(lines)

    def _check_integers(self) -> None:
        """Refuse what no file could hold."""
        for name, (kind, place) in self._places.items():
            if kind in (Kind.INTEGER, Kind.ENUMERATION):
                values = typed([v[place] for v in self._held.values], kind)
                if values.dtype != np.int64:
                    what = f"a value of '{name}' does not fit into a column of type int64"
                    raise FileError(self.path, what, "leave it out with `record=`")

    def _append(self, data: Any) -> None:
        try:
            runfiles.write_all(self._stream, data)
        except OSError as error:
            raise self._failed(error) from error

    def _with_change(self, record: memoryview | bytes, discrete: tuple[Discrete, ...]) -> bytes:
        text = to_json(discrete)
        self._lengths[self._fill] = len(text)
        if self._held.changes and self._held.changes[-1] == self._fill:
            self._texts.pop()  # the row is given again
        self._held.change(self._fill, discrete)
        self._texts.append(text)
        return bytes(record) + text

    def _finish_record(self, record: memoryview | bytes, written: int) -> None:
        """Write what the first call left over; if that fails, remove the torn record."""
        try:
            runfiles.write_all(self._tail, record[written:])
        except OSError as error:
            os.ftruncate(self._tail, os.fstat(self._tail).st_size - written)
            raise self._failed(error) from error

    def _failed(self, error: OSError) -> FileError:
        return self._kept(f"cannot be written: {runfiles.reason(error)}")

    def _kept(self, what: str) -> FileError:
        stream = runfiles.stream_of(self.path)
        saved = f"every row up to then is safe: read them with dovetail.read('{stream}')"
        return FileError(self.path, what, saved)

    def _release(self) -> None:
        for descriptor in (self._stream, self._tail):
            if descriptor >= 0:
                os.close(descriptor)
        self._stream = self._tail = -1
