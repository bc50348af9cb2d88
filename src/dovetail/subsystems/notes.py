"""What models have to say about how they will be run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol, runtime_checkable


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


@runtime_checkable
class SupportsRunRemarks(Protocol):
    """A subsystem with something to say about how it ran."""

    @property
    def remarks(self) -> Sequence[str]:
        """Sentences without their subject, which is the name of the part."""


def remarks_of(parts: Iterable[Any]) -> list[str]:
    """What live parts have to say about how they ran, each line once."""
    said = [
        f"'{part.name}' {remark}"
        for part in parts
        if isinstance(part.subsystem, SupportsRunRemarks)
        for remark in part.subsystem.remarks
    ]
    return list(dict.fromkeys(said))
