"""What a command is, and what it works on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from ..core.errors import DrawingError, Problem
from ..diagrams.charting import chart_of
from ..drawing.system import System
from .library import FolderLibrary
from .paper import Spot, moved, spots_of

Text = Annotated[str, Field(max_length=1000)]
Coordinate = Annotated[float, Field(ge=-1e6, le=1e6, allow_inf_nan=False)]
Point = tuple[Coordinate, Coordinate]
Number = Annotated[float, Field(allow_inf_nan=False)]


@dataclass(frozen=True, slots=True)
class Board:
    """What a command works on: the copy, and where models come from."""

    system: System
    library: FolderLibrary
    scale: float
    levels: Callable[[list[str]], tuple[System, float]] | None = None  # groups, and their scales

    def at(self, path: list[str]) -> Board:
        """Another group of the same drawing, to look at."""
        assert self.levels is not None
        system, scale = self.levels(path)
        return Board(system, self.library, scale)

    def spots(self) -> dict[str, Spot]:
        """Where everything is now."""
        return spots_of(chart_of(self.system, free_ports=True), self.system.sketch, self.scale)

    def place(self, spots: dict[str, Spot]) -> None:
        """Put blocks somewhere; all others get the places that they are shown at."""
        self.system.sketch = moved(self.system, {**self.spots(), **spots}, self.scale)


class Command(BaseModel):
    """One change of a drawing."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    do: str

    def apply(self, board: Board) -> None:
        """Do it, or raise what stands against it."""
        raise NotImplementedError


def known(system: System, name: str) -> Any:
    """A part, or DrawingError."""
    if name not in system.parts:
        raise DrawingError([Problem(name, f"there is no part '{name}'.")], system.name)
    return system.parts[name]
