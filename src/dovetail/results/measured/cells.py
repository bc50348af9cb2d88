"""What a single cell is: a number, nothing, or anything else."""

from __future__ import annotations

import re

_NUMBER = re.compile(
    r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eEdD][+-]?\d+)?|inf(?:inity)?|nan)", re.IGNORECASE
)
_NOTHING = frozenset(
    ("", "-", "--", "---", "n/a", "na", "#n/a", "#na", "null", "none", "?", "#value!")
) | {"#div/0!", "#ref!", "#name?", "#num!", "#null!"}
_SHOWN = 40  # characters of a cell in a message


def is_number(cell: str, decimal: str = ".") -> bool:
    """Whether a cell is a number."""
    return _NUMBER.fullmatch(plain(cell, decimal)) is not None


def is_missing(cell: str) -> bool:
    """Whether a cell says that there is no value."""
    return cell.strip().lower() in _NOTHING


def number(cell: str, decimal: str = ".") -> float:
    """The number in a cell; ValueError if there is none. FORTRAN's 1.5D+03 is one."""
    text = plain(cell, decimal)
    if _NUMBER.fullmatch(text) is None:
        raise ValueError(cell)
    return float(text.replace("D", "e").replace("d", "e") if text[-1:].isdigit() else text)


def plain(cell: str, decimal: str) -> str:
    """A cell without blanks around it, with a point before the decimals."""
    text = cell.strip()
    return text.replace(",", ".") if decimal == "," else text


def shown(text: str) -> str:
    """A cell as a message may show it: short, and without characters that steer a terminal."""
    short = text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
    return "'" + "".join(c if c.isprintable() else _escaped(c) for c in short) + "'"


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode()
