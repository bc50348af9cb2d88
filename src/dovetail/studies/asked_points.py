"""Points that somebody asks about, as rows of numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ..core.errors import OptionError
from .asked_runs import Values


def rows_of(points: ArrayLike, names: Sequence[str]) -> list[Values]:
    """One row for each point; OptionError where they are none."""
    what = f"points are rows of {len(names)} numbers, for {', '.join(names)}"
    try:
        found = np.asarray(points, dtype=float)
    except (TypeError, ValueError):
        raise OptionError(f"{what}, not {points!r}") from None
    if found.size == 0:
        return []
    if found.ndim != 2 or found.shape[1] != len(names):
        raise OptionError(f"{what}; the shape of these is {found.shape}")
    if not np.isfinite(found).all():
        raise OptionError(f"{what}; one of them is NaN or infinite")
    return [tuple(row) for row in found.tolist()]
