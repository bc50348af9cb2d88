"""A live plot in a terminal, drawn with dots of text."""

from __future__ import annotations

import sys
from typing import Any

from ...core.harmless import harmless_line
from .braille import BrailleCanvas
from .frame import LiveFrame, LivePanel

_MARGIN = 11  # characters left of a plot
_TALLEST, _LOWEST = 12, 4


class TerminalScreen:
    """Draws below the text on standard error; the last picture stays there."""

    takes_terminal = True

    def __init__(self, console: Any = None) -> None:
        self._console, self._live = console, None  # type: Any, Any

    def show(self, frame: LiveFrame) -> None:
        """Draw in the place of the last picture."""
        if self._live is None:
            self._open()
        self._live.update(picture(frame, *self._size()), refresh=True)

    def close(self, frame: LiveFrame | None) -> None:
        """Draw for the last time."""
        if frame is not None:
            self.show(frame)
        if self._live is not None:
            self._live.stop()
            self._live = None

    def _open(self) -> None:
        from rich.console import Console
        from rich.live import Live as Display

        if self._console is None:
            self._console = Console(stderr=True)
        self._live = Display(console=self._console, auto_refresh=False)
        self._live.start()

    def _size(self) -> tuple[int, int]:
        size = self._console.size
        return size.width, size.height


def picture(frame: LiveFrame, width: int, height: int) -> Any:
    """The frame as text for rich, no larger than the terminal."""
    from rich.text import Text

    width = max(width - 1, _MARGIN + 10)
    room = (height - 4) // max(1, len(frame.panels)) - 1
    lines = max(_LOWEST, min(_TALLEST, room))
    text = Text(no_wrap=True, end="")
    for panel in frame.panels:
        _panel(text, panel, frame, width - _MARGIN, lines)
    start, stop = frame.span
    ends = f"{start:g}", f"{stop:g} s"
    at = f"{harmless_line(frame.title)}: {frame.clock.at(frame.time)}, {frame.share:.0%}"
    middle = at[: max(0, width - _MARGIN - len(ends[0]) - len(ends[1]) - 2)]
    text.append(" " * _MARGIN + ends[0], style="dim")
    text.append(middle.center(width - _MARGIN - len(ends[0]) - len(ends[1])))
    text.append(ends[1], style="dim")
    return text


def _panel(text: Any, panel: LivePanel, frame: LiveFrame, width: int, lines: int) -> None:
    """A line with the names, then the curves."""
    limits = panel.limits()
    canvas = BrailleCanvas(width, lines)
    text.append(" " * _MARGIN)
    for k, curve in enumerate(panel.curves):
        canvas.draw(*curve.columns(*frame.span, 2 * width), limits, k)
        text.append("━ ", style=curve.colour)
        text.append(f"{harmless_line(curve.name)}  ")
    more = f"and {panel.more} more  " if panel.more else ""
    text.append(f"{more}{f'[{harmless_line(panel.unit)}]' if panel.unit else ''}\n", style="dim")
    drawn = canvas.lines()
    for number, pieces in enumerate(drawn):
        label = {0: limits[1], len(drawn) - 1: limits[0]}.get(number)
        text.append(f"{'' if label is None else f'{label:.4g}':>{_MARGIN - 2}} │", style="dim")
        for piece, owner in pieces:
            text.append(piece, style=panel.curves[owner].colour if owner >= 0 else "")
        text.append("\n")


def is_terminal() -> bool:
    """Whether standard error is one."""
    return sys.stderr.isatty()
