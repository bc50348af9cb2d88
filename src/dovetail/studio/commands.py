"""What may be done to a drawing. The page, a test or an agent all say it in these words.

A command is applied to a copy of the drawing, which is adopted if nothing stood against it.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

from ..core.description import Kind
from ..core.errors import DrawingError, Problem
from ..drawing.given_values import variable_of
from ..drawing.part import name_fits
from ..drawing.system import System
from ..formats.opening import run_settings
from .board import Board, Command, Point, Text, known
from .copying import Copy
from .grouping import GroupParts, UngroupPart
from .levels import can_be_entered
from .linking import DrawLinks
from .looking import BendWire, MirrorBlocks, PaintBlocks, PutPin, TurnBlocks, WriteNote
from .paper import JUNCTION
from .pins import mirrored
from .plotting import PlotWhat
from .solving import Coordinate
from .wiring import Connect, Join, Match, unjoin


class Add(Command):
    """A part with a model of the folder."""

    do: Literal["add"]
    name: Text
    model: Text
    options: dict[str, Any] = Field(default_factory=dict)
    values: dict[str, Any] = Field(default_factory=dict)
    at: Point | None = None

    def apply(self, board: Board) -> None:
        """Load the model and add it."""
        before = board.spots() if self.at is not None else {}
        board.system.add(self.name, board.library.model(self.model, self.options), self.values)
        if self.at is not None:
            spot = board.spots()[self.name]
            board.place({**before, self.name: replace(spot, x=self.at[0], y=self.at[1])})


class Remove(Command):
    """Parts, wires by the inputs that they end at, junctions, and notes by their numbers."""

    do: Literal["remove"]
    parts: list[Text] = Field(default_factory=list)
    wires: list[Text] = Field(default_factory=list)
    junctions: list[Text] = Field(default_factory=list)
    notes: list[int] = Field(default_factory=list)

    def apply(self, board: Board) -> None:
        """Wires first: those of a part go with it."""
        for target in self.wires:
            board.system.disconnect(target)
        for name in self.junctions:
            unjoin(board.system, name)
        for name in self.parts:
            board.system.remove(name)
        board.system.looks.without_notes(self.notes)


class Rename(Command):
    """Another name for a part."""

    do: Literal["rename"]
    part: Text
    to: Text

    def apply(self, board: Board) -> None:
        """All that is drawn stays; the system in a group goes by the name of the group."""
        part = known(board.system, self.part)
        board.system.rename(self.part, self.to)
        if can_be_entered(part) and part.model.system.name == self.part:
            with board.system.inside(self.to) as inner:
                inner.name = self.to


class Give(Command):
    """A parameter, start value or input; None takes it away again."""

    do: Literal["set"]
    name: Text
    value: Any = None
    force: bool = False

    def apply(self, board: Board) -> None:
        """Give it; a number may come as text, as it was typed."""
        value = _typed(board.system, self.name, self.value)
        board.system.set(self.name, value, force=self.force)


class Move(Command):
    """Parts and junctions to other places: their upper left corners."""

    do: Literal["move"]
    places: dict[str, Point]

    def apply(self, board: Board) -> None:
        """Put them there."""
        spots = board.spots()
        joints = {j.name: j for j in board.system.junctions}
        for name in self.places:
            if name not in joints:
                known(board.system, name)
        board.place(
            {n: replace(spots[n], x=x, y=y) for n, (x, y) in self.places.items() if n in spots}
        )
        for name in joints.keys() & self.places.keys():
            x, y = ((v + JUNCTION / 2) / board.scale for v in self.places[name])
            board.system.looks.junction(str(joints[name].ends[0]), (x, y))


class Arrange(Command):
    """All parts as the automatic layout has them."""

    do: Literal["arrange"]

    def apply(self, board: Board) -> None:
        """Forget the places of the file, and take those of a layout."""
        before = board.system.sketch.boxes
        board.system.sketch = replace(board.system.sketch, boxes={}, lines={}, joints={})
        board.place({})
        for name, box in before.items():
            if name in board.system.parts and box.rotation:
                board.system.looks.turn(name, box.rotation)
            for across in mirrored(box) if name in board.system.parts else "":
                board.system.looks.mirror(name, across)


class Replace(Command):
    """Another model in a part's place."""

    do: Literal["replace"]
    part: Text
    model: Text
    options: dict[str, Any] = Field(default_factory=dict)

    def apply(self, board: Board) -> None:
        """Its values and connections stay."""
        board.system.replace(self.part, board.library.model(self.model, self.options))


class Settings(Command):
    """How it is meant to be run: all of it, as `run:` in a YAML file."""

    do: Literal["settings"]
    run: dict[str, Any]

    def apply(self, board: Board) -> None:
        """Take these and no others."""
        board.system.run_settings = run_settings(self.run)


class Title(Command):
    """The name of the system."""

    do: Literal["title"]
    name: Text

    def apply(self, board: Board) -> None:
        """Give it another one."""
        if not name_fits(self.name.replace(".", "")):
            raise DrawingError([Problem("", "a system needs a name without outer blanks.")])
        board.system.name = self.name


AnyCommand = Annotated[
    Add | Remove | Rename | Connect | Match | Join | Give | Move | Arrange | Replace | Copy
    | Settings | Title | GroupParts | UngroupPart | TurnBlocks | MirrorBlocks | PaintBlocks
    | PutPin | BendWire | WriteNote | DrawLinks | PlotWhat | Coordinate,
    Field(discriminator="do"),
]  # fmt: skip
COMMANDS: TypeAdapter[Command] = TypeAdapter(AnyCommand)


def _typed(system: System, name: str, value: Any) -> Any:
    """A text that was typed for a number, a truth or an array, as that."""
    if not isinstance(value, str) or variable_of(system, name).kind in (Kind.STRING, Kind.BINARY):
        return value
    with suppress(ValueError, RecursionError):
        return json.loads(value.strip().lower() if value.strip().isalpha() else value)
    return value
