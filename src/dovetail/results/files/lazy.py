"""A table that is read from its file when it is asked for, column by column.

One guard around every way in: a damaged file shows itself only when its columns are read.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ...core.description import Kind
from ...core.errors import FileError
from ...core.guard import guarded
from ...core.signals import Vector
from ..by_value import ByValue
from ..recorders.base import TIME, Array, Column

_DAMAGED = "is damaged, and some of it cannot be read"


class LazyTable(ByValue, ABC):
    """A table over an open file, which gives columns, the last row, and chunks."""

    path: Path
    columns: tuple[Column, ...]
    rows: int
    _kinds: Mapping[str, Kind]  # of all columns, time among them

    @abstractmethod
    def _column(self, name: str) -> Array:
        """One column."""

    @abstractmethod
    def _last(self) -> dict[str, Any]:
        """The last row."""

    @abstractmethod
    def _batches(self, size: int) -> Iterator[dict[str, Array]]:
        """All columns in chunks."""

    @property
    def time(self) -> Vector:
        """The time of each row."""
        return self[TIME]

    def __getitem__(self, name: str) -> Array:
        if name not in self._kinds:
            raise KeyError(name)
        with guarded(self.path, _DAMAGED):
            array = self._column(name)
            if array.shape != (self.rows,):
                what = f"'{name}' has {array.size} values for {self.rows} rows"
                raise FileError(self.path, f"is damaged: {what}")
        array.flags.writeable = False
        return array

    def last(self) -> dict[str, Any]:
        """The last row."""
        with guarded(self.path, _DAMAGED):
            return self._last()

    def batches(self, size: int) -> Iterator[dict[str, Array]]:
        """All columns in chunks."""
        chunks = self._batches(size)
        while True:
            with guarded(self.path, _DAMAGED):
                chunk = next(chunks, None)
            if chunk is None:
                return
            yield chunk
