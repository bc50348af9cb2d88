"""The time column: which one it is, and its cells as seconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import numpy as np

from ...core.errors import FileError, did_you_mean
from ...core.signals import Vector
from ...units import UnitError, conversion
from ..recorders.base import Array
from .cells import shown
from .moments import SECOND, BadCell, Moments, is_date, is_time_of_day, read_moments
from .options import FIRST, ReadingOptions

_SURE = ("time", "zeit", "timestamp", "datetime")
_PLACES = ("first", "second", "third")


@dataclass(frozen=True, slots=True)
class TimeColumn:
    """Times in seconds, and what there is to say about them."""

    values: Vector
    notes: tuple[str, ...] = ()


def time_column(path: Path, names: Sequence[str], wanted: str | None) -> int:
    """Where the time column is: as the user says, by its name, or else the first."""
    if wanted is not None:
        if wanted not in names:
            hint = did_you_mean(wanted, names) or f" There are {', '.join(names[:6])}."
            raise FileError(path, f"has no column '{wanted}' to take as time.{hint}".rstrip("."))
        return names.index(wanted)
    lower = [name.lower() for name in names]
    if lower[0] in (*_SURE, "t"):
        return 0
    found = (lower.index(word) for word in _SURE if word in lower)
    return next(found, names.index("t") if "t" in names else 0)  # T is a temperature


def is_split(cells: Sequence[str], after: Sequence[str]) -> bool:
    """Whether dates stand in one column and the times of day in the next."""
    return all(map(is_date, cells[:50])) and bool(after) and all(map(is_time_of_day, after[:50]))


def seconds_of_numbers(
    path: Path, values: Array, unit: str | None, place: tuple[int, str], options: ReadingOptions
) -> TimeColumn:
    """Numbers in some unit of time."""
    try:
        factor = conversion(unit, "s").factor
    except UnitError as error:
        raise not_a_time(path, *place, str(error)) from None
    found = np.asarray(values, dtype=float) * factor
    if options.zero == FIRST:
        return TimeColumn(found - found[:1])
    if isinstance(options.zero, str):
        what = f"zero is {options.zero!r}, but its times are numbers"
        raise FileError(path, what, "say zero='first', or a number of seconds")
    return TimeColumn(found if options.zero is None else found - options.zero)


def seconds_of_moments(
    path: Path,
    cells: Sequence[str],
    lines: Sequence[int],
    place: tuple[int, str],
    options: ReadingOptions,
) -> TimeColumn:
    """Date-times, counted from one of them."""
    try:
        found = read_moments(cells, options.day_first)
    except BadCell as bad:
        if bad.row == 0 and not bad.remedy:
            raise not_a_time(path, *place, f"line {lines[0]} holds {shown(cells[0])}") from None
        raise FileError(f"{path}:{lines[bad.row]}", bad.what, bad.remedy) from None
    notes = [found.note] if found.note else []
    first = min(found.nanoseconds, default=0)
    zero = first
    if options.zero is None or options.zero == FIRST:
        whose = "the moment of its first row" if first == found.nanoseconds[0] else "its earliest"
        notes.append(f"counts time from {found.shown(zero)}, {whose}")
    else:
        zero = _zero(path, options, found)
    passed = np.array([moment - zero for moment in found.nanoseconds], dtype=float)
    return TimeColumn(passed / SECOND, tuple(notes))


def _zero(path: Path, options: ReadingOptions, found: Moments) -> int:
    """The moment that the user says is zero."""
    try:
        given = read_moments([str(options.zero)], options.day_first)
    except BadCell:
        example = found.shown(found.nanoseconds[0])
        _refuse(path, f"zero must be a moment such as '{example}', not {options.zero!r}")
    if given.dated != found.dated or given.zoned != found.zoned:
        _refuse(
            path,
            f"zero={options.zero!r} is not written like its times, with or without "
            "a date and a time zone",
        )
    return given.nanoseconds[0]


def _refuse(path: Path, what: str) -> NoReturn:
    raise FileError(path, what)


def not_a_time(path: Path, column: int, name: str, why: str) -> FileError:
    """The error for a time column that is none."""
    place = _PLACES[column] if column < len(_PLACES) else f"{column + 1}th"
    remedy = "time is numbers, with a unit as in 'time [ms]', or date-times; time='...' names it"
    return FileError(path, f"its {place} column, '{name}', is not a time ({why})", remedy)
