"""The command that says what is plotted; plots are kept with the file."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from ..core.errors import DrawingError, Problem
from ..drawing.sketch import PlotPanel
from .board import Board, Command, Text


class PlottedPanel(BaseModel):
    """Signals of one plot, over time or over another one of them."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    signals: Annotated[list[Text], Field(min_length=1, max_length=100)]
    over: Text = ""


class PlotWhat(Command):
    """What is plotted: all of it, panel by panel."""

    do: Literal["plots"]
    panels: Annotated[list[PlottedPanel], Field(max_length=50)]

    def apply(self, board: Board) -> None:
        """Take these and no others; each signal is one of a part that is drawn."""
        system = board.system
        for panel in self.panels:
            for name in (*panel.signals, *([panel.over] if panel.over else ())):
                if name.partition(".")[0] not in system.parts:
                    what = f"there is no signal '{name}'."
                    raise DrawingError([Problem(name, what)], system.name)
        made = tuple(PlotPanel(tuple(p.signals), p.over) for p in self.panels)
        system.sketch = replace(system.sketch, plots=made)
