"""The steps that a model asks for, and the run that it is made for."""

from __future__ import annotations

from typing import Protocol, runtime_checkable


@runtime_checkable
class SupportsPreferredStep(Protocol):
    """A model that may say which windows suit it."""

    @property
    def preferred_step(self) -> float | None:
        """Their size in s; None where it does not say."""


@runtime_checkable
class SupportsUsualSpan(Protocol):
    """A model that may say how long it is usually run."""

    @property
    def usual_span(self) -> float | None:
        """That span in s; None where it does not say."""
