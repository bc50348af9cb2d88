"""Where a live plot is shown, and how it gets to see the rows."""

from __future__ import annotations

from collections.abc import Callable

from ...core.notebook import in_notebook
from ...results.recorders.base import Recorder
from .frame import LiveFrame
from .notebook import NotebookScreen
from .plot import LivePlot, Place
from .recording import LiveRecorder
from .terminal import TerminalScreen, is_terminal
from .view import LiveTitle, Screen
from .window import WindowScreen, has_display, has_toolkit

_NOWHERE = (
    "there is no terminal, no notebook and no display to show a live plot in; the run goes on "
    "without it"
)


class BlankScreen:
    """Shows nothing; what was asked for is checked all the same."""

    takes_terminal = False

    def show(self, frame: LiveFrame) -> None:
        """Nothing."""

    def close(self, frame: LiveFrame | None) -> None:
        """Nothing."""


def screen_for(on: Place) -> Screen | None:
    """The screen that was asked for, or the first that there is."""
    match on:
        case "terminal":
            return TerminalScreen()
        case "notebook":
            return NotebookScreen()
        case "window":
            return WindowScreen()
    if in_notebook():
        return NotebookScreen()
    if is_terminal():
        return TerminalScreen()
    return WindowScreen() if has_display() and has_toolkit() else None


def watching(
    recorder: Recorder, plot: LivePlot, title: LiveTitle, say: Callable[[str], None]
) -> tuple[Recorder, bool]:
    """The recorder with a live plot around it, if it can be shown; whether in the terminal."""
    screen = screen_for(plot.on)
    if screen is None:
        say(_NOWHERE)
        screen = BlankScreen()
    return LiveRecorder(recorder, plot, title, screen), screen.takes_terminal
