"""What an error says, for a page: where, and what."""

from __future__ import annotations

from pydantic import ValidationError

from ..core.errors import DovetailError, DrawingError


def problems_of(error: DovetailError) -> list[tuple[str, str]]:
    """Where and what, for each thing that an error says."""
    if isinstance(error, DrawingError):
        return [(p.where, p.what) for p in error.problems]
    return [("", str(error))]


def misspelt(error: ValidationError) -> str:
    """The first thing that is wrong with a command."""
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(word) for word in first["loc"])
    return f"this is no command: {where + ': ' if where else ''}{first['msg']}"
