"""Deciding how a window is tried, whether it stands, and how long the next one is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol

from ..leg import Leg
from ..window import Window

Branch = tuple[Window, ...]


@dataclass(frozen=True, slots=True)
class Accept:
    """Keep the last branch; the next window has this size, or None to go on along the grid.

    `state` is the controller's own memory; it comes back with the next window.
    """

    next_size: float | None = None
    state: Any = None


@dataclass(frozen=True, slots=True)
class Retry:
    """Drop every branch; try a window of this size."""

    size: float
    because: Literal["convergence", "error"]


@dataclass(frozen=True, slots=True)
class GiveUp:
    """Drop every branch and stop."""

    reason: str


Decision = Accept | Retry | GiveUp


class Controller(Protocol):
    """Plans and judges windows; touches no subsystem.

    The last branch is the one that is kept; those before it are run to compare with, each from
    the same start. A leg that fails ends the plan: the judge then sees the legs so far.
    """

    rejects: ClassVar[bool]  # whether it may say Retry after subsystems have moved

    @property
    def first_size(self) -> float:
        """Size of the first window."""

    def plan(self, window: Window, state: Any) -> tuple[Branch, ...]:
        """The ways this window is to be run."""

    def judge(self, window: Window, branches: Sequence[Sequence[Leg]], state: Any) -> Decision:
        """Accept, retry or give up."""
