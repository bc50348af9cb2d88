"""What is varied, from a CSV file: a column for each name, a row for each run."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from ..core.errors import FileError, no_such_file
from ..core.guard import check_file

_LARGEST = 200_000_000  # bytes


def points_from(path: str | Path) -> dict[tuple[str, ...], list[tuple[Any, ...]]]:
    """As `dv.sweep` takes it: all names in a tuple, which are varied together."""
    place = Path(path)
    if not place.exists():
        raise no_such_file(place)
    check_file(place)
    if place.stat().st_size > _LARGEST:
        raise FileError(place, f"is too large for a list of runs (over {_LARGEST / 1e6:g} MB)")
    try:
        with place.open(newline="", encoding="utf-8-sig") as file:
            lines = [line for line in csv.reader(file) if any(cell.strip() for cell in line)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise FileError(place, f"cannot be read as CSV: {error}") from None
    if len(lines) < 2:
        way_out = "the first line names what is varied, each other one is a run"
        raise FileError(place, "has no runs", way_out)
    names = tuple(cell.strip() for cell in lines[0])
    rows = []
    for number, line in enumerate(lines[1:], 2):
        if len(line) != len(names):
            count = "1 name" if len(names) == 1 else f"{len(names)} names"
            what = f"line {number} has {len(line)} values for {count}"
            raise FileError(place, what)
        rows.append(tuple(_value(cell.strip()) for cell in line))
    return {names: rows}


def _value(text: str) -> Any:
    """A number, or a text such as `2 kN`."""
    try:
        return float(text)
    except ValueError:
        return {"true": True, "false": False}.get(text.lower(), text)
