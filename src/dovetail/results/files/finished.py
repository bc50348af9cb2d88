"""The table of a recording that has become a file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...core.errors import FileError
from ...core.signals import Vector
from ..by_value import ByValue
from ..recorders.base import Array, RecordedTable

if TYPE_CHECKING:
    from . import Format


def finished(path: Path, form: Format, source: RecordedTable) -> RecordedTable:
    """The file as a table; one that can only be read as a whole is read when it is needed."""
    from . import read_table

    return read_table(path, form=form) if form.lazy else UnreadTable(path, form, source)


class UnreadTable(ByValue):
    """A file of which only columns, facts and last row are known, from where it was made."""

    def __init__(self, path: Path, form: Format, source: RecordedTable) -> None:
        self.path, self.form = path, form
        self.columns, self.rows, self.facts = source.columns, source.rows, source.facts
        self._last = source.last()
        self._stat = os.stat(path)

    @cached_property
    def _table(self) -> RecordedTable:
        from . import read_table

        if not path_is(self.path, self._stat):
            raise FileError(self.path, "is no longer the file that this run wrote")
        return read_table(self.path, self.columns, self.form)

    @property
    def time(self) -> Vector:
        """The time of each row."""
        return self._table.time

    def __getitem__(self, name: str) -> Array:
        return self._table[name]

    def last(self) -> dict[str, Any]:
        """The last row."""
        return dict(self._last)

    def batches(self, size: int) -> Iterator[dict[str, Array]]:
        """All columns in chunks."""
        return self._table.batches(size)


def path_is(path: Path, stat: os.stat_result) -> bool:
    """Whether this path still leads to that very file, unchanged."""
    try:
        now = os.stat(path)
    except OSError:
        return False
    return os.path.samestat(now, stat) and now.st_mtime_ns == stat.st_mtime_ns
