"""MATLAB files (version 5): one variable per column, named as MATLAB allows.

`prey.preys` becomes `prey_preys`. The variable `dovetail` lists in JSON which is which, with
kinds, units and the facts of the run: `jsondecode(dovetail)`.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...core.description import Kind
from ...core.errors import FileError
from ..arrays import ArrayTable
from ..held import typed
from ..recorders.base import TIME, Array, Column, RecordedTable
from .facts import facts_json
from .mat_elements import variables_in
from .naming import distinct

ABOUT = "dovetail"
HEADER_BYTES = 128
NAME_LENGTH = 63


def write(table: RecordedTable, path: Path, suffix: str) -> None:
    """Write column by column; memory holds one of them at a time."""
    columns = (Column(TIME, unit="s"), *table.columns)
    names = [_identifier(c.name) for c in table.columns]
    keys = [TIME, *distinct(names, taken={TIME, ABOUT}, longest=NAME_LENGTH)]
    listed = [
        {"name": c.name, "kind": c.kind, "unit": c.unit, "variable": key}
        for c, key in zip(columns, keys, strict=True)
    ]
    about = facts_json({"columns": listed, "facts": dict(table.facts)})
    with path.open("wb") as file:
        file.write(_saved(ABOUT, about))
        for column, key in zip(columns, keys, strict=True):
            array = _cells(table[column.name], column.kind)
            file.write(_saved(key, array[:, None])[HEADER_BYTES:])


def read(path: Path, columns: Sequence[Column] | None) -> ArrayTable:
    """Read it all."""
    content = variables_in(path.read_bytes())
    if not isinstance(content.get(TIME), np.ndarray):
        raise FileError(path, "has no variable 'time'", "name it so")
    about = json.loads(content[ABOUT]) if ABOUT in content else _guess(content)
    found = [Column(c["name"], Kind(c["kind"]), c["unit"]) for c in about["columns"]]
    arrays = {
        column.name: _from_cells(content[c["variable"]], column.kind)
        for column, c in zip(found, about["columns"], strict=True)
    }
    for name, array in arrays.items():
        if len(array) != len(arrays[TIME]):
            what = f"'{name}' has {len(array)} values for {len(arrays[TIME])} times"
            raise FileError(path, what)
    return ArrayTable([c for c in found if c.name != TIME], arrays, about["facts"])


def _saved(key: str, value: Any) -> bytes:
    from scipy.io import savemat

    out = io.BytesIO()
    savemat(out, {key: value}, do_compression=False)
    return out.getvalue()


def _identifier(name: str) -> str:
    bare = re.sub(r"[^A-Za-z0-9_]+", "_", name).strip("_")
    return bare if re.match("[A-Za-z]", bare) else f"x_{bare}"


def _cells(array: Array, kind: Kind) -> Array:
    return typed([b.hex() for b in array], Kind.STRING) if kind is Kind.BINARY else array


def _from_cells(values: Any, kind: Kind) -> Array:
    match kind:
        case Kind.STRING:
            return typed([_checked(cell) for cell in values], kind)
        case Kind.BINARY:
            return typed([bytes.fromhex(_checked(cell)) for cell in values], kind)
        case _:
            return typed(values.reshape(-1), kind)


def _checked(cell: Any) -> str:
    if not isinstance(cell, str):
        raise ValueError("a cell holds no text")
    return cell


def _guess(content: dict[str, Any]) -> dict[str, Any]:
    """What a file of another tool holds: every vector of numbers as long as `time`."""
    listed = [
        {"name": key, "kind": "real", "unit": None, "variable": key}
        for key, value in content.items()
        if isinstance(value, np.ndarray)
        and value.dtype.kind in "fiub"
        and value.size == content[TIME].size
    ]
    return {"columns": listed, "facts": {}}
