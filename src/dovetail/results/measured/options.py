"""How a file of measured data is to be read, where the file does not say it itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...core.errors import OptionError, did_you_mean
from ...core.options import check_names, check_number, check_truth, check_whole

MISSING = ("error", "interpolate", "hold", "drop")
FIRST = "first"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingOptions:
    """What a user says of a file; what is not said is found in the file.

    `time`: the name of the time column. `columns`: names for all columns, in place of a header.
    `units`: units by name, over those of the file. `zero`: which moment is time zero, a date-time
    or a number, or "first" for the first row (date-times count from there anyway). `missing`: what
    becomes of empty cells: an "error", or "interpolate", "hold", "drop" (the whole row). `sort`:
    rows may come in any order. `day_first`: what 01/02/2024 means. `delimiter` and `decimal`: one
    character each. `sheet`: of an Excel file, by name or by number from 1 on.
    """

    time: str | None = None
    columns: Sequence[str] | None = None
    units: Mapping[str, str] = field(default_factory=dict)
    zero: str | float | None = None
    missing: str = "error"
    sort: bool = False
    day_first: bool | None = None
    delimiter: str | None = None
    decimal: str | None = None
    sheet: str | int | None = None

    def __post_init__(self) -> None:
        if self.time is not None and not isinstance(self.time, str):
            raise OptionError(f"time must be the name of a column, not {self.time!r}")
        if self.columns is not None:
            check_names("columns", self.columns, '["time", "speed"]')
        if not isinstance(self.units, Mapping):
            raise OptionError(f'units must be as in {{"speed": "km/h"}}, not {self.units!r}')
        if self.zero is not None and not isinstance(self.zero, str):
            check_number("zero", self.zero)
        check_choice("missing", self.missing, MISSING)
        check_truth("sort", self.sort)
        if self.day_first is not None:
            check_truth("day_first", self.day_first)
        if self.delimiter is not None and not _is_character(self.delimiter):
            raise OptionError(f"delimiter must be one character, not {self.delimiter!r}")
        if self.decimal not in (None, ".", ","):
            raise OptionError(f"decimal must be '.' or ',', not {self.decimal!r}")
        if self.sheet is not None and not isinstance(self.sheet, str):
            check_whole("sheet", self.sheet)


def check_choice(name: str, value: Any, known: Sequence[str]) -> None:
    """Refuse what is not one of a few words."""
    if not isinstance(value, str) or value not in known:
        hint = did_you_mean(value, known) if isinstance(value, str) else ""
        words = ", ".join(repr(word) for word in known)
        raise OptionError(f"{name} must be one of {words}, not {value!r}.{hint}".rstrip("."))


def _is_character(value: Any) -> bool:
    return isinstance(value, str) and len(value) == 1 and value not in "\r\n\"'"
