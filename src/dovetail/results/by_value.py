"""Tables that travel without their files."""

from __future__ import annotations

from typing import Any

from .recorders.base import TIME, RecordedTable


class ByValue:
    """A table over an open file goes to another process with its values: the file may be gone."""

    def __reduce__(self: RecordedTable) -> tuple[Any, ...]:
        from .arrays import ArrayTable

        arrays = {name: self[name] for name in (TIME, *(c.name for c in self.columns))}
        return ArrayTable, (self.columns, arrays, dict(self.facts))
