"""Which known name somebody meant who wrote another one."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher
from heapq import nlargest

_ALIKE = 0.6  # the share of letters in common from which on a name may be meant
_LOOKED_AT = 8  # names whose slips are counted


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that was most likely meant; None if there is none like it.

    The same name in other letters (`KP`) comes first, then the fewest slips of the finger: a
    letter that is wrong, missing, too many, or two that changed places. So `setp` is `step`.
    """
    wanted = name.casefold()
    matcher = SequenceMatcher(None, "", wanted)
    alike: list[tuple[float, str]] = []
    for candidate in known:
        matcher.set_seq1(candidate.casefold())
        if matcher.real_quick_ratio() >= _ALIKE and matcher.quick_ratio() >= _ALIKE:
            ratio = matcher.ratio()
            if ratio >= _ALIKE:
                alike.append((ratio, candidate))
    best = nlargest(_LOOKED_AT, alike)
    letters = sorted(wanted)

    def rank(one: tuple[float, str]) -> tuple[int, bool, float]:
        folded = one[1].casefold()
        return _slips(wanted, folded), sorted(folded) != letters, -one[0]

    return min(best, key=rank)[1] if best else None


def _slips(a: str, b: str) -> int:
    """How many slips lead from one text to the other (optimal string alignment)."""
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, letter in enumerate(a, 1):
        last, before, row = before, row, [i]
        for j, other in enumerate(b, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != other))
            swapped = i > 1 and j > 1 and letter == b[j - 2] and a[i - 2] == other
            row.append(min(cost, last[j - 2] + 1) if swapped else cost)
    return row[-1]
