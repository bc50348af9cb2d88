"""Sizes of windows that make sense together."""

from __future__ import annotations

from ..core.options import check_number
from ..core.window import Window


def check_sizes(first: float, least: float, largest: float) -> None:
    """Refuse sizes that contradict each other."""
    check_number("max_size", largest, above=0, endless=True)
    check_number("first_size", first, above=0, most=largest)
    check_number("min_size", least, least=0, most=first)


def check_tolerances(rtol: float, atol: float) -> None:
    """Refuse tolerances that nothing can meet."""
    check_number("rtol", rtol, above=0)
    check_number("atol", atol, above=0)


def can_be_told(window: Window, size: float) -> bool:
    """Whether the clock can distinguish the end of a window of this size from its start."""
    return window.start + size > window.start


def clamped(value: float, low: float, high: float) -> float:
    """A value within limits."""
    return min(max(value, low), high)
