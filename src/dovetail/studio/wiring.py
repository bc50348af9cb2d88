"""The commands that connect: wires, wires by name, junctions of power ports."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from ..core.errors import DrawingError, Problem
from ..drawing.system import System
from .board import Board, Command, Number, Text, known
from .table import pairs_of


class Connect(Command):
    """A wire, or a new one in the place of what feeds the input."""

    do: Literal["connect"]
    source: Text
    target: Text
    gain: Number = 1.0
    offset: Number = 0.0
    convert: bool = True
    table: list[tuple[bool | int | str, bool | int | str]] = Field(default_factory=list)
    instead: bool = False

    def apply(self, board: Board) -> None:
        """Draw it."""
        if self.instead:
            board.system.disconnect(self.target)
        ways: dict[str, Any] = {"gain": self.gain, "offset": self.offset, "convert": self.convert}
        board.system.connect(self.source, self.target, **ways, table=dict(self.table) or None)


class Match(Command):
    """A wire to each open input from the one output of its name; of all parts, or of some."""

    do: Literal["match"]
    parts: list[Text] = Field(default_factory=list)

    def apply(self, board: Board) -> None:
        """Draw them all; an input that several outputs would suit stays open."""
        for name in self.parts:
            known(board.system, name)
        pairs = pairs_of(board.system, self.parts)
        if not pairs:
            what = "no open input has exactly one output of its name in another part that fits it."
            raise DrawingError([Problem("", what)], board.system.name)
        for source, target in pairs:
            board.system.connect(source, target)


class Join(Command):
    """Power ports that meet; where one of them is in a junction, the others come to it."""

    do: Literal["join"]
    ports: Annotated[list[Text], Field(min_length=2, max_length=100)]
    kind: Literal["effort", "flow"] | None = None

    def apply(self, board: Board) -> None:
        """One junction of all."""
        system, met = board.system, list(self.ports)
        coordinator = level = place = None
        for junction in system.junctions:
            ends = [str(e) for e in junction.ends]
            if set(ends) & set(self.ports):
                met += [e for e in ends if e not in met]
                coordinator = coordinator or junction.coordinator
                place = place or system.sketch.joints.get(ends[0])
                unjoin(system, junction.name)
        system.join(*met, kind=self.kind, level=level, coordinator=coordinator)
        if place is not None:
            system.looks.junction(met[0], (place[0], -place[1]))


def unjoin(system: System, name: str) -> None:
    """Take a junction apart."""
    junction = next((j for j in system.junctions if j.name == name), None)
    if junction is None:
        raise DrawingError([Problem(name, f"there is no junction {name}.")], system.name)
    for end in junction.ends[1:]:
        if any(str(end) in map(str, j.ends) for j in system.junctions):
            system.disconnect(str(end))
