"""Reference outputs as the FMI project publishes them.

An array is one column, its elements with blanks between; a binary is written in hexadecimal digits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..results.result import Result


def side_by_side(known: Result, result: Result, part: str) -> tuple[Result, Result]:
    """The reference and what a part did, under the same names: elements of arrays are separate.

    Variables that only one of them has are left out.
    """
    from ..results.result import Result

    theirs: dict[str, Any] = {}
    ours: dict[str, Any] = {}
    for name in known.names:
        whole, elements = f"{part}.{name}", _elements(result, f"{part}.{name}[")
        if whole in result:
            theirs[name], ours[name] = known[name], _plain(result[whole])
        elif elements and (split := _split(known[name], len(elements))) is not None:
            for column, element in zip(split, elements, strict=True):
                short = element.removeprefix(f"{part}.")
                theirs[short], ours[short] = column, result[element]
    return Result.of(known.time, theirs), Result.of(result.time, ours)


def _elements(result: Result, start: str) -> list[str]:
    return [name for name in result.names if name.startswith(start)]


def _plain(values: Any) -> Any:
    """Binaries as text; everything else as it is."""
    if not (values.dtype == object and all(isinstance(v, bytes) for v in values)):
        return values
    texts = values.copy()
    texts[:] = [v.hex() for v in values]
    return texts


def _split(values: Any, size: int) -> Any:
    """The columns of a text column with so many numbers in each row; None where it has not."""
    import numpy as np

    if values.dtype != object:
        return values[np.newaxis, :] if size == 1 else None
    try:
        rows = np.array([[float(part) for part in str(text).split()] for text in values])
    except ValueError:
        return None
    return rows.T if rows.ndim == 2 and rows.shape[1] == size else None
