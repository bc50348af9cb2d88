"""Names and units from the cells of a header."""

from __future__ import annotations

import re
from functools import lru_cache

from ...units import UnitError, parse

_SQUARE = re.compile(r"(.*?)\s*\[([^\[\]]*)\]", re.DOTALL)
_ROUND = re.compile(r"(.*?)\s*/?\s*\((.*)\)", re.DOTALL)
_SLASH = re.compile(r"(.*?)\s+/\s+(\S.*)", re.DOTALL)
_INDEX = re.compile(r"[\d\s,:]*\d[\d\s,:]*")
_NO_UNIT = frozenset(["", "-", "--", "---", "1"])


def name_and_unit(cell: str) -> tuple[str, str | None]:
    """`speed [km/h]`, `speed (km/h)`, `speed / (km/h)` and `speed / km/h` as name and unit.

    In square brackets stands a unit, unless it is an index as in `T[1]`. In parentheses or behind
    a stroke it is one only if it reads as one; else it belongs to the name.
    """
    text = " ".join(cell.split())  # also for blanks that do not break, and ends of lines
    square = _SQUARE.fullmatch(text)
    if square and square[1]:
        inside = square[2].strip()
        spaced = text[len(square[1])].isspace()
        if _INDEX.fullmatch(inside) and not (spaced and inside == "1"):
            return text, None
        return square[1].rstrip(" /"), _unit(inside)
    for pattern in (_ROUND, _SLASH):
        found = pattern.fullmatch(text)
        if found and found[1] and (is_unit(found[2]) or found[2].strip() in _NO_UNIT):
            return found[1], _unit(found[2].strip())
    return text, None


def unit_in(cell: str) -> str | None:
    """The unit of a cell in a row of units: `km/h`, `[km/h]`, `(km/h)`."""
    text = cell.strip()
    if text[:1] + text[-1:] in ("[]", "()") and is_unit(text[1:-1]):
        text = text[1:-1].strip()
    return _unit(text)


@lru_cache(maxsize=4096)
def is_unit(text: str) -> bool:
    """Whether a text names a unit; a number alone does not."""
    text = text.strip()
    if not text or not re.search(r"[^\W\d]|%|°", text) or len(text) > 40:
        return False
    try:
        parse(text)
    except UnitError:
        return False
    return True


def _unit(text: str) -> str | None:
    return None if text in _NO_UNIT else text
