"""Date-times in cells, as whole nanoseconds since a day zero."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from .cells import shown

SECOND = 10**9
DAY = 86400 * SECOND
_ENGLISH = "janfebmaraprmayjunjulaugsepoctnovdec"
_MONTHS = {_ENGLISH[3 * k : 3 * k + 3]: k + 1 for k in range(12)}
_MONTHS |= {"mai": 5, "okt": 10, "dez": 12, "mär": 3}  # German

_ZONE = r"\s*(?P<zone>Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?"
_CLOCK = (
    r"(?P<H>\d{1,2}):(?P<M>\d{2})(?::(?P<S>\d{2})(?:[.,](?P<F>\d+))?)?"
    r"(?:\s*(?P<half>[AaPp])\.?[Mm]\.?)?"
)
_WHOLE = re.compile(
    r"(?:(?P<y>\d{4})(?P<sep>[-/.])(?P<m>\d{1,2})(?P=sep)(?P<d>\d{1,2})"
    r"|(?P<a>\d{1,2})(?P<mark>[-/.])(?P<b>\d{1,2})(?P=mark)(?P<c>\d{4}|\d{2})"
    r"|(?P<day>\d{1,2})[-. ]+(?P<month>[^\W\d]{3})[^\W\d]*\.?[-, ]+(?P<year>\d{4}))"
    rf"(?:(?:\s+|\s*[T,]\s*){_CLOCK}{_ZONE})?"
)
_BASIC = re.compile(
    r"(?P<y>\d{4})(?P<m>\d{2})(?P<d>\d{2})T(?P<H>\d{2})(?P<M>\d{2})"
    rf"(?:(?P<S>\d{{2}})(?:[.,](?P<F>\d+))?)?{_ZONE}"
)
_OF_DAY = re.compile(_CLOCK)
_LASTING = re.compile(r"(?P<H>\d+):(?P<M>\d{2}):(?P<S>\d{2})(?:[.,](?P<F>\d+))?")
_MINUTES = re.compile(r"(?P<M>\d+):(?P<S>\d{2})[.,](?P<F>\d+)")


class BadCell(ValueError):
    """A cell that cannot be read; `row` counts the given cells from 0."""

    def __init__(self, row: int, what: str, remedy: str = "") -> None:
        super().__init__(what)
        self.row, self.what, self.remedy = row, what, remedy


@dataclass(frozen=True, slots=True)
class Moments:
    """A column of moments: on a calendar, or only times of day."""

    nanoseconds: list[int]
    dated: bool
    zoned: bool = False
    note: str = ""

    def shown(self, moment: int) -> str:
        """A moment as text, in the form of ISO 8601."""
        seconds, fraction = divmod(moment, SECOND)
        if not self.dated:
            text = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
        else:
            try:
                text = (datetime(1, 1, 1) + timedelta(seconds=seconds)).isoformat(" ")
            except OverflowError:
                text = f"{seconds} s"
        digits = f".{fraction:09d}".rstrip("0").rstrip(".")
        return text + digits + (" UTC" if self.zoned else "")


def is_moment(cell: str) -> bool:
    """Whether a cell looks like a date, a time of day, or both."""
    text = cell.strip()
    return any(p.fullmatch(text) for p in (_WHOLE, _BASIC, _OF_DAY, _LASTING, _MINUTES))


def is_date(cell: str) -> bool:
    """Whether a cell is a date without a time of day."""
    found = _WHOLE.fullmatch(cell.strip())
    return found is not None and found["H"] is None


def is_time_of_day(cell: str) -> bool:
    """Whether a cell is a time of day without a date."""
    return _OF_DAY.fullmatch(cell.strip()) is not None


def read_moments(cells: Sequence[str], day_first: bool | None = None) -> Moments:
    """A column of moments. BadCell says which cell is none, or could mean two things."""
    first = cells[0].strip() if cells else ""
    if _WHOLE.fullmatch(first) or _BASIC.fullmatch(first):
        return _dated(cells, day_first)
    return _times_of_day(cells)


def _dated(cells: Sequence[str], day_first: bool | None) -> Moments:
    order, note = _order(cells, day_first)
    days: dict[tuple[str | None, ...], int] = {}
    found: list[int] = []
    zoned: bool | None = None
    minutes: dict[str, int] = {}  # moments by their text up to the seconds, for speed
    for row, cell in enumerate(cells):
        head, _, tail = cell.rpartition(":")
        if head in minutes and (seconds := _seconds(tail)) is not None:
            found.append(minutes[head] + seconds)
            continue
        match = _WHOLE.fullmatch(text := cell.strip()) or _BASIC.fullmatch(text)
        if match is None:
            raise BadCell(row, f"{shown(text)} is not a date-time like those above it")
        groups = match.groupdict()
        key = tuple(groups.get(k) for k in _DATE_GROUPS)
        if key not in days:
            days[key] = _day(groups, order, row, text)
        zone = groups["zone"]
        if zoned is None:
            zoned = zone is not None
        elif zoned != (zone is not None):
            what = f"{shown(text)} has {'a' if zone else 'no'} time zone, unlike those above it"
            raise BadCell(row, what, "write it everywhere or nowhere")
        found.append(days[key] * DAY + _of_day(groups, row, text) - _offset(zone))
        if groups["S"] is not None and (seconds := _seconds(tail)) is not None:
            minutes[head] = found[-1] - seconds
    return Moments(found, True, bool(zoned), note)


_DATE_GROUPS = ("y", "m", "d", "a", "b", "c", "day", "month", "year")


def _order(cells: Sequence[str], day_first: bool | None) -> tuple[bool, str]:
    """Whether 01/02/2024 is in February, and what decided it. With dots it always is."""
    if day_first is not None:
        return day_first, ""
    unclear: tuple[int, str] | None = None
    evidence: dict[bool, tuple[int, str]] = {}
    for row, cell in enumerate(cells):
        match = _WHOLE.fullmatch(cell.strip())
        if match is None or match["a"] is None or match["mark"] == ".":
            continue
        unclear = unclear or (row, cell.strip())
        if int(match["a"]) > 12:
            evidence.setdefault(True, (row, cell.strip()))
        elif int(match["b"]) > 12:
            evidence.setdefault(False, (row, cell.strip()))
    if unclear is None:
        return True, ""
    remedy = "say day_first=True for day/month/year, or day_first=False for month/day/year"
    if not evidence:
        row, text = unclear
        what = f"{shown(text)} may be day/month/year or month/day/year, and no date decides it"
        raise BadCell(row, what, remedy)
    if len(evidence) == 2:
        row, text = max(evidence.values())
        what = (
            f"{shown(text)} is written the other way round than {shown(min(evidence.values())[1])}"
        )
        raise BadCell(row, what, "write all dates alike")
    (order, (_, text)), *_ = evidence.items()
    meaning = "day/month/year" if order else "month/day/year"
    return order, f"has its dates read as {meaning}, since {shown(text)} can be nothing else"


def _day(groups: dict[str, str | None], day_first: bool, row: int, text: str) -> int:
    """The number of a day."""
    year: str | None
    month: str | None
    day: str | None
    if groups["y"] is not None:
        year, month, day = groups["y"], groups["m"], groups["d"]
    elif groups.get("year") is not None:
        month_number = _MONTHS.get(str(groups["month"]).lower(), 0)
        year, month, day = groups["year"], str(month_number), groups["day"]
    else:
        first = day_first or groups["mark"] == "."
        day, month = (groups["a"], groups["b"]) if first else (groups["b"], groups["a"])
        year = groups["c"]
    assert year is not None and month is not None and day is not None
    number = int(year) if len(year) == 4 else int(year) + (1900 if int(year) >= 69 else 2000)
    try:
        return date(number, int(month), int(day)).toordinal() - 1
    except ValueError:
        raise BadCell(row, f"{shown(text)} is not a date of the calendar") from None


def _of_day(groups: dict[str, str | None], row: int, text: str) -> int:
    """Nanoseconds since midnight."""
    hours, minutes = int(groups["H"] or 0), int(groups["M"] or 0)
    seconds, half = int(groups["S"] or 0), (groups.get("half") or "").lower()
    if half:
        if not 1 <= hours <= 12:
            raise BadCell(row, f"{shown(text)} has an hour that does not go with am and pm")
        hours = hours % 12 + (12 if half == "p" else 0)
    midnight = (hours, minutes, seconds) == (24, 0, 0)
    if not midnight and not (hours < 24 and minutes < 60 and seconds < 60):
        raise BadCell(row, f"{shown(text)} is not a time of day")
    return (hours * 3600 + minutes * 60 + seconds) * SECOND + _fraction(groups["F"])


def _seconds(text: str) -> int | None:
    """Nanoseconds of plain seconds such as 05 or 05.25; None for anything else."""
    if len(text) == 2 and text.isdecimal() and text < "60":
        return int(text) * SECOND
    whole, fraction = text[:2], text[3:]
    if text[2:3] in (".", ",") and whole.isdecimal() and fraction.isdecimal() and whole < "60":
        return int(whole) * SECOND + _fraction(fraction)
    return None


def _fraction(digits: str | None) -> int:
    return int((digits or "0")[:9].ljust(9, "0"))


def _offset(zone: str | None) -> int:
    """Nanoseconds that a time zone is ahead of UTC."""
    if zone is None or not zone[1:].replace(":", "").isdigit():
        return 0
    digits = zone[1:].replace(":", "").ljust(4, "0")
    minutes = int(digits[:2]) * 60 + int(digits[2:])
    return (minutes if zone[0] == "+" else -minutes) * 60 * SECOND


def _times_of_day(cells: Sequence[str]) -> Moments:
    """Times of day, or how long it has been; past midnight a new day begins."""
    found: list[int] = []
    days, before = 0, -1
    for row, cell in enumerate(cells):
        text = cell.strip()
        match = _MINUTES.fullmatch(text) or _LASTING.fullmatch(text) or _OF_DAY.fullmatch(text)
        if match is None:
            raise BadCell(row, f"{shown(text)} is not a time of day like those above it")
        groups = {"H": None, "S": None, "F": None, **match.groupdict()}
        if groups.get("half") or int(groups["H"] or 0) < 24:
            limited = {**groups, "H": groups["H"] or str(int(groups["M"] or 0) // 60)}
            limited["M"] = str(int(groups["M"] or 0) % 60) if groups["H"] is None else groups["M"]
            now = _of_day(limited, row, text)
        else:
            seconds = int(groups["H"] or 0) * 3600 + int(groups["M"] or 0) * 60
            now = (seconds + int(groups["S"] or 0)) * SECOND + _fraction(groups["F"])
        if before - now > DAY // 2:
            days += 1
        before = now
        found.append(now + days * DAY)
    note = "has only times of day: a new day begins where they start anew" if days else ""
    return Moments(found, False, note=note)
