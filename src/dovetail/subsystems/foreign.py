"""Models that bring compiled code of others: it may crash, or want a process to itself."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

OF = "of"  # among findings, where they travel: the folder of the code that they are about


@runtime_checkable
class SupportsForeignCode(Protocol):
    """A model that may run compiled code of others."""

    def runs_foreign_code(self) -> bool:
        """Whether it does."""

    def against_sharing(self) -> str:
        """Why its part cannot live in a process beside others, as what follows its name."""

    def against_company(self) -> str:
        """Why two of its parts cannot live in one process; empty if they can."""

    def folders(self) -> tuple[Path, ...]:
        """Folders and files that this code is made from and reads."""

    def echo_messages(self, to: int) -> None:
        """From now on such code's log messages go to this file descriptor as well, at once."""


def runs_foreign_code(model: Any) -> bool:
    """Whether a part made from a model may crash its process."""
    return isinstance(model, SupportsForeignCode) and model.runs_foreign_code()


@runtime_checkable
class SupportsDoubt(Protocol):
    """A model that takes note of parts of it that did not roll back, though they say so."""

    def doubt_rollback(self, found: str) -> None:
        """One did not: `found` says in which way. Later parts count as ones that cannot."""


@runtime_checkable
class SupportsFindings(Protocol):
    """A model that takes note of what parts of it, or inside it, found out in another process."""

    def take_findings(self, found: Mapping[str, Any]) -> None:
        """From now on this is known, by what it is about."""


def take_findings(model: Any, found: Mapping[str, Any]) -> None:
    """Tell a model, if it wants to know."""
    if found and isinstance(found, Mapping) and isinstance(model, SupportsFindings):
        model.take_findings(found)
