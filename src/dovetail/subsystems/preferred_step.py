"""The steps that a model asks for."""

from __future__ import annotations

from typing import Protocol, runtime_checkable


@runtime_checkable
class SupportsPreferredStep(Protocol):
    """A model that may say which windows suit it."""

    @property
    def preferred_step(self) -> float | None:
        """Their size in s; None where it does not say."""
