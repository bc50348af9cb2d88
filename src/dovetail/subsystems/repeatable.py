"""Models that may not live twice."""

from __future__ import annotations

from typing import Protocol, runtime_checkable


@runtime_checkable
class SupportsRepeating(Protocol):
    """A model that knows whether a second instance may run beside the first."""

    @property
    def against_repeating(self) -> str:
        """Why it may not, as what follows its name in a sentence; empty if it may."""
