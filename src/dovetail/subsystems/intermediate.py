"""What parts report of the inside of a window, on a time axis of their own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from ..core.signals import Vector


@dataclass(frozen=True, slots=True, eq=False)
class IntermediateReport:
    """Values at times inside windows that were kept: one line of `rows` each, its time first."""

    names: tuple[str, ...]
    units: Mapping[str, str]
    rows: Vector

    def facts(self, part: str) -> dict[str, Any]:
        """As JSON values, with the names as seen from outside the part."""
        columns = self.rows.T.tolist()
        return {
            "time": columns[0],
            "values": {f"{part}.{n}": c for n, c in zip(self.names, columns[1:], strict=True)},
            "units": {f"{part}.{n}": unit for n, unit in self.units.items()},
        }


@runtime_checkable
class SupportsLogMessages(Protocol):
    """A subsystem that has log messages to show at the end of a run."""

    @property
    def log_messages(self) -> Sequence[tuple[str, str]]:
        """Each with the name of the inner part it is from, empty for its own."""


@runtime_checkable
class SupportsReports(Protocol):
    """A subsystem that keeps values from inside its windows."""

    @property
    def reports(self) -> Mapping[str, IntermediateReport]:
        """By the name of the inner part, empty for its own."""


def log_messages_of(parts: Iterable[Any]) -> list[tuple[str, str]]:
    """What live parts have to say at the end, each with its name; also inside nested systems."""
    return [
        (f"{part.name}.{inner}" if inner else part.name, line)
        for part in parts
        if isinstance(part.subsystem, SupportsLogMessages)
        for inner, line in part.subsystem.log_messages
    ]


def gathered(parts: Iterable[Any]) -> dict[str, IntermediateReport]:
    """The reports of live parts by name, also of those inside nested systems."""
    found = {}
    for part in parts:
        if not isinstance(part.subsystem, SupportsReports):
            continue
        for inner, report in part.subsystem.reports.items():
            found[f"{part.name}.{inner}" if inner else part.name] = report
    return found
