"""Members that Python has, and lends to native windows as long as nothing happens in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...core.signals import Vector
from ...subsystems.live import Live
from .eventful import EventfulMembers, Readiness
from .solved import SolvedMembers


class LentMembers:
    """Those whose equations are solved here, and those with events; by their places."""

    def __init__(self, members: Any, lives: Sequence[Live], outputs: Sequence[slice]) -> None:
        given = members, lives, outputs
        self.solved, self.eventful = SolvedMembers(*given), EventfulMembers(*given)
        self.places = frozenset(self.solved.by_place) | frozenset(self.eventful.by_place)

    def lend(self, *, moving: bool, start: float, size: float) -> Readiness:
        """Let native windows have them; as soon as one cannot be had, none is."""
        for member in self.eventful.by_place.values():
            if (readiness := member.lend(moving=moving, start=start, size=size)) != "ready":
                return readiness
        return self.solved.lend(moving=moving)

    def take_back(self, windows: int, outputs: Vector, ending: str | None) -> None:
        """Have them again, behind so many windows.

        `ending`: who asks to end the simulation there.
        """
        for member in self.eventful.by_place.values():
            member.take_back(windows, outputs, ending)
        self.solved.take_back(windows, outputs)
