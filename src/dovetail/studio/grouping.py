"""The commands that make groups of parts, and take them apart."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .board import Board, Command, Text


class GroupParts(Command):
    """Parts become a nested system in their place, with all their wires."""

    do: Literal["group"]
    parts: Annotated[list[Text], Field(min_length=1, max_length=5000)]
    name: Text

    def apply(self, board: Board) -> None:
        """One step of undo."""
        board.system.group(self.parts, self.name)


class UngroupPart(Command):
    """A nested or merged system is taken apart: its parts, with their wires, in its place."""

    do: Literal["ungroup"]
    part: Text

    def apply(self, board: Board) -> None:
        """Names that are taken count up."""
        board.system.ungroup(self.part)
