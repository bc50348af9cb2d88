"""Parquet: zstd, floats split by byte, one row group per batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ..recorders.base import Column, RecordedTable, batch_rows
from .columnar import Columnar
from .parquet_claims import opened_parquet
from .schema import arrow_batch, arrow_schema


def write(table: RecordedTable, path: Path, suffix: str) -> None:
    """Write batch by batch; memory holds one of them at a time."""
    import pyarrow.parquet as pq

    schema = arrow_schema(table.columns, table.facts)
    floats = [f.name for f in schema if f.type == "double"]
    with pq.ParquetWriter(
        path,
        schema,
        compression="zstd",
        use_dictionary=False,
        column_encoding=dict.fromkeys(floats, "BYTE_STREAM_SPLIT"),
    ) as writer:
        for batch in table.batches(batch_rows(table.columns)):
            writer.write_batch(arrow_batch(schema, batch, path), row_group_size=2**30)


def read(path: Path, columns: Sequence[Column] | None) -> ParquetTable:
    """Open the file; columns are read when they are asked for."""
    return ParquetTable(path)


class ParquetTable(Columnar):
    """The columns of a Parquet file."""

    def __init__(self, path: Path) -> None:
        self._file = opened_parquet(path)
        super().__init__(path, self._file.schema_arrow, self._file.metadata.num_rows)

    def _last(self) -> dict[str, Any]:
        for group in reversed(range(self._file.num_row_groups)):
            found = self._file.read_row_group(group)
            found.validate(full=True)
            if found.num_rows:
                return self._last_of(found)
        return {}

    def _chunks(self, names: list[str] | None) -> Iterator[Any]:
        size = min(2**16, batch_rows(self.columns))
        for batch in self._file.iter_batches(size, columns=names):
            batch.validate(full=True)
            yield batch
