"""Jumps of outputs that no part announces: found by their errors, which do not fall."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, sqrt

from ..core.seconds import Seconds
from ..core.window import Window

_SHORTER = 1 / 4  # of the first window that was rejected, before anything is concluded
_ORDINARY = 1 / 16  # of it: shorter ones between two jumps say nothing
_ROW = 5  # jumps without an ordinary window between them: that is noise, or an output that chatters


@dataclass(frozen=True, slots=True)
class Suspicion:
    """A window that was rejected: where it ends, its size and its error, 1 at the tolerance."""

    until: float
    size: float
    error: float

    def is_located(self, size: float, error: float) -> bool:
        """Whether this error is that of a jump, and the window short enough for it.

        An error that falls with the size at all falls at least like it; that of a jump stays. What
        jumps by `error` and is off for `size` at the most has the same effect on what follows as
        an error of 1, the tolerance, that lasts for the window that was to be made.
        """
        stays = size <= _SHORTER * self.size and error > self.error * sqrt(size / self.size)
        return stays and error * size <= self.size


@dataclass(frozen=True, slots=True)
class UnannouncedJumps:
    """What is known of jumps: how many were passed, the least window and where, and the next."""

    count: int = 0
    least: float = inf
    when: float = 0.0
    row: int = 0  # passed without an ordinary window between them
    suspicion: Suspicion | None = None

    def rejected(self, window: Window, error: float) -> UnannouncedJumps:
        """After a window with this error; the first one of a place is remembered."""
        if self.suspicion is not None and window.start < self.suspicion.until:
            return self
        return replace(self, suspicion=Suspicion(window.stop, window.size, error))

    def located(self, window: Window, error: float) -> float | None:
        """The size that windows had before, if this one may stand because of a jump."""
        found = self.suspicion
        if found is None or self.row >= _ROW or not found.is_located(window.size, error):
            return None
        return found.size

    def passed(self, window: Window) -> UnannouncedJumps:
        """After a window that stands because of a jump."""
        least, when = min((self.least, self.when), (window.size, window.start))
        return UnannouncedJumps(self.count + 1, least, when, self.row + 1)

    def calm(self, window: Window) -> UnannouncedJumps:
        """After a window within the tolerance; on the way to a jump, one of some length."""
        found = self.suspicion
        if found is not None and window.stop < found.until:
            ordinary = window.size >= _ORDINARY * found.size
            return replace(self, row=0) if self.row and ordinary else self
        if not self.row and found is None:
            return self
        return replace(self, row=0, suspicion=None)

    def remarks(self, clock: Seconds) -> tuple[str, ...]:
        """How many were passed, if any."""
        if not self.count:
            return ()
        times = "once" if self.count == 1 else f"{self.count} times"
        return (
            f"Outputs jumped {times} without an event, and windows of down to "
            f"{clock.lasting(self.least)}, at {clock.at(self.when)}, passed over that: a zero "
            "crossing, or jumps= of a source, costs less.",
        )
