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
    """Parts, and wires by the inputs that they end at."""

    do: Literal["remove"]
    parts: list[Text] = Field(default_factory=list)
    wires: list[Text] = Field(default_factory=list)
    junctions: list[Text] = Field(default_factory=list)

    def apply(self, board: Board) -> None:
        """Wires first: those of a part go with it."""
        for target in self.wires:
            board.system.disconnect(target)
        for name in self.junctions:
            unjoin(board.system, name)
        for name in self.parts:
            board.system.remove(name)


class Rename(Command):
    """Another name for a part."""

    do: Literal["rename"]
    part: Text
    to: Text

    def apply(self, board: Board) -> None:
        """All that is drawn stays."""
        board.system.rename(self.part, self.to)


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
    """Parts to other places."""

    do: Literal["move"]
    places: dict[str, Point]

    def apply(self, board: Board) -> None:
        """Put them there."""
        spots = board.spots()
        for name in self.places:
            known(board.system, name)
        board.place(
            {n: replace(spots[n], x=x, y=y) for n, (x, y) in self.places.items() if n in spots}
        )


class Arrange(Command):
    """All parts as the automatic layout has them."""

    do: Literal["arrange"]

    def apply(self, board: Board) -> None:
        """Forget the places of the file, and take those of a layout."""
        board.system.sketch = replace(board.system.sketch, boxes={}, lines={})
        board.place({})


class Replace(Command):
    """Another model in a part's place."""

    do: Literal["replace"]
    part: Text
    model: Text
    options: dict[str, Any] = Field(default_factory=dict)

    def apply(self, board: Board) -> None:
        """Its values and connections stay."""
        board.system.replace(self.part, board.library.model(self.model, self.options))


class Copy(Command):
    """Parts once more, with their values and the wires between them."""

    do: Literal["copy"]
    parts: Annotated[list[Text], Field(min_length=1, max_length=1000)]
    by: Point = (40.0, 40.0)

    def apply(self, board: Board) -> None:
        """New names count up."""
        system, spots = board.system, board.spots()
        names = {old: _free_name(system, old, self.parts) for old in self.parts}
        wires = [c for c in system.connections if not c.junction]
        for old, new in names.items():
            part = known(system, old)
            system.add(new, part.model, dict(part.values))
        for c in wires:
            if c.source.part in names and c.target.part in names:
                system.connect(
                    f"{names[c.source.part]}.{c.source.variable.name}",
                    f"{names[c.target.part]}.{c.target.variable.name}",
                    gain=c.gain, offset=c.offset, convert=c.convert, table=dict(c.table) or None,
                )  # fmt: skip
        dx, dy = self.by
        board.place(
            {**spots, **{
                new: replace(spots[old], x=spots[old].x + dx, y=spots[old].y + dy)
                for old, new in names.items()
            }}
        )  # fmt: skip


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
    | Settings | Title | PlotWhat | Coordinate,
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


def _free_name(system: System, old: str, taken: list[str]) -> str:
    stem = old.rstrip("0123456789").rstrip() or old
    count = 2
    while f"{stem}{count}" in system.parts or f"{stem}{count}" in taken:
        count += 1
    return f"{stem}{count}"
