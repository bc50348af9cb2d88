"""Names for places that are particular about names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def distinct(names: Sequence[str], taken: Iterable[str] = (), longest: int = 10**6) -> list[str]:
    """Each name cut to a length, and numbered where it would come up twice."""
    used = set(taken)
    found = []
    for name in names:
        candidate, number = name[:longest], 1
        while candidate in used:
            number += 1
            candidate = f"{name[: longest - len(str(number)) - 1]}_{number}"
        used.add(candidate)
        found.append(candidate)
    return found
