"""What a controller that knows its system has from the one that the user made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from ..window import Window
from .base import Branch, Controller, chooses, varies

Options = TypeVar("Options", bound=Controller)


@dataclass(frozen=True, slots=True, eq=False)
class Bound(Generic[Options]):
    """A controller for one system. It plans as it did before, and judges with what it knows."""

    options: Options

    @property
    def rejects(self) -> bool:
        """Whether it may say Retry after subsystems have moved, or plans several branches."""
        return self.options.rejects

    @property
    def varies(self) -> bool:
        """Whether parts must take windows of different sizes."""
        return varies(self.options)

    @property
    def chooses(self) -> bool:
        """Whether it chooses sizes as the run goes."""
        return chooses(self.options)

    @property
    def first_size(self) -> float:
        """Size of the first window."""
        return self.options.first_size

    def plan(self, window: Window, state: Any) -> tuple[Branch, ...]:
        """The ways this window is to be run."""
        return self.options.plan(window, state)
