"""What is wrong with a description: what stops a run, and what is accepted."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..core.errors import FileError

_SHOWN = 3  # examples of each leniency
_MOST = 1000  # problems listed at once


@dataclass(frozen=True, slots=True)
class Case:
    """Where something was found: of what, and in which line."""

    name: str
    line: int = 0

    def __str__(self) -> str:
        line = f"line {self.line}" if self.line else ""
        return f"{self.name} ({line})" if self.name and line else self.name or line


@dataclass(frozen=True, slots=True)
class Leniency:
    """Something that was read in spite of doubts, and where. Mostly the standard forbids it."""

    what: str
    cases: tuple[Case, ...] = ()
    forbidden: bool = True

    def __str__(self) -> str:
        named = ", ".join(str(case) for case in self.cases[:_SHOWN] if str(case))
        more = len(self.cases) - _SHOWN
        return (f"{self.what}: {named}" if named else self.what) + (
            f" and {more} more" if more > 0 else ""
        )


class ProblemReport:
    """Collects, while a description is read, all that is wrong with it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._problems: list[tuple[int, str]] = []
        self._leniencies: dict[tuple[str, bool], list[Case]] = {}

    def problem(self, what: str, line: int = 0) -> None:
        """Something that stops a run."""
        self._problems.append((line, what))

    def lenient(self, what: str, name: str = "", line: int = 0, *, forbidden: bool = True) -> None:
        """Something that is accepted, mostly against the standard."""
        self._leniencies.setdefault((what, forbidden), []).append(Case(name, line))

    @property
    def leniencies(self) -> tuple[Leniency, ...]:
        """All that was accepted so far."""
        return tuple(
            Leniency(what, tuple(sorted(cases, key=lambda case: case.line)), forbidden)
            for (what, forbidden), cases in self._leniencies.items()
        )

    def finish(self) -> None:
        """Raise if anything stops a run, and list all of it."""
        if not self._problems:
            return
        lines = [f"line {line}: {what}" if line else what for line, what in sorted(self._problems)]
        if len(lines) == 1:
            raise FileError(self.path, lines[0], _REMEDY)
        listed = "".join(f"\n  - {one}" for one in lines[:_MOST])
        more = f"\n  - and {len(lines) - _MOST} more" if len(lines) > _MOST else ""
        what = f"{len(lines)} problems stop this FMU from being used; {_REMEDY}:{listed}{more}"
        raise FileError(self.path, what)


_REMEDY = "ask its supplier for a corrected export"
