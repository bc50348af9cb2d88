"""The commands that change how a drawing looks, and nothing else."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ..drawing.looks import COLOURS
from .board import Board, Command, Coordinate, Point, Text, known

_Parts = Annotated[list[Text], Field(min_length=1, max_length=5000)]
_Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Colour = Literal["red", "orange", "yellow", "green", "blue", "purple", "grey"]
assert Colour.__args__ == COLOURS  # type: ignore[attr-defined]


class TurnBlocks(Command):
    """Blocks turned by quarters, counterclockwise."""

    do: Literal["turn"]
    parts: _Parts
    quarters: Annotated[int, Field(ge=-3, le=3)] = 1

    def apply(self, board: Board) -> None:
        """They need a place for it: all get the one that they are shown at."""
        board.place({})
        for name in self.parts:
            board.system.looks.turn(name, 90.0 * self.quarters)


class MirrorBlocks(Command):
    """Blocks mirrored: left to right, or upside down."""

    do: Literal["mirror"]
    parts: _Parts
    across: Literal["x", "y"] = "x"

    def apply(self, board: Board) -> None:
        """Their pins change sides."""
        board.place({})
        for name in self.parts:
            board.system.looks.mirror(name, self.across)


class PaintBlocks(Command):
    """Blocks in a colour; None takes it away."""

    do: Literal["paint"]
    parts: _Parts
    colour: Colour | None = None

    def apply(self, board: Board) -> None:
        """Paint them."""
        for name in self.parts:
            board.system.looks.colour(name, self.colour)


class PutPin(Command):
    """A pin at another place of its block, as it is seen; None puts it where it was by itself."""

    do: Literal["pin"]
    name: Text
    at: tuple[_Share, _Share] | None = None

    def apply(self, board: Board) -> None:
        """Shares of width and height, from the upper left corner."""
        part = known(board.system, self.name.partition(".")[0]).name
        at = self.at
        if at is not None:
            from .pins import straightened

            at = straightened(board.system.sketch.boxes.get(part), at)
        board.system.looks.pin(self.name, at)


class BendWire(Command):
    """The corners of a wire, by the input that it ends at; none make it find its way by itself."""

    do: Literal["bend"]
    wire: Text
    points: Annotated[list[Point], Field(max_length=200)] = Field(default_factory=list)

    def apply(self, board: Board) -> None:
        """All blocks keep the places that they are shown at: the corners were drawn for these."""
        if self.points:
            board.place({})
        scale = board.scale
        board.system.looks.bend(self.wire, [(x / scale, y / scale) for x, y in self.points])


class WriteNote(Command):
    """A note on the paper, in a frame if it has a colour; or another text for one."""

    do: Literal["note"]
    text: Annotated[str, Field(max_length=10_000)] = ""
    at: tuple[Coordinate, Coordinate, Coordinate, Coordinate]
    colour: Colour | None = None
    number: int | None = None

    def apply(self, board: Board) -> None:
        """Corner and size."""
        x, y, wide, high = (v / board.scale for v in self.at)
        board.place({})  # a note is about what is beside it
        board.system.looks.note(
            self.text, (x, y, wide, high), colour=self.colour, number=self.number
        )
