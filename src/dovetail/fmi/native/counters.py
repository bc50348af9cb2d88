"""What the kernel counted of its members, handed over to the parts."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from ...subsystems.live import Live


class Counters:
    """Evaluations and seconds. `lent`: the places of those that Python steps as well, and times."""

    def __init__(self, members: Any, lives: Sequence[Live], lent: Collection[int]) -> None:
        self._members, self._lives, self._lent = members, lives, lent
        self._counted = [0] * len(lives)

    def hand_over(self) -> None:
        """Bring the parts' own counters up to date."""
        for k, (member, live) in enumerate(zip(self._members, self._lives, strict=True)):
            more = member.evaluations - self._counted[k]
            live.evaluations += more
            self._counted[k] = member.evaluations
            if not member.timed:
                continue
            each = member.timed_seconds / member.timed
            if k in self._lent:
                live.seconds += more * each
            else:
                live.seconds = member.evaluations * each
