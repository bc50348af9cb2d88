"""Parts that begin anew without being made anew."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

from ..core.values import Values


class Restart(Protocol):
    """A part that was run, and takes other values for another run."""

    def initialize(self, start: float, values: Values) -> None:
        """Back to where it was made, with these values, and into initialization."""

    def begin(self) -> None:
        """Leave initialization; PartFailed where a value was not taken."""


@runtime_checkable
class SupportsRestart(Protocol):
    """A model whose parts may be able to begin anew."""

    @property
    def against_restart(self) -> str:
        """Why they cannot; empty if they may be asked to."""

    def restart_of(self, part: Any, given: Sequence[str]) -> Restart:
        """For runs in each of which these variables are given values."""

    def doubt_restart(self, found: str) -> None:
        """They do not begin as new ones do: from now on they are not asked to."""
