"""A recording whose rows are on disk as soon as they are given."""
# Over 250 lines: every way that a row takes to the disk, around one chunk and two files.

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
from ..held import HeldValues, check_integers, held_in, to_json
from ..recorders.base import Array, Column, RecordedTable, batch_rows
from ..recorders.memory import places
from . import runfiles
from .batches import head_of_stream, packed
from .chunk import Chunk, mapped_chunk
from .remains import Remains, what_is_left
from .tail import HEAD

if TYPE_CHECKING:
    from . import Format

FIRST_BYTES = 2**16  # of the tail, when it is memory that is lent; then twice as much ...
CHUNK_BYTES = 2**23  # a batch goes to the stream when it has this size ...
CHUNK_SECONDS = 0.5  # ... or this age, looked at every so many rows
ROWS_BETWEEN_LOOKS = 256


class FileRecording:
    """Rows in a chunk in memory, and each of them at once in the tail on disk.

    A line of the chunk is its own record in the tail, so a row costs one copy and one write. Native
    code is lent the tail itself, where its rows need no write at all.
    """

    _stream = _tail = -1  # also of one whose making was interrupted

    def __init__(self, path: Path, form: Format, columns: tuple[Column, ...], name: str) -> None:
        self.path, self.form, self.columns, self.name = path, form, columns, name
        message = "the run terminated abnormally; these are the rows it left"
        self._head = head_of_stream(
            columns, {"recording": name, "finished": False, "message": message}
        )
        self._places = places(columns)
        self._width = HEAD + 1 + sum(c.is_real for c in columns)
        self._most = max(1, CHUNK_BYTES // (8 * self._width))
        self._chunk = Chunk(self._most, self._width)
        self._next = max(1, FIRST_BYTES // (8 * self._width))  # rows of the next mapped chunk
        self._end = 0  # of the stream
        self._held, self._texts = HeldValues(), list[bytes]()
        self._rows = self._fill = self._until = 0  # rows in the stream, in the chunk, next look
        self._since = monotonic()
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
            self._end = len(self._head)
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
        self._rows, self._end = rows, size

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
        fill, chunk = self._fill, self._chunk
        chunk.reals[fill] = reals
        chunk.times[fill] = time
        if chunk.mapped:
            self._fill = fill + 1
            return
        record: memoryview | bytes = chunk.bytes_of(fill, fill + 1)
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
            self._chunk.reals[begin:end] = reals[done : done + end - begin]
            self._chunk.times[begin:end] = times[done : done + end - begin]
            self.keep(end - begin)
            done += end - begin

    def lend(self, rows: int) -> Vector:
        """Lines to write time and reals into, in the tail itself where that can be mapped."""
        full = self._fill == self._chunk.rows
        if full or monotonic() - self._since > CHUNK_SECONDS:
            self._flush()
        if self._next and (full or not self._chunk.mapped):
            self._map()
        self._check_files()
        end = min(self._fill + rows, self._chunk.rows)
        if end > self._until:
            self._number(end)
        return self._chunk.lines[self._fill : end]

    def keep(self, rows: int) -> None:
        """So many of the next lines are filled."""
        begin, end = self._fill, self._fill + rows
        if not self._chunk.mapped:
            try:
                runfiles.write_all(self._tail, self._chunk.bytes_of(begin, end))
            except OSError as error:
                raise self._failed(error) from error
        self._fill = end

    def position(self) -> dict[str, Any]:
        """Where the stream stands; every row so far is in it."""
        self._flush()
        return {"recording": self.name, "rows": self._rows, "bytes": self._end}

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
            self._check_files()
            facts = {**facts, "recording": self.name}
            remains = Remains(self.path, self._stream)  # which nobody can take away from us
            remains.facts = dict(facts)
            write(remains, self.path, self.form)
            write_inside(self._inside, self.path)
            table = finished(self.path, self.form, remains)
            del remains  # and its open file, which Windows could not remove
        except FileError as error:
            raise self._kept(error.what) from error
        except KeyboardInterrupt:
            left = what_is_left(self.path, self.name, self.rows)
            raise KeyboardInterrupt(left) from None
        finally:
            self._release()
        runfiles.delete(self.path)
        return table

    def __del__(self) -> None:
        self._release()

    def _look(self) -> None:
        """Hand a full or old chunk over to the stream, and number the next lines."""
        if self._fill == self._chunk.rows or monotonic() - self._since > CHUNK_SECONDS:
            self._flush()
        self._number(min(self._fill + ROWS_BETWEEN_LOOKS, self._chunk.rows))

    def _number(self, end: int) -> None:
        begin = max(self._fill, self._until)
        self._chunk.number(begin, end, self._rows + begin)
        self._until = end

    def _map(self) -> None:
        """Let the tail be the chunk, each time twice as long; as it is, where that cannot be."""
        self._flush()
        rows, self._next = self._next, 0
        with contextlib.suppress(OSError, ValueError):  # a full disk is told where rows need it
            self._chunk = mapped_chunk(self._tail, rows, self._width)
            self._next = min(2 * rows, self._most) if rows < self._most else 0

    def _flush(self) -> None:
        if self._fill:
            self._check_files()
            check_integers(self.path, self._places, self._held)
            self._append(packed(self._chunk.lines[: self._fill], self._held.changes, self._texts))
            self._rows += self._fill
            with contextlib.suppress(OSError):  # rows seen twice are recognized by number
                if not self._chunk.mapped:
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

    def _append(self, data: Any) -> None:
        try:
            runfiles.write_all(self._stream, data)
            self._end += len(data)
        except OSError as error:
            raise self._failed(error) from error

    def _check_files(self) -> None:
        """Notice that somebody else has cut one of the two files short."""
        mapped = self._chunk.rows * self._chunk.line_bytes if self._chunk.mapped else 0
        stream, tail = (os.fstat(d).st_size for d in (self._stream, self._tail))
        if stream < self._end or tail < mapped:
            name = (runfiles.stream_of if stream < self._end else runfiles.tail_of)(self.path).name
            raise self._kept(f"something else truncated '{name}' during the run")

    def _with_change(self, record: memoryview | bytes, discrete: tuple[Discrete, ...]) -> bytes:
        text = to_json(discrete)
        self._chunk.lengths[self._fill] = len(text)
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
        return FileError(self.path, what, what_is_left(self.path, self.name, self.rows))

    def _release(self) -> None:
        for descriptor in (self._stream, self._tail):
            if descriptor >= 0:
                os.close(descriptor)
        self._stream = self._tail = -1
