"""Columns as an Arrow schema and back: kinds and units by field, the facts of the run as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...core.description import Kind
from ...core.errors import FileError
from ..recorders.base import TIME, Array, Column
from .facts import facts_json

FACTS = b"dovetail"


def arrow_schema(columns: Sequence[Column], facts: Mapping[str, Any]) -> Any:
    """The Arrow schema of a table, time first."""
    import pyarrow as pa

    fields = [pa.field(TIME, pa.float64(), nullable=False, metadata={"kind": "real", "unit": "s"})]
    for column in columns:
        metadata = {"kind": str(column.kind)}
        if column.unit is not None:
            metadata["unit"] = column.unit
        kind = arrow_type(column.kind)
        fields.append(pa.field(column.name, kind, nullable=False, metadata=metadata))
    return pa.schema(fields, metadata={FACTS: facts_json(facts)})


def arrow_type(kind: Kind) -> Any:
    """The Arrow type that holds values of this kind."""
    import pyarrow as pa

    match kind:
        case Kind.REAL:
            return pa.float64()
        case Kind.INTEGER | Kind.ENUMERATION:
            return pa.int64()
        case Kind.BOOLEAN | Kind.CLOCK:
            return pa.bool_()
        case Kind.STRING:
            return pa.string()
        case Kind.BINARY:
            return pa.binary()


def arrow_batch(schema: Any, arrays: Mapping[str, Array], path: Path) -> Any:
    """Arrays by name as one record batch."""
    import pyarrow as pa

    columns = [_arrow_array(arrays[field.name], field, path) for field in schema]
    return pa.record_batch(columns, schema=schema)


def facts_of(schema: Any) -> dict[str, Any]:
    """The facts of the run; nothing if another tool wrote the file."""
    text = (schema.metadata or {}).get(FACTS)
    found: dict[str, Any] = {} if text is None else json.loads(text)
    return found


def columns_of(schema: Any, path: Path) -> tuple[str, tuple[Column, ...]]:
    """The name of the time column and all other columns, also of a file of another tool."""
    if not len(schema):
        raise FileError(path, "has no columns", "a result has a time column at least")
    names = [field.name for field in schema]
    time = next((n for n in names if n.lower() == TIME), names[0])
    columns = tuple(_column(field, path) for field in schema if field.name != time)
    if _column(schema.field(time), path).kind not in (Kind.REAL, Kind.INTEGER):
        raise FileError(path, f"its column '{time}' holds no numbers, so there is no time")
    return time, columns


def as_array(values: Any, kind: Kind) -> Array:
    """An Arrow array as a NumPy array that cannot be written to."""
    import pyarrow as pa

    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    array: Array = values.to_numpy(zero_copy_only=False)
    if kind is Kind.REAL:
        array = array.astype(np.float64, copy=False)
    elif kind in (Kind.INTEGER, Kind.ENUMERATION) and array.dtype.kind in "iu":
        array = array.astype(np.int64, copy=False)
    elif kind in (Kind.BOOLEAN, Kind.CLOCK):
        array = array.astype(np.bool_, copy=False)
    array.flags.writeable = False
    return array


def _arrow_array(array: Array, field: Any, path: Path) -> Any:
    import pyarrow as pa

    try:
        return pa.array(array, type=field.type)
    except UnicodeEncodeError:  # half a surrogate pair from a foreign library
        return pa.array([s.encode("utf-8", "replace").decode() for s in array], type=field.type)
    except (OverflowError, pa.ArrowInvalid) as error:
        what = f"a value of '{field.name}' does not fit into a column of type {field.type}"
        raise FileError(path, what, "leave it out with `record=`") from error


def _column(field: Any, path: Path) -> Column:
    import pyarrow as pa

    metadata = field.metadata or {}
    unit = metadata[b"unit"].decode() if b"unit" in metadata else None
    if b"kind" in metadata:
        return Column(field.name, Kind(metadata[b"kind"].decode()), unit)
    kind, is_ = field.type, pa.types
    if is_.is_dictionary(kind):
        kind = kind.value_type
    if is_.is_floating(kind) or is_.is_decimal(kind) or is_.is_null(kind):
        return Column(field.name, Kind.REAL, unit)
    if is_.is_integer(kind):
        return Column(field.name, Kind.INTEGER, unit)
    if is_.is_boolean(kind):
        return Column(field.name, Kind.BOOLEAN, unit)
    if is_.is_string(kind) or is_.is_large_string(kind):
        return Column(field.name, Kind.STRING, unit)
    if is_.is_binary(kind) or is_.is_large_binary(kind):
        return Column(field.name, Kind.BINARY, unit)
    raise FileError(path, f"its column '{field.name}' is of type {kind}, which no result holds")
