"""Models that bring compiled code of others: it may crash, or want a process to itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol, runtime_checkable


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
