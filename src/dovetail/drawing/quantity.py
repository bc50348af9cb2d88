"""Text such as "3 kN" as the number that a variable takes."""

from __future__ import annotations

import re
from typing import Any

from ..core.description import Variable
from ..units import UnitError, UnitMismatch, conversion

_QUANTITY = re.compile(
    r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*([^\s\d.].*?)\s*", re.DOTALL
)


def in_unit(variable: Variable, given: Any) -> Any:
    """Text with a unit as a number in the unit of a real variable; all else as it is.

    ValueError says why a text is none. Each item of a list may be such a text.
    """
    if isinstance(given, list | tuple):
        return [in_unit(variable, item) for item in given]
    if not variable.is_real or not isinstance(given, str):
        return given
    match = _QUANTITY.fullmatch(given)
    if match is None:
        if not variable.unit:
            return given  # refused as any other text
        raise ValueError(f"must be a number, or text such as '3 {variable.unit}', not {given!r}")
    if not variable.unit:
        raise ValueError(f"has no unit, so it takes a plain number, not {given!r}")
    try:
        return conversion(match[2], variable.unit, relative=variable.relative)(float(match[1]))
    except UnitMismatch as error:
        what = f"has the unit '{variable.unit}', so it cannot be {given!r}: {error}"
        raise ValueError(what) from None
    except UnitError as error:
        raise ValueError(f"cannot be {given!r}: {error}") from None
