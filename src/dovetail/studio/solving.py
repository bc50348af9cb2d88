"""The command that says how a junction is solved."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any, Literal

from ..core.errors import DrawingError, Problem
from ..formats.choices import from_text
from ..formats.families import COORDINATORS
from .board import Board, Command, Text
from .wiring import unjoin

TITLES = {"sliding_mode": "Sliding mode", "iterated_junction": "Iteration"}


class Coordinate(Command):
    """A coordinator for a junction, by its name in files; with none the run chooses."""

    do: Literal["coordinate"]
    junction: Text
    coordinator: Text | None = None

    def apply(self, board: Board) -> None:
        """The same ports, solved in this way."""
        system = board.system
        found = next((j for j in system.junctions if j.name == self.junction), None)
        if found is None:
            what = f"there is no junction {self.junction}."
            raise DrawingError([Problem(self.junction, what)], system.name)
        made: Any = None if not self.coordinator else from_text(COORDINATORS, self.coordinator)
        unjoin(system, self.junction)
        ports = [str(end) for end in found.ends]
        kind, level = found.asked
        system.join(*ports, kind=kind, level=level, coordinator=made)


def coordinators() -> list[dict[str, str]]:
    """All that need nothing else to be said, for the library."""
    return [
        {"model": name, "name": TITLES.get(name, name), "note": _first(cls.__doc__ or "")}
        for name, cls in COORDINATORS.classes.items()
        if not any(f.default is MISSING and f.default_factory is MISSING for f in fields(cls))
    ]


def _first(text: str) -> str:
    return text.strip().partition("\n")[0]
