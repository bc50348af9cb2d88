"""What every table from a file must be, whatever the format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from ...core.description import Kind
from ...core.errors import FileError
from ..meaning import check_facts
from ..recorders.base import TIME, RecordedTable


def check_table(path: Path, table: RecordedTable) -> None:
    """Refuse columns that cannot stand side by side, and facts that are none."""
    if table.rows < 0:
        raise FileError(path, f"it says that it has {table.rows} rows")
    for column in table.columns:
        if not isinstance(column.name, str):
            raise FileError(path, f"one of its columns has the name {column.name!r}, which is none")
        if not isinstance(column.kind, Kind):
            raise FileError(path, f"'{column.name}' is of no known kind")
        if not (column.unit is None or isinstance(column.unit, str)):
            raise FileError(path, f"'{column.name}' has the unit {column.unit!r}, which is none")
    for name, count in Counter(c.name for c in table.columns).items():
        if count > 1 or name == TIME:
            raise FileError(path, f"has more than one column '{name}'", "rename one of them")
    if not isinstance(table.facts, Mapping):
        raise FileError(path, "what it says about its run is not a list of facts")
    check_facts(path, table.facts)
