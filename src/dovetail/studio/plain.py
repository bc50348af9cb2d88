"""Values as JSON can hold them, whatever they are."""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np

_LONGEST = 2000  # letters, or elements


def plain(value: Any) -> Any:
    """The same as JSON: numbers that are none become text, bytes their count."""
    match value:
        case None | bool() | str():
            return value if not isinstance(value, str) else value[:_LONGEST]
        case np.bool_():
            return bool(value)
        case int() | np.integer():
            return int(value)
        case float() | np.floating():
            return float(value) if isfinite(value) else str(float(value))
        case bytes():
            return f"{len(value)} bytes"
        case np.ndarray():
            return [plain(v) for v in value.ravel()[:_LONGEST].tolist()]
        case dict():
            return {str(k): plain(v) for k, v in value.items()}
        case list() | tuple() | set() | frozenset():
            return [plain(v) for v in list(value)[:_LONGEST]]
    return str(value)[:_LONGEST]
