"""Public names of version 0.1 that are others now: they work until 0.3, and warn."""

from __future__ import annotations

import warnings

RENAMED = {
    "CannotGoBack": "CannotRollBack",
    "Checked": "ErrorCheck",
    "Iterated": "IteratedJunction",
    "Sampled": "Sampling",
    "Thinned": "Thinning",
    "structure": "timescales",
}


def warn_renamed(old: str, new: str, stacklevel: int = 1) -> None:
    """Tell the caller, so many calls up, that it uses an old name."""
    what = f"{old} is {new} now; the old name goes with version 0.3"
    warnings.warn(what, DeprecationWarning, stacklevel=stacklevel + 1)
