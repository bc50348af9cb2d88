"""Sizes of windows that make sense together."""

from __future__ import annotations

from math import isfinite

from ..errors import OptionError
from ..window import Window


def check_sizes(first: float, least: float, largest: float) -> None:
    """Refuse sizes that contradict each other."""
    if not (0 < first <= largest and isfinite(first)):
        raise OptionError(f"first_size must be above zero and at most {largest:g}")
    if not 0 <= least <= first:
        raise OptionError(f"min_size must lie between zero and {first:g}")


def check_tolerances(rtol: float, atol: float) -> None:
    """Refuse tolerances that nothing can meet."""
    if not (rtol > 0 and atol > 0):
        raise OptionError("rtol and atol must be above zero")


def can_be_told(window: Window, size: float) -> bool:
    """Whether the clock can tell the end of a window of this size from its start."""
    return window.start + size > window.start


def clamped(value: float, low: float, high: float) -> float:
    """A value within limits."""
    return min(max(value, low), high)
