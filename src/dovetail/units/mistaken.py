"""Units that were written for others: `C` is a coulomb and not a degree Celsius."""

from __future__ import annotations

import re

from .reading import parse
from .unit import Unit, UnitError

_MEANT = {  # what is written: what that is, and what is often meant, alone and beside others
    "C": ("the coulomb", "degC", "K"),
    "F": ("the farad", "degF", "degRk"),
    "deg C": ("a degree of angle times a coulomb", "degC", "K"),
    "deg F": ("a degree of angle times a farad", "degF", "degRk"),
    "S": ("the siemens", "s", "s"),
    "H": ("the henry", "h", "h"),
    "T": ("the tesla", "t", "t"),
    "a": ("the year", "A", "A"),
    "s": ("the second", "S", "S"),
    "h": ("the hour", "H", "H"),
    "t": ("the tonne", "T", "T"),
    "g": ("the gram", "gn", "gn"),
}


def mistaken(source: Unit, target: Unit) -> str:
    """'; write ...' for units that would fit if a symbol were another; nothing otherwise."""
    for written, other in ((source, target), (target, source)):
        for symbol, (what, alone, beside) in _MEANT.items():
            whole = written.name.strip() == symbol
            name = _replaced(written.name, symbol, alone if whole else beside)
            if name is not None and _fits(name, other):
                return f"; '{symbol}' is {what}: write '{name}' if that is what you mean"
    return ""


def _replaced(name: str, symbol: str, meant: str) -> str | None:
    """The name with another symbol in it; None if the symbol is not in it."""
    found, count = re.subn(rf"(?<!\w){re.escape(symbol)}(?![A-Za-z_])", meant, name)
    return found if count == 1 else None


def _fits(name: str, other: Unit) -> bool:
    try:
        return parse(name).exponents == other.exponents
    except UnitError:
        return False
