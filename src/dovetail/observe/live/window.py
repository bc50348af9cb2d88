"""A live plot in a window of matplotlib."""

from __future__ import annotations

import os
import sys
from typing import Any

import numpy as np

from ...core.errors import OptionError
from ...results.files.needs import need
from .frame import LiveFrame

_STILL = ("agg", "cairo", "pdf", "pgf", "ps", "svg", "template")  # draw to files only


class WindowScreen:
    """Shows a window that stays open when the run is over."""

    takes_terminal = False

    def __init__(self) -> None:
        need("matplotlib", "plot", "on='terminal' needs nothing else")
        if not has_display():
            raise OptionError(
                "a live plot on a window needs a display, and there is none: use on='terminal'"
            )
        if not has_toolkit():
            raise OptionError(
                "a live plot on a window needs a toolkit for windows: pip install pyqt6, or use "
                "on='terminal'"
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
                both = np.column_stack([curve.low, curve.high]).ravel()
                line.set_data(np.repeat(curve.times, 2), both)
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
            count, 1, sharex=True, squeeze=False, figsize=(9, 1.2 + 2.0 * count)
        )
        for panel, axes in zip(frame.panels, rows[:, 0], strict=True):
            made = [axes.plot([], [], color=c.colour, linewidth=1.5)[0] for c in panel.curves]
            names = [f" {curve.name}" for curve in panel.curves]
            legend = axes.legend(made, names, loc="upper left", fontsize=8.5, framealpha=0.7)
            for text in legend.get_texts():
                text.set_parse_math(False)
            axes.set_ylabel(panel.unit, parse_math=False)
            axes.grid(True, color="0.92")
            self._lines.append(made)
        rows[-1, 0].set_xlabel("time [s]")
        rows[-1, 0].set_xlim(*frame.span)
        above = 0.45 / self._figure.get_figheight()
        self._figure.subplots_adjust(0.12, 1.2 * above, 0.97, 1 - above, hspace=0.12)
        self._figure.show()


def has_display() -> bool:
    """Whether windows can be opened here."""
    if sys.platform in ("win32", "darwin"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


def has_toolkit() -> bool:
    """Whether matplotlib finds a library to open windows with."""
    try:
        from matplotlib import pyplot
    except ImportError:
        return False
    return pyplot.get_backend().lower() not in _STILL


def hold_windows() -> None:
    """Wait until all windows are closed by hand, if there are any."""
    pyplot: Any = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None and pyplot.get_fignums() and has_toolkit():
        pyplot.show()
