"""Measured data in Parquet files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ...core.errors import FileError
from ...core.guard import check_file, guarded
from ..files.needs import need
from ..files.parquet_claims import opened_parquet
from ..recorders.base import Array
from .clocks import not_a_time, seconds_of_moments, seconds_of_numbers, time_column
from .filling import in_order, refuse_missing, without_gaps
from .headers import name_and_unit
from .layout import check_column_names
from .options import ReadingOptions
from .reading import MeasuredData


def read_parquet(path: Path, options: ReadingOptions) -> MeasuredData:
    """The table in a Parquet file; units stand in the names or in the metadata of columns."""
    need("pyarrow", "parquet")
    import pyarrow as pa

    check_file(path)
    with guarded(path, "it cannot be read as a table"):
        data = opened_parquet(path).read()
        data.validate(full=True)
    if not data.num_columns:
        raise FileError(path, "has no columns", "a table has a time column at least")
    named = [name_and_unit(name) for name in data.column_names]
    names = [name for name, _ in named] if options.columns is None else list(options.columns)
    if len(names) != len(named):
        what = f"has {len(named)} columns, but columns=[...] names {len(names)}"
        raise FileError(path, what, "name all of them, that of time too")
    check_column_names(path, names)
    units = [unit or _stored(data.schema.field(k)) for k, (_, unit) in enumerate(named)]
    place = time_column(path, names, options.time)
    rows = range(1, data.num_rows + 1)
    where = place, names[place]
    if pa.types.is_temporal(data.column(place).type):
        cells = [value.isoformat(" ") for value in data.column(place).to_pylist()]
        clock = seconds_of_moments(path, cells, rows, where, options)
    else:
        values = data.column(place).to_numpy()
        if values.dtype.kind not in "iuf":
            raise not_a_time(path, *where, "it holds no numbers")
        clock = seconds_of_numbers(path, values, units[place], where, options)
    columns = {n: data.column(k).to_numpy() for k, n in enumerate(names) if k != place}
    gaps = {name: _gaps(array) for name, array in columns.items()}
    if options.missing == "error":
        refuse_missing(path, rows, gaps)
    order, notes = in_order(path, clock.values, rows, gaps, options)
    columns, more = without_gaps(clock.values, columns, gaps, order, options)
    found = {name: unit for name, unit in zip(names, units, strict=True) if unit}
    found = {n: u for n, u in {**found, **options.units}.items() if n in columns}
    said = (*clock.notes, *notes, *more)
    return MeasuredData(clock.values[order], columns, found, names[place], said)


def _gaps(array: Array) -> list[int]:
    if array.dtype.kind == "f":
        found: list[int] = np.flatnonzero(np.isnan(array)).tolist()
        return found
    return []


def _stored(field: Any) -> str | None:
    unit = (field.metadata or {}).get(b"unit")
    return None if unit is None else unit.decode()
