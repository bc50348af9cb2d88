"""Columns as cells of a text: every number exact, and as short as it can be.

Numbers go through pydantic's JSON, which finds their shortest digits in a tenth of the time that
`repr` needs. Where JSON writes a number in another way than tables do, it is done here.
"""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache

import numpy as np
from pydantic_core import to_json

from ...core.description import Kind
from ...core.signals import Vector
from ..recorders.base import Array

_LARGE = 1e10  # from here on with an exponent
_SMALL = 1e-6  # below with an exponent
_ZEROS = 1e-5  # below JSON has an exponent


def cells(array: Array, kind: Kind) -> list[str]:
    """One text for each value: `0.25`, `3`, `1e-7`, `true`, `"text"`, binaries in hexadecimals."""
    match kind:
        case Kind.REAL:
            return _reals(array)
        case Kind.INTEGER | Kind.ENUMERATION:
            return _listed(array.tolist())
        case Kind.BOOLEAN | Kind.CLOCK:
            return ["true" if truth else "false" for truth in array.tolist()]
        case Kind.STRING:
            return ['"' + text.replace('"', '""') + '"' for text in array]
        case Kind.BINARY:
            return [f'"{value.hex()}"' for value in array]


def _reals(array: Vector) -> list[str]:
    with np.errstate(invalid="ignore"):
        size, whole = np.abs(array), np.trunc(array) == array
    counted = whole & (size < _LARGE)
    if counted.all():
        return _wholes(array)
    tiny = (size < _SMALL) & (size > 0)
    usual = tiny | ((size >= _ZEROS) & (size < _LARGE) & ~whole)
    if usual.all():
        return _listed(array.tolist())
    found = _listed(np.where(usual, array, 0.5).tolist())
    rows = np.flatnonzero(counted)
    for row, text in zip(rows.tolist(), _wholes(array[rows]), strict=True):
        found[row] = text
    rows = np.flatnonzero(~(usual | counted))
    for row, value in zip(rows.tolist(), array[rows].tolist(), strict=True):
        found[row] = _shortest(value)
    return found


def _wholes(array: Vector) -> list[str]:
    """Whole numbers, without a point; zero keeps its sign."""
    found = _listed(array.astype(np.int64).tolist())
    for row in np.flatnonzero((array == 0) & np.signbit(array)).tolist():
        found[row] = "-0"
    return found


def _listed(values: list[float]) -> list[str]:
    return to_json(values)[1:-1].decode().split(",") if values else []


@lru_cache(maxsize=4096)
def _shortest(value: float) -> str:
    """Any other number: `0.0000015`, `2.1e+11`, `nan`, `-inf`."""
    if not np.isfinite(value):
        return str(value)
    if _SMALL <= abs(value) < _ZEROS:
        return f"{Decimal(repr(value)):f}"
    sign, digits, _ = Decimal(repr(value)).normalize().as_tuple()
    mantissa = "".join(map(str, digits))
    exponent = Decimal(repr(value)).adjusted()
    point = "." if len(mantissa) > 1 else ""
    return f"{'-' * sign}{mantissa[0]}{point}{mantissa[1:]}e{exponent:+d}"
