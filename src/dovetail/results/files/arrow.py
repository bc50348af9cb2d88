"""Arrow files, not compressed: mapped into memory rather than read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ..recorders.base import Column, RecordedTable, batch_rows
from .columnar import Columnar
from .schema import arrow_batch, arrow_schema


def write(table: RecordedTable, path: Path, suffix: str) -> None:
    """Write batch by batch."""
    import pyarrow as pa

    schema = arrow_schema(table.columns, table.facts)
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, schema) as writer:
        for batch in table.batches(batch_rows(table.columns)):
            writer.write_batch(arrow_batch(schema, batch, path))


def read(path: Path, columns: Sequence[Column] | None) -> ArrowTable:
    """Open the file."""
    return ArrowTable(path)


class ArrowTable(Columnar):
    """The columns of an Arrow file."""

    def __init__(self, path: Path) -> None:
        import pyarrow as pa

        self._map = pa.memory_map(str(path))
        reader = pa.ipc.open_file(self._map)
        self._names = list(reader.schema.names)
        rows = sum(reader.get_batch(k).num_rows for k in range(reader.num_record_batches))
        super().__init__(path, reader.schema, rows)

    def _chunks(self, names: list[str] | None) -> Iterator[Any]:
        import pyarrow as pa

        fields = None if names is None else [self._names.index(n) for n in names]
        options = pa.ipc.IpcReadOptions(included_fields=fields)
        reader = pa.ipc.open_file(self._map, options=options)
        for k in range(reader.num_record_batches):
            batch = reader.get_batch(k)
            batch.validate(full=True)  # or an offset that is none leads anywhere
            yield batch
