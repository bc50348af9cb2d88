"""One way to run a system, and why: an algorithm and windows."""

from __future__ import annotations

from dataclasses import dataclass

from ..algorithms import Algorithm
from ..controllers import Controller
from ..core.brief import brief


@dataclass(frozen=True, slots=True)
class Recommendation:
    """An algorithm and a controller for a system, and why.

    The controller is None where only the length of the run would give a size, and is not known: a
    run then takes five hundred windows.
    """

    algorithm: Algorithm
    controller: Controller | None
    why: str

    @property
    def windows(self) -> str:
        """The controller as text."""
        return "500 windows" if self.controller is None else brief(self.controller)

    def __str__(self) -> str:
        return f"{brief(self.algorithm)} with {self.windows}, because {self.why}"
