"""Models that may be compiled before a run."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable


@runtime_checkable
class SupportsCompiling(Protocol):
    """A model whose functions may be compiled."""

    @property
    def is_compiled(self) -> bool:
        """Whether they will be anyway."""

    def compiled(self) -> Any:
        """The same model, compiled; ModelError with the reason where it cannot be."""
