"""A table whose columns are all in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..core.description import Kind
from ..core.errors import OptionError
from ..core.signals import Vector
from .recorders.base import TIME, Array, Column


class ArrayTable:
    """Columns that are in memory already."""

    def __init__(
        self,
        columns: Sequence[Column],
        arrays: Mapping[str, Array],
        facts: Mapping[str, Any] | None = None,
    ) -> None:
        self.columns, self.facts = tuple(columns), facts or {}
        self._arrays = {name: arrays[name] for name in (TIME, *(c.name for c in columns))}
        self.rows = len(self._arrays[TIME])
        for array in self._arrays.values():
            array.flags.writeable = False

    @property
    def time(self) -> Vector:
        """The time of each row."""
        return self._arrays[TIME]

    def __getitem__(self, name: str) -> Array:
        return self._arrays[name]

    def last(self) -> dict[str, Any]:
        """The last row."""
        if not self.rows:
            return {}
        return {name: array[-1:].tolist()[0] for name, array in self._arrays.items()}

    def batches(self, size: int) -> Iterator[dict[str, Array]]:
        """All columns in chunks."""
        for begin in range(0, self.rows, size):
            yield {name: array[begin : begin + size] for name, array in self._arrays.items()}


_KINDS = {"f": Kind.REAL, "i": Kind.INTEGER, "u": Kind.INTEGER, "b": Kind.BOOLEAN, "S": Kind.BINARY}


def table_of(
    time: ArrayLike,
    values: Mapping[str, ArrayLike],
    units: Mapping[str, str],
    facts: Mapping[str, Any],
) -> ArrayTable:
    """A table from arrays, with the kind of each column as its values show it."""
    arrays: dict[str, Array] = {TIME: np.array(time, dtype=float)}
    columns = []
    for name, given in values.items():
        array = np.array(given)
        if array.shape != arrays[TIME].shape:
            raise OptionError(f"'{name}' has {array.size} values for {arrays[TIME].size} times")
        kind = _KINDS.get(array.dtype.kind, Kind.STRING)
        arrays[name] = array.astype(object) if array.dtype.kind in "US" else array
        columns.append(Column(name, kind, units.get(name)))
    return ArrayTable(columns, arrays, facts)
