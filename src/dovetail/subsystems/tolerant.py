"""Models that are solved to a tolerance of their own."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable


@runtime_checkable
class SupportsTolerance(Protocol):
    """A model with a relative tolerance for the solver inside."""

    @property
    def rtol(self) -> float | None:
        """How tight it is; None if that is left open."""


def rtol_of(model: Any) -> float | None:
    """The relative tolerance of a model; None if it has none, or leaves it open."""
    return model.rtol if isinstance(model, SupportsTolerance) else None
