"""A cycle of a model, by the names of its states."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Cycle:
    """States that influence each other in a ring, and the largest step they allow.

    `feasible`: for probes other than Euler's, all steps that keep the gain below alpha.
    """

    states: tuple[str, ...]
    bound: float
    feasible: tuple[tuple[float, float], ...] = ()

    def __str__(self) -> str:
        if len(self.states) == 1:
            return f"{self.states[0]} by itself"
        shown = self.states if len(self.states) <= 8 else (*self.states[:4], "...", self.states[-1])
        more = "" if len(self.states) <= 8 else f" ({len(self.states)} states)"
        return " - ".join((*shown, self.states[0])) + more
