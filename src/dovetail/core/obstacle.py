"""Why something is not done in native code."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Obstacle:
    """One reason against native windows: what it is, of which part, and what would remove it.

    `part` is empty where the whole run is meant; otherwise `what` goes on from its name: "has
    events". `change` is the small change that would make it native, empty where there is none.
    """

    what: str
    part: str = ""
    change: str = ""

    def __str__(self) -> str:
        return f"part '{self.part}' {self.what}" if self.part else self.what
