"""JSON: one object, with a list of values for each variable.

    {"format": "dovetail result", "version": 1, "facts": {...},
     "time": {"unit": "s", "values": [0.0, 0.1]},
     "variables": [{"name": "tank.level", "kind": "real", "unit": "m", "values": [0.25, 0.3]}]}

JSON has no NaN and no infinity: they are written as the texts "NaN", "Infinity" and "-Infinity".
Binaries are texts in hexadecimal digits.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from math import inf, isfinite, isnan, nan
from pathlib import Path
from typing import Any

import numpy as np

from ...core.description import Kind
from ...core.errors import FileError, OptionError
from ...core.guard import guarded
from ..arrays import ArrayTable, table_of
from ..held import typed
from ..recorders.base import TIME, Array, Column, RecordedTable
from .facts import facts_json

FORMAT, VERSION = "dovetail result", 1
_WORDS = {"NaN": nan, "Infinity": inf, "-Infinity": -inf}
_NUMBERS = (Kind.REAL, Kind.INTEGER, Kind.ENUMERATION)


def write(table: RecordedTable, path: Path, suffix: str) -> None:
    """Write variable by variable; memory holds one of them at a time."""
    facts = finite(json.loads(facts_json(table.facts)))
    with path.open("w", encoding="utf-8", newline="\n") as file:
        head = {"format": FORMAT, "version": VERSION, "facts": facts}
        file.write(json.dumps(head, allow_nan=False)[:-1] + ",\n")
        file.write(f'"time": {{"unit": "s", "values": {_values(table.time, Kind.REAL)}}},\n')
        file.write('"variables": [')
        for k, column in enumerate(table.columns):
            about = {"name": column.name, "kind": str(column.kind), "unit": column.unit}
            text = json.dumps(about)[:-1]
            values = _values(table[column.name], column.kind)
            file.write(("," if k else "") + f'\n{text}, "values": {values}}}')
        file.write("]}\n")


def read(path: Path, columns: Sequence[Column] | None) -> ArrayTable:
    """Read it all: what `write` has written, or an object of lists as long as `time`."""
    with guarded(path, "is not JSON, or not a whole file of it"):
        content = json.loads(path.read_bytes())
    if not isinstance(content, Mapping):
        raise FileError(path, "holds no object", "a result is an object with 'time' in it")
    page = "see 'JSON' on the page about results"
    with guarded(path, "does not have the shape of a result", page):
        return _ours(content, path) if content.get("format") == FORMAT else _plain(content)


def finite(value: Any) -> Any:
    """Data without NaN and infinities: they become texts."""
    if isinstance(value, float) and not isfinite(value):
        return _word(value)
    if isinstance(value, dict):
        return {key: finite(one) for key, one in value.items()}
    return [finite(one) for one in value] if isinstance(value, list) else value


def infinite(value: Any) -> Any:
    """The same data with the numbers that these texts stand for."""
    if isinstance(value, str):
        return _WORDS.get(value, value)
    if isinstance(value, dict):
        return {key: infinite(one) for key, one in value.items()}
    return [infinite(one) for one in value] if isinstance(value, list) else value


def _values(array: Array, kind: Kind) -> str:
    if kind is Kind.BINARY:
        return json.dumps([bytes(b).hex() for b in array])
    values = array.tolist()
    if kind is Kind.REAL and not np.all(np.isfinite(array)):
        values = [v if isfinite(v) else _word(v) for v in values]
    return json.dumps(values, allow_nan=False)


def _word(value: float) -> str:
    return "NaN" if isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _ours(content: Mapping[str, Any], path: Path) -> ArrayTable:
    if content["version"] != VERSION:
        what = f"is version {content['version']} of this format, and {VERSION} is known"
        raise FileError(path, what, "read it with a newer Dovetail")
    arrays: dict[str, Array] = {TIME: _array(content["time"]["values"], Kind.REAL)}
    columns = []
    for one in content["variables"]:
        column = Column(str(one["name"]), Kind(one["kind"]), one["unit"])
        arrays[column.name] = _array(one["values"], column.kind)
        columns.append(column)
        if len(arrays[column.name]) != len(arrays[TIME]):
            count = len(arrays[column.name])
            what = f"'{column.name}' has {count} values for {len(arrays[TIME])} times"
            raise FileError(path, what)
    return ArrayTable(columns, arrays, infinite(content["facts"]))


def _array(values: Any, kind: Kind) -> Array:
    if not isinstance(values, list):
        raise ValueError("values must be a list")
    if kind is Kind.BINARY:
        return typed([bytes.fromhex(v) for v in values], kind)
    if kind in _NUMBERS and any(isinstance(v, str) for v in values):
        values = [_WORDS[v] if isinstance(v, str) else v for v in values]
    return typed(values, kind)


def _plain(content: Mapping[str, Any]) -> ArrayTable:
    """Lists of other tools: {"time": [0, 1], "speed": [1.5, 2]}."""
    lists = dict(_lists(content))
    time = next((name for name in lists if name.lower() == TIME), None)
    if time is None:
        raise ValueError("there is no list 'time'")
    times = _array(lists.pop(time), Kind.REAL)
    try:
        return table_of(times, lists, {}, {})
    except OptionError as error:
        raise ValueError(str(error)) from None


def _lists(content: Mapping[str, Any]) -> Iterator[tuple[str, list[Any]]]:
    for name, values in content.items():
        if isinstance(values, list) and not any(isinstance(v, list | dict) for v in values):
            yield name, [nan if v is None else v for v in values]
