"""Where members may be brought back to from outside, and what they are told about it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..calls.instance import Instance


class Marks:
    """The marks of one batch. `instance`: of one of its members, for all are marked together."""

    def __init__(self, members: Iterable[Any], instance: Instance) -> None:
        self._members, self._instance = members, instance
        self._last: float | None = None
        self._keeps_back = False

    def mark(self) -> None:
        """One is set: the next window opens there."""
        self._last = None

    def is_at(self, time: float) -> bool:
        """Whether the last one was set there."""
        return self._last == time

    def open(self, time: float) -> None:
        """A window opens: tell members whether they may have to go back to before it.

        To before the last mark they may if an earlier one is kept.
        """
        if self._last is None:
            self._last = time
        kept = len(self._instance.states)
        self._tell(kept > 0 and (time > self._last or kept > 1))

    def run(self) -> None:
        """Many windows follow."""
        self._tell(bool(self._instance.states))

    def _tell(self, keeps_back: bool) -> None:
        if keeps_back is not self._keeps_back:
            self._keeps_back = keeps_back
            for member in self._members:
                member.no_set_prior = int(not keeps_back)
