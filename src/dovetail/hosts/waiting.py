"""How long somebody waits for an answer, and who is told that it takes long."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from time import monotonic

FIRST, MORE = 1.0, 10.0  # seconds after which it is said, and how much later it is said again
Late = Callable[[float], None]  # told how many seconds it has been
Waited = Callable[[str, str, float], None]  # the same with who is waited for, and where


class Waiting:
    """One wait for an answer. `until`: when it is given up; `late` is told after 1, 10, 100 s."""

    __slots__ = ("_began", "_due", "_late", "_until")

    def __init__(self, until: float | None, late: Late | None = None) -> None:
        self._until, self._late = until, late
        self._began, self._due = monotonic(), FIRST

    @property
    def left(self) -> float | None:
        """Seconds to the next moment at which to look at `is_over`; None: there is none."""
        ends = inf if self._until is None else self._until
        told = inf if self._late is None else self._began + self._due
        least = min(ends, told)
        return None if least == inf else max(least - monotonic(), 0.0)

    def is_over(self) -> bool:
        """Whether it is given up; says that it takes long, where that is due."""
        now = monotonic()
        if self._until is not None and now >= self._until:
            return True
        if self._late is not None and now >= self._began + self._due:
            self._late(self._due)
            self._due *= MORE
        return False
