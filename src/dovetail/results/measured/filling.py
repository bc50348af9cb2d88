"""What becomes of cells that hold no number, and of rows that are not in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from ...core.errors import FileError
from ...core.signals import Vector
from ..recorders.base import Array
from .options import ReadingOptions

_WAYS = "fill it in, or say missing='interpolate', 'hold' or 'drop'"


def refuse_missing(path: Path, lines: Sequence[int], missing: Mapping[str, Sequence[int]]) -> None:
    """Name the first cell without a number, and how many more there are."""
    gaps = {name: rows for name, rows in missing.items() if len(rows)}
    if not gaps:
        return
    name, rows = min(gaps.items(), key=lambda gap: gap[1][0])
    more = sum(map(len, gaps.values())) - 1
    others = f" (and {more} more cell{'s' * (more > 1)} like it)" if more else ""
    what = f"column '{name}' has no number in this line{others}"
    raise FileError(f"{path}:{lines[rows[0]]}", what, _WAYS)


def _kept_rows(rows: int, missing: Mapping[str, Sequence[int]]) -> Array:
    """Which rows have all their numbers."""
    kept = np.ones(rows, dtype=bool)
    for gaps in missing.values():
        kept[np.asarray(gaps, dtype=np.intp)] = False
    return kept


def _filled(time: Vector, values: Array, gaps: Array, how: str) -> Array:
    """A column with its gaps filled: on straight lines, or by the value before.

    At its ends the nearest value stands.
    """
    found = np.asarray(values, dtype=float).copy()
    known = np.flatnonzero(~gaps)
    if not known.size or not gaps.any():
        return found
    holes = np.flatnonzero(gaps)
    if how == "interpolate":
        found[holes] = np.interp(time[holes], time[known], found[known])
    else:
        before = np.clip(np.searchsorted(known, holes) - 1, 0, None)
        found[holes] = found[known[before]]
    return found


def _note(name: str, count: int, how: str) -> str:
    """What was done, for a note."""
    done = "interpolated" if how == "interpolate" else "held from the row before"
    return f"has {count} empty cell{'s' * (count != 1)} in '{name}', which {_are(count)} {done}"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def in_order(
    path: Path,
    time: Vector,
    lines: Sequence[int],
    gaps: Mapping[str, Sequence[int]],
    options: ReadingOptions,
) -> tuple[Array, list[str]]:
    """Which rows stay, in an order in which time does not decrease; and what was left out."""
    rows = np.arange(len(time))
    if options.missing == "drop":
        rows = rows[_kept_rows(len(time), gaps)]
    back = np.flatnonzero(np.diff(time[rows]) < 0)
    if back.size and options.sort:
        rows = rows[np.argsort(time[rows], kind="stable")]
    elif back.size:
        before, after = rows[back[0]], rows[back[0] + 1]
        what = f"time must not decrease, but {time[after]:.10g} s follows {time[before]:.10g} s"
        raise FileError(f"{path}:{lines[after]}", what, "sort=True sorts the rows")
    count = len(time) - len(rows)
    left_out = f"has {count} row{'s' * (count != 1)} left out, for empty cells"
    return rows, [left_out] if count else []


def without_gaps(
    time: Vector,
    columns: Mapping[str, Array],
    gaps: Mapping[str, Sequence[int]],
    rows: Array,
    options: ReadingOptions,
) -> tuple[dict[str, Array], list[str]]:
    """These rows of all columns, with gaps filled as the user wants it; and what was done."""
    found = {name: array[rows] for name, array in columns.items()}
    notes = list[str]()
    if options.missing in ("interpolate", "hold"):
        for name in [name for name in found if gaps[name]]:
            holes = np.zeros(len(time), dtype=bool)
            holes[gaps[name]] = True
            found[name] = _filled(time[rows], found[name], holes[rows], options.missing)
            notes.append(_note(name, len(gaps[name]), options.missing))
    return found, notes
