"""What models have to say about how they will be run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable


@runtime_checkable
class SupportsNotes(Protocol):
    """A model with something to say before a run, such as that a part will be stepped finely."""

    @property
    def notes(self) -> Sequence[str]:
        """Sentences without their subject, which is the name of the part."""


@runtime_checkable
class SupportsSpanNotes(Protocol):
    """A model that knows only a span of time, such as measured data."""

    def span_notes(self, start: float, stop: float) -> Sequence[tuple[str, bool]]:
        """Sentences without their subject, each with whether a run over that span can be made."""
