"""Parts of a host that native code steps: what both sides agree on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from ..core.window import Window


@dataclass(frozen=True, slots=True)
class ServedMember:
    """One of them, by its number in the host: its signals, and whether it may have to roll back."""

    number: int
    n_in: int
    n_out: int
    rollback: bool


@dataclass(frozen=True, slots=True)
class NativeFault:
    """A call of a member that failed in native code: which one, how, and over which window."""

    stage: int
    status: int
    reached: float
    window: Window
    refused: int = 0
    refused_until: float = 0.0


class Served(Protocol):
    """Members of one host, as they are served there."""

    @property
    def highest(self) -> Sequence[int]:
        """The highest order of input derivatives that each takes."""

    def wait(self) -> bool:
        """Answer through shared memory until something else is asked; whether that can be read."""

    def failure(self, place: int, fault: NativeFault) -> Exception:
        """The error for a call of a member that failed; its part takes note of it."""

    def recovered(self, place: int) -> None:
        """A member was brought back to before its error."""

    def close(self) -> None:
        """Serve no longer."""


@runtime_checkable
class SupportsServing(Protocol):
    """What makes batches, and can step members of them in another process."""

    def serve(
        self,
        parts: Sequence[Any],
        members: Sequence[ServedMember],
        block: int,
        files: Sequence[int],
    ) -> Served:
        """Serve these parts through a block of shared memory, by its address.

        `files`: what it is woken by, what it wakes the master with, and where all else is asked.
        """
