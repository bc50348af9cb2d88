"""What pages ask that takes its time: answered beside everything else, not in its turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..core.errors import OptionError
from .advising import advice_for
from .checked import ways_of
from .desk import Desk
from .story import story_of


def ways(desk: Desk) -> list[dict[str, Any]]:
    """Which algorithms can run the drawing."""
    return ways_of(desk.copy())


def advice(desk: Desk) -> dict[str, Any]:
    """What it should be run with; asked of the parts, which takes a moment."""
    return advice_for(desk.copy(), desk.folder)


def story(desk: Desk, run: int) -> dict[str, Any]:
    """How a run went that is over: windows, events, and the ledger of its power ports."""
    told = desk.runs[run]
    if not told.is_over:
        raise OptionError(f"run {run} goes on; how it went is told at its end")
    if not told.feed.rows:
        return {"windows": {"times": [], "sizes": []}, "events": [], "event_count": 0}
    return {**story_of(told.path), **told.ledger}


QUESTIONS: Mapping[str, Callable[..., Any]] = {"ways": ways, "advice": advice, "story": story}
