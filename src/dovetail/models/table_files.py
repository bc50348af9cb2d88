"""Tables from files of text, and from Parquet."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from ..core.errors import FileError, ModelError, no_such_file
from ..units import UnitError, conversion
from .table import TOO_LARGE, Table


def read(path: Path) -> Table:
    """The table in a file; its suffix says of which kind."""
    if not path.is_file():
        raise no_such_file(path)
    import pyarrow as pa
    from pyarrow import parquet

    try:
        if path.suffix.lower() == ".parquet":
            data = parquet.read_table(path)
        else:
            delimiter = "\t" if path.suffix.lower() == ".tsv" else _delimiter(path)
            data = _parsed(path, delimiter)
    except (pa.ArrowInvalid, OSError, UnicodeDecodeError) as error:
        raise FileError(
            path, f"it cannot be read as a table: {str(error).splitlines()[0]}"
        ) from error
    names, units = zip(*(_header(c) for c in data.column_names), strict=True)
    if len(set(names)) < len(names):
        twice = next(n for n in names if names.count(n) > 1)
        raise FileError(path, f"the column '{twice}' is there twice")
    arrays = [column.to_numpy() for column in data.columns]
    try:
        time = np.asarray(arrays[0], dtype=float) * conversion(units[0], "s").factor
    except (ValueError, TypeError, UnitError) as error:
        remedy = "the first column must be time, with a header such as 'time [s]'"
        raise FileError(
            path, f"its first column, '{names[0]}', is not a time ({error})", remedy
        ) from None
    try:
        return Table(
            time=time,
            columns=dict(zip(names[1:], arrays[1:], strict=True)),
            units={n: u for n, u in zip(names[1:], units[1:], strict=True) if u},
            path=str(path),
        )
    except ModelError as error:
        raise FileError(path, str(error)) from error


def _parsed(path: Path, delimiter: str) -> Any:
    """A file of text. Integers with more digits than a float has keep them all."""
    import pyarrow as pa
    from pyarrow import compute, csv

    options = csv.ParseOptions(delimiter=delimiter)
    data = csv.read_csv(path, parse_options=options)
    large = [
        name
        for name, column in zip(data.column_names, data.columns, strict=True)
        if pa.types.is_floating(column.type) and (compute.max(column).as_py() or 0) >= TOO_LARGE
    ]
    for name in large:
        types = csv.ConvertOptions(column_types={name: pa.uint64()}, include_columns=[name])
        with suppress(pa.ArrowInvalid):
            exact = csv.read_csv(path, parse_options=options, convert_options=types)
            data = data.set_column(data.column_names.index(name), name, exact.column(0))
    return data


def _header(text: str) -> tuple[str, str | None]:
    found = re.fullmatch(r"\s*(.*?)\s*\[(.*)\]\s*", text)
    unit = found[2].strip().strip("-") if found else ""  # [-] and [---] are no units
    return (found[1] if found else text.strip()), unit or None


def _delimiter(path: Path) -> str:
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        head = file.readline()
    return max(",;\t", key=head.count)
