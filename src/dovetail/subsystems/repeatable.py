"""Models that may not live twice."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable


@runtime_checkable
class SupportsRepeating(Protocol):
    """A model that knows whether a second instance may run beside the first."""

    @property
    def against_repeating(self) -> str:
        """Why it may not, as what follows its name in a sentence; empty if it may."""


def reason_of(model: Any) -> str:
    """Why a model may not live twice; empty if it may, or does not say."""
    return model.against_repeating if isinstance(model, SupportsRepeating) else ""
