"""What is wrong with an SSP, what Dovetail cannot do with it, and what is worth knowing."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Literal

from ...core.errors import DrawingError, OptionError, Problem

Unsupported = Literal["error", "warn"]
_SHOWN = 3  # examples of each remark
_MOST = 200  # problems listed at once
_WAY_OUT = "unsupported='warn' (--unsupported warn)"


class SspWarning(UserWarning):
    """Something in an SSP that is not as it could be, and was read all the same."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands: the file, its line, the path of the element."""

    file: str
    line: int = 0
    path: str = ""

    def __str__(self) -> str:
        at = f"{self.file}:{self.line}" if self.line else self.file
        return f"{at}: {self.path}" if self.path else at


class Complaints:
    """Collects, while an SSP is read, all there is to say about it.

    Problems always stop it. What is not supported does, unless it is to be warned of only. Notes
    never do; equal ones are listed together.
    """

    def __init__(self, unsupported: Unsupported = "error") -> None:
        if unsupported not in ("error", "warn"):
            raise OptionError(f"unsupported must be 'error' or 'warn', not {unsupported!r}")
        self._warn = unsupported == "warn"
        self._problems: dict[Problem, bool] = {}  # and whether a warning would do
        self._notes: dict[str, list[Place]] = {}

    @property
    def is_stuck(self) -> bool:
        """Whether something cannot be as it is, however lenient one is."""
        return not all(self._problems.values())

    @property
    def count(self) -> int:
        """How many problems there are so far."""
        return len(self._problems)

    def problem(self, place: Place, what: str, part: str = "") -> None:
        """Something that cannot be as it is."""
        self._problems.setdefault(_problem(place, what, part), False)

    def unsupported(self, place: Place, what: str, part: str = "") -> None:
        """Something that may be as it is, but not here."""
        if self._warn:
            self.note(place, what)
        else:
            self._problems.setdefault(_problem(place, what, part), True)

    def note(self, place: Place, what: str) -> None:
        """Something worth knowing."""
        self._notes.setdefault(what.rstrip("."), []).append(place)

    def settle(self, system: str) -> None:
        """Raise what stops it, all at once; then report the rest."""
        if self._problems:
            found, lenient = list(self._problems), [p for p, x in self._problems.items() if x]
            hint = f"with {_WAY_OUT} it is left out, with a note"
            hints = f"with {_WAY_OUT} they are left out, with notes"
            if len(found) == 1:
                what = f"{found[0].what.rstrip('.')}; {hint}" if lenient else found[0].what
                raise DrawingError([Problem(found[0].where, what)], system)
            shown = found[:_MOST]
            if len(found) > _MOST:
                shown.append(Problem("", f"and {len(found) - _MOST} more."))
            if len(lenient) == len(found):
                shown.append(Problem("", f"{hints}."))
            elif lenient:
                what = f"{len(lenient)} of these are not supported; {hints}."
                shown.append(Problem("", what))
            raise DrawingError(shown, system)
        for note in self.notes:
            warnings.warn(SspWarning(note), stacklevel=2)

    @property
    def notes(self) -> tuple[str, ...]:
        """What is worth knowing, one sentence each."""
        found = []
        for what, places in self._notes.items():
            more = len(places) - _SHOWN
            listed = ", ".join(_short(p) for p in places[1:_SHOWN])
            rest = f"; also {listed}" if listed else ""
            rest += f" and {more} more" if more > 0 else ""
            found.append(f"{places[0]}: {what}{rest}")
        return tuple(found)


def _problem(place: Place, what: str, part: str) -> Problem:
    end = "" if what.endswith(("?", ".")) else "."
    return Problem(part or place.path or place.file, f"{place}: {what}{end}")


def _short(place: Place) -> str:
    return f"line {place.line}" if place.line else place.path or place.file
