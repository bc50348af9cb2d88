"""Names of signals as pages send them."""

from __future__ import annotations

from typing import Any

from ..core.errors import OptionError

_MOST_SIGNALS = 100  # that one page follows


def checked_names(names: Any) -> list[str]:
    """Names of signals, and not too many."""
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise OptionError("names of signals are a list of texts")
    return list(dict.fromkeys(names))[:_MOST_SIGNALS]


def as_text(given: Any) -> str:
    """A name as it was sent."""
    if not isinstance(given, str):
        raise OptionError(f"a name was expected, not {given!r}"[:200])
    return given


def as_mapping(given: Any) -> dict[str, Any]:
    """A command as it was sent."""
    if not isinstance(given, dict):
        raise OptionError("a command is a mapping")
    return given
