"""Sizes of windows that make sense together."""

from __future__ import annotations

from math import ulp

from ..core.errors import OptionError
from ..core.options import check_number
from ..core.window import Window

_LEAST = 1e-15  # of the first size
_RESOLUTIONS = 32  # of the clock: twice what the loop over windows takes for an instant


def check_sizes(first: float, least: float, largest: float) -> None:
    """Refuse sizes that contradict each other."""
    check_number("max_size", largest, above=0, endless=True)
    check_number("first_size", first, above=0, most=largest)
    check_number("min_size", least, least=0, most=first)


def check_tolerances(rtol: float, atol: float) -> None:
    """Refuse tolerances that nothing can meet."""
    check_number("rtol", rtol, above=0)
    check_number("atol", atol, above=0)


def check_scale(scale: str) -> None:
    """Refuse whatever errors cannot be weighed with."""
    if scale not in ("value", "range"):
        raise OptionError(f"scale must be 'value' or 'range', not {scale!r}")


def can_be_told(window: Window, size: float, first: float) -> bool:
    """Whether a window of this size may be tried: one limit for all controllers.

    The clock must resolve its ends and its middle well, also near time zero, where it resolves
    almost anything: no window is below 1e-15 of the first one.
    """
    end = max(abs(window.start), abs(window.start + size))
    return size >= _LEAST * first and size > _RESOLUTIONS * ulp(end)


def clamped(value: float, low: float, high: float) -> float:
    """A value within limits."""
    return min(max(value, low), high)
