"""The columns of a table as arrays of the kinds they are meant to be."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.description import Kind
from ..core.errors import ModelError

TOO_LARGE = 2.0**63  # for integers of 64 bits with a sign


def column_array(name: str, values: Any, meant: str | None) -> Any:
    """A column as an array: floats, booleans or texts, or what it is meant to be."""
    array = np.asarray(values)
    if meant is not None:
        return _meant(name, array, meant)
    if array.dtype.kind in "iu":
        return array.astype(float)
    if array.dtype.kind in "fb":
        return array.astype(float) if array.dtype.kind == "f" else array
    if all(isinstance(v, str) for v in array.tolist()):
        return array.astype(object)
    raise ModelError(f"column '{name}' holds neither numbers, booleans nor text.")


def kind_of(values: Any) -> Kind:
    """The kind of variable that an array holds."""
    kinds = {"f": Kind.REAL, "b": Kind.BOOLEAN, "i": Kind.INTEGER, "u": Kind.INTEGER}
    return kinds.get(values.dtype.kind, Kind.STRING)


def _meant(name: str, array: Any, kind: str) -> Any:
    """A column as the kind it is meant to be."""
    if kind == "real":
        return column_array(name, array, None)
    if kind == "string":
        found = np.empty(array.size, dtype=object)
        found[:] = [v if isinstance(v, str) else f"{v:g}" for v in array.tolist()]
        return found
    if kind not in ("integer", "boolean"):
        raise ModelError(f"column '{name}' cannot be of type '{kind}'.")
    if kind == "integer" and array.dtype.kind in "iu":
        return array  # floats have fewer digits
    try:
        numbers = np.asarray(array, dtype=float)
    except (TypeError, ValueError):
        raise ModelError(f"column '{name}' holds no numbers, but is meant as {kind}.") from None
    if not np.all(np.isfinite(numbers)):
        raise ModelError(f"column '{name}' has no number in every row.")
    if kind == "boolean":
        return numbers != 0
    if np.any(np.abs(numbers) >= TOO_LARGE):
        raise ModelError(f"column '{name}' holds numbers that are too large for integers.")
    return numbers.astype(np.int64)
