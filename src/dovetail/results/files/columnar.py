"""Column-wise access to record batches, whatever file they come from."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ...core.description import Kind
from ..held import typed
from ..recorders.base import TIME, Array, regrouped
from .lazy import LazyTable
from .schema import as_array, columns_of, facts_of


class Columnar(LazyTable):
    """A table over record batches. The file stays open, so replacing it does no harm."""

    def __init__(self, path: Path, schema: Any, rows: int) -> None:
        self.path, self.rows = path, rows
        self._time, self.columns = columns_of(schema, path)
        self.facts = facts_of(schema)
        self._kinds = {TIME: Kind.REAL} | {c.name: c.kind for c in self.columns}

    @abstractmethod
    def _chunks(self, names: list[str] | None) -> Iterator[Any]:
        """Record batches with these columns, or with all of them, validated."""

    def _column(self, name: str) -> Array:
        kind, stored = self._kinds[name], self._stored(name)
        arrays = [as_array(chunk.column(stored), kind) for chunk in self._chunks([stored])]
        return arrays[0] if len(arrays) == 1 else np.concatenate([typed([], kind), *arrays])

    def _last(self) -> dict[str, Any]:
        chunk = None
        for chunk in self._chunks(None):  # noqa: B007  only the last one counts
            pass
        return {} if chunk is None or not chunk.num_rows else self._last_of(chunk)

    def _batches(self, size: int) -> Iterator[dict[str, Array]]:
        return regrouped((self._arrays(chunk) for chunk in self._chunks(None)), size)

    def _stored(self, name: str) -> str:
        return self._time if name == TIME else name

    def _arrays(self, chunk: Any) -> dict[str, Array]:
        return {n: as_array(chunk.column(self._stored(n)), k) for n, k in self._kinds.items()}

    def _last_of(self, chunk: Any) -> dict[str, Any]:
        arrays = self._arrays(chunk.slice(chunk.num_rows - 1))
        return {name: array.tolist()[0] for name, array in arrays.items()}
