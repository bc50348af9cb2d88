"""Events at known times: ending a window at one, in spite of rounding."""

from __future__ import annotations

from ..core.window import Window

_SLACK = 1e-9  # of a window: nearer than this is at its end


def end_of(window: Window, instant: float) -> tuple[float, bool]:
    """Where a part that must stop at `instant` ends its window, and whether the event is there."""
    slack = _SLACK * window.size
    if instant > window.stop + slack:
        return window.stop, False
    return (window.stop if instant >= window.stop - slack else instant), True
