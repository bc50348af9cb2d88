"""The command that draws the wires of a table."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .board import Board, Command


class DrawLinks(Command):
    """All wires of a CSV: beside those that are there, or `instead` of them."""

    do: Literal["links"]
    text: Annotated[str, Field(max_length=2**23)]
    instead: bool = False

    def apply(self, board: Board) -> None:
        """All rows or none."""
        board.system.link(self.text, instead=self.instead)
