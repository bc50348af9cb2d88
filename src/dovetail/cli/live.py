"""`dovetail run --live`: a plot while the run goes on."""

from __future__ import annotations

from typing import Any

from ..core.errors import OptionError


def shown(patterns: list[str] | None, place: Any) -> Any:
    """What the options ask for, as a session takes it."""
    if not patterns:
        if place != "auto":
            raise OptionError("--live-on says where --live is shown: give --live as well")
        return False
    from ..observe.live.plot import LivePlot

    return LivePlot(tuple(patterns), place)


def hold(patterns: list[str] | None) -> None:
    """Leave a window open until it is closed by hand: it would go with the program."""
    if patterns:
        from ..observe.live.window import hold_windows

        hold_windows()
