"""Public names of version 0.1 that are others now: they work until 0.3, and warn."""

from __future__ import annotations

import warnings
from typing import Any

RENAMED = {
    "CannotGoBack": "CannotRollBack",
    "Checked": "ErrorCheck",
    "Iterated": "IteratedJunction",
    "Sampled": "Sampling",
    "Thinned": "Thinning",
    "structure": "timescales",
}
RENAMED_OPTIONS = {("Rollback", "foretell"): "predict"}


def with_new_names(title: str, given: dict[str, Any]) -> dict[str, Any]:
    """Options of a class by the names that they have now."""
    if not any((title, name) in RENAMED_OPTIONS for name in given):
        return given
    found = {}
    for name, value in given.items():
        new = RENAMED_OPTIONS.get((title, name), name)
        if new != name:
            warn_renamed(f"{name}= of {title}", f"{new}=", stacklevel=3)
        found[new] = value
    return found


def warn_renamed(old: str, new: str, stacklevel: int = 1) -> None:
    """Tell the caller, so many calls up, that it uses an old name."""
    what = f"{old} is {new} now; the old name goes with version 0.3"
    warnings.warn(what, DeprecationWarning, stacklevel=stacklevel + 1)
