"""How much one file may ask for.

A file of a few lines may hold ten systems, each of them ten others, and so on: what it asks for
has no end. So parts and files are counted over all that belongs to one reading.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

from ..core.errors import FileError

MOST_PARTS = 50_000
MOST_FILES = 1_000
DEEPEST = 50  # systems inside each other


class TooMuch(FileError):
    """More than one reading may ask for; nothing else is looked at."""


@dataclass(slots=True)
class Allowance:
    """What one reading has asked for so far."""

    parts: int = 0
    files: int = 0
    depth: int = 0


@contextmanager
def one_reading() -> Iterator[None]:
    """All that is read in here counts together with what is read around it."""
    token = _READING.set(_READING.get() or Allowance())
    try:
        yield
    finally:
        _READING.reset(token)


@contextmanager
def inside(path: str | Path) -> Iterator[None]:
    """Count a file of systems while it is open."""
    found = _READING.get() or Allowance()
    found.files += 1
    found.depth += 1
    try:
        if found.files > MOST_FILES:
            what = f"the systems in it come from more than {MOST_FILES} files"
            raise TooMuch(path, what, "draw what is alike in one file")
        if found.depth > DEEPEST:
            what = f"systems in it lie more than {DEEPEST} deep inside each other"
            raise TooMuch(path, what, "flatten it")
        yield
    finally:
        found.depth -= 1


def count_part(path: str | Path) -> None:
    """Count a part; refuse one too many."""
    found = _READING.get() or Allowance()
    found.parts += 1
    if found.parts > MOST_PARTS:
        what = f"it has more than {MOST_PARTS} parts, those of systems in it included"
        raise TooMuch(path, what, "it may have been made to do harm; draw fewer")


_READING: ContextVar[Allowance | None] = ContextVar("_READING", default=None)
