"""How values are written in XML. ValueError says why a text is no such value."""

from __future__ import annotations

import re
from binascii import Error, unhexlify
from math import inf, isfinite, nan

from .types import FLOATS, RANGES, Scalar, Type

_REAL = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_WHOLE = re.compile(r"[+-]?\d{1,20}", re.ASCII)
_SPECIAL = {
    "inf": inf, "+inf": inf, "-inf": -inf, "nan": nan,
    "infinity": inf, "+infinity": inf, "-infinity": -inf,
}  # fmt: skip
_FLAGS = {"true": True, "1": True, "false": False, "0": False}


def real(text: str) -> float:
    """A real number."""
    text = text.strip()
    if _REAL.fullmatch(text):
        return float(text)
    try:
        return _SPECIAL[text.lower()]
    except KeyError:
        raise ValueError(f"'{text}' is not a number") from None


def finite(text: str) -> float:
    """A real number that is neither infinite nor NaN."""
    value = real(text)
    if not isfinite(value):
        raise ValueError(f"'{text}' is no finite number")
    return value


def whole(text: str, low: int = 0, high: int = 2**32 - 1) -> int:
    """A whole number in a range; that of value references, if none is given."""
    text = text.strip()
    if not _WHOLE.fullmatch(text):
        raise ValueError(f"'{text}' is not a whole number")
    number = int(text)
    if not low <= number <= high:
        raise ValueError(f"{number} is not between {low} and {high}")
    return number


def flag(text: str) -> bool:
    """True or false, however it is capitalised."""
    try:
        return _FLAGS[text.strip().lower()]
    except KeyError:
        raise ValueError(f"'{text}' is neither true nor false") from None


def is_standard_flag(text: str) -> bool:
    """Whether true or false is written as XML has it."""
    return text.strip() in _FLAGS


def octets(text: str) -> bytes:
    """Bytes, two hexadecimal digits each."""
    try:
        return unhexlify("".join(text.split()))
    except (Error, ValueError):
        raise ValueError("it is not written in pairs of hexadecimal digits") from None


def value(text: str, type_: Type) -> Scalar:
    """A value of a variable of this type."""
    if type_ in FLOATS:
        return real(text)
    if type_ in RANGES:
        return whole(_without_zeros(text), *RANGES[type_])
    if type_ == "Boolean":
        return flag(text)
    return octets(text) if type_ == "Binary" else text


def _without_zeros(text: str) -> str:
    """Some tools write the integer 3 as `3.0`."""
    stem, point, zeros = text.strip().partition(".")
    return stem if point and stem and not zeros.strip("0") else text
