"""What a Parquet file says of itself, held against its size before its library makes room for it.

The library believes the counts at the end of a file: of one with a damaged count it asks for
terabytes before it reads a row.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...core.errors import FileError
from .parquet_footer import UnreadableFooter, unfit_column

_DAMAGED = "the file is damaged; write it again, or take a copy"
_ROWS_PER_BYTE = 2**20  # a column that is constant takes a few bytes for a million rows
_PACKED = 2**17  # bytes in one byte: twice what the best of its compressions makes of zeros


def opened_parquet(path: Path) -> Any:
    """The file, its claims checked. It stays open, so replacing it does no harm."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    source = pa.OSFile(str(path))
    file, size = pq.ParquetFile(source), source.size()
    try:
        unfit = unfit_column(source, size, file.schema)
    except UnreadableFooter as problem:
        unfit = str(problem)
    if unfit:
        raise FileError(path, unfit, _DAMAGED)
    check_claims(path, file.metadata, size)
    return file


def check_claims(path: Path, said: Any, size: int) -> None:
    """Refuse a file whose counts of rows and bytes do not fit each other, or not the file."""
    groups = [said.row_group(k) for k in range(said.num_row_groups)]
    rows = [group.num_rows for group in groups]
    if min(rows, default=0) < 0 or sum(rows) != said.num_rows:
        what = f"it says that it has {said.num_rows} rows, and {sum(rows)} in its groups of rows"
        raise FileError(path, what, _DAMAGED)
    if said.num_rows > _ROWS_PER_BYTE * size:
        what = f"it says that it has {said.num_rows} rows in {size} bytes"
        raise FileError(path, what, _DAMAGED)
    flat = [k for k in range(said.num_columns) if said.schema.column(k).max_repetition_level == 0]
    for group in groups:
        for k in flat:
            if (values := group.column(k).num_values) != group.num_rows:
                what = f"it says that column {k + 1} has {values} values in a group"
                raise FileError(path, f"{what} of {group.num_rows} rows", _DAMAGED)
        for k in range(said.num_columns):
            _check_bytes(path, group.column(k), k + 1, size)


def _check_bytes(path: Path, chunk: Any, number: int, size: int) -> None:
    packed, whole = chunk.total_compressed_size, chunk.total_uncompressed_size
    offset = chunk.dictionary_page_offset if chunk.has_dictionary_page else chunk.data_page_offset
    if min(packed, whole, offset) < 0 or offset + packed > size or whole > _PACKED * size:
        what = (
            f"it says that column {number} has {packed} bytes at {offset}, {whole} unpacked, "
            f"and is {size} bytes long"
        )
        raise FileError(path, what, _DAMAGED)
