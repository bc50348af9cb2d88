"""Time as messages show it: with a unit, and with a date where one is known."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from .errors import OptionError
from .options import worded
from .seconds import Seconds

UNITS = {"ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0, "a": 365 * 86400.0}


@dataclass(frozen=True, slots=True)
class Calendar(Seconds):
    """The unit that times are shown in, and the date at which time is zero.

    A run itself counts in seconds and knows no dates. `reference` is a date in the form of
    ISO 8601, as in "2026-01-01T00:00:00".
    """

    unit: str = "s"
    reference: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.unit, str) or self.unit not in UNITS:
            known = ", ".join(UNITS)
            raise OptionError(f"'{self.unit}' is no unit of time; there are {known}")
        if self.reference is not None:
            try:
                datetime.fromisoformat(self.reference)
            except (TypeError, ValueError):
                example = "2026-01-01T00:00:00"
                what = f"a reference date is written as {example}, not {self.reference!r}"
                raise OptionError(what) from None

    def at(self, time: float) -> str:
        """`t = 1.5 h (2026-01-01 01:30:00)`."""
        stamp = self.stamp(time)
        return f"t = {time / UNITS[self.unit]:g} {self.unit}" + (f" ({stamp})" if stamp else "")

    def lasting(self, time: float) -> str:
        """`1.5 h`."""
        return f"{time / UNITS[self.unit]:g} {self.unit}"

    def stamp(self, time: float) -> str:
        """The date at a time; nothing without a reference, or beyond the calendar."""
        if self.reference is None:
            return ""
        try:
            when = datetime.fromisoformat(self.reference) + timedelta(seconds=time)
        except OverflowError:
            return ""
        return when.isoformat(" ", "milliseconds" if when.microsecond else "seconds")


worded(Calendar)
