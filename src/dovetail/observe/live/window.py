"""A live plot in a window of matplotlib."""

from __future__ import annotations

import os
import sys
from typing import Any

import numpy as np

from ...core.errors import OptionError
from ...results.files.needs import need
from .frame import LiveFrame

_COLUMNS = 800


class WindowScreen:
    """Shows a window that stays open when the run is over."""

    takes_terminal = False

    def __init__(self) -> None:
        need("matplotlib", "plot", "on='terminal' needs nothing else")
        if not has_display():
            raise OptionError(
                "a live plot on a window needs a display, and there is none: use on='terminal'"
            )
        self._figure: Any = None
        self._lines: list[list[Any]] = []

    def show(self, frame: LiveFrame) -> None:
        """Draw in the place of the last picture; a window that was closed stays closed."""
        from matplotlib import pyplot

        if self._figure is None:
            self._open(frame)
        if not pyplot.fignum_exists(self._figure.number):
            return
        for panel, axes, lines in zip(frame.panels, self._figure.axes, self._lines, strict=True):
            for curve, line in zip(panel.curves, lines, strict=True):
                low, high = curve.columns(*frame.span, _COLUMNS)
                start, stop = frame.span
                x = start + (np.arange(_COLUMNS) + 0.5) / _COLUMNS * (stop - start)
                line.set_data(np.repeat(x, 2), np.column_stack([low, high]).ravel())
            bottom, top = panel.limits()
            room = 0.06 * (top - bottom)
            axes.set_ylim(bottom - room, top + room)
        self._figure.axes[0].set_title(
            f"{frame.title}: {frame.clock.at(frame.time)}, {frame.share:.0%}",
            loc="left",
            parse_math=False,
        )
        self._figure.canvas.draw_idle()
        self._figure.canvas.flush_events()

    def close(self, frame: LiveFrame | None) -> None:
        """Draw for the last time."""
        if frame is not None:
            self.show(frame)

    def _open(self, frame: LiveFrame) -> None:
        from matplotlib import pyplot

        count = len(frame.panels)
        self._figure, rows = pyplot.subplots(
            count, 1, sharex=True, squeeze=False, figsize=(9, 1.2 + 2.0 * count), layout="tight"
        )
        for panel, axes in zip(frame.panels, rows[:, 0], strict=True):
            made = [axes.plot([], [], color=c.colour, linewidth=1.5)[0] for c in panel.curves]
            names = [f" {curve.name}" for curve in panel.curves]
            legend = axes.legend(made, names, loc="upper left", fontsize=8.5, frameon=False)
            for text in legend.get_texts():
                text.set_parse_math(False)
            axes.set_ylabel(panel.unit, parse_math=False)
            axes.grid(True, color="0.92")
            self._lines.append(made)
        rows[-1, 0].set_xlabel("time [s]")
        rows[-1, 0].set_xlim(*frame.span)
        self._figure.show()


def has_display() -> bool:
    """Whether windows can be opened here."""
    if sys.platform in ("win32", "darwin"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


def hold_windows() -> None:
    """Wait until all windows are closed by hand, if there are any."""
    pyplot: Any = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None and pyplot.get_fignums():
        pyplot.show()
