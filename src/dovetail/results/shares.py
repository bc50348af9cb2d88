"""A share of something, as people say it."""

from __future__ import annotations

_WHOLE = 0.995  # from here on it is told in times


def share_of(share: float, whole: str) -> str:
    """`43 % of its range`, or `15 times its range`."""
    if share < _WHOLE:
        return f"{100 * share:.2g} % of {whole}"
    return f"{share:.2g} times {whole}"
