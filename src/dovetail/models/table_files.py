"""Tables from files: text, Excel and Parquet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from ..core.errors import FileError, ModelError
from ..core.guard import check_file, guarded
from ..results.measured import MeasuredData, ReadingOptions, read_measured
from ..results.measured.columns import Sort
from ..results.measured.parquet_rows import read_parquet
from .table import Table

_TEXTS: dict[str, Sort] = {"string": "text"}


def read(
    path: Path,
    reading: ReadingOptions,
    *,
    hold: Sequence[str] = (),
    types: Mapping[str, str],
    interpolation: str | Mapping[str, str],
    outside: str,
) -> Table:
    """The table in a file; its suffix says of which kind."""
    check_file(path)
    with guarded(path, "it cannot be read as a table"):
        return _read(path, reading, hold, types, interpolation, outside)


def _read(
    path: Path,
    reading: ReadingOptions,
    hold: Sequence[str],
    types: Mapping[str, str],
    interpolation: str | Mapping[str, str],
    outside: str,
) -> Table:
    if path.suffix.lower() == ".parquet":
        data = read_parquet(path, reading)
    else:
        sorts = {name: _TEXTS[kind] for name, kind in types.items() if kind in _TEXTS}
        data = read_measured(path, reading, sorts=sorts)
    _check_units(path, reading, data)
    if not data.time.size:
        remedy = "a table has a header, and below it rows of numbers"
        raise FileError(path, "has no rows of numbers", remedy)
    if not np.all(np.isfinite(data.time)):
        raise FileError(path, f"its time column, '{data.time_name}', holds NaN or Inf")
    try:
        return Table(
            time=data.time,
            columns=data.columns,
            units=data.units,
            hold=hold,
            types=types,
            interpolation=interpolation,
            outside=outside,
            path=str(path),
            reading=_given(reading),
            notes=data.notes,
        )
    except ModelError as error:
        raise FileError(path, str(error).rstrip(".")) from error


def _check_units(path: Path, reading: ReadingOptions, data: MeasuredData) -> None:
    unknown = [name for name in reading.units if name not in data.columns]
    if unknown:
        known = ", ".join(list(data.columns)[:6])
        what = f"units names '{unknown[0]}', which is no column; there are {known}"
        raise FileError(path, what)


def _given(reading: ReadingOptions) -> dict[str, Any]:
    """The options that are not as usual."""
    usual = ReadingOptions()
    every = {f.name: getattr(reading, f.name) for f in fields(reading)}
    return {name: value for name, value in every.items() if value != getattr(usual, name)}
