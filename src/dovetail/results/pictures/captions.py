"""The words on a picture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..result import Result


def title_of(runs: Mapping[str, Result], title: str | None) -> str:
    """The title that was asked for, or the names of the systems."""
    if title is not None:
        return title
    names = dict.fromkeys(str(result.facts.get("system") or "Result") for result in runs.values())
    return ", ".join(names)


def subtitle(runs: Mapping[str, Result]) -> list[str]:
    """How the results came about, where that is the same for all, and which are incomplete."""
    ways = [way(result) for result in runs.values()]
    found = [one for one in ways[0] if all(one in other for other in ways)]
    for run, result in runs.items():
        if "finished" in result.facts and not result.finished:
            found.append(f"{run or 'the run'} did not reach its end")
    return found


def way(result: Result) -> tuple[str, ...]:
    """Algorithm and controller, in words."""
    facts = result.facts
    options = [facts.get(key) for key in ("algorithm", "controller")]
    return tuple(str(one) for one in facts.get("coupling") or options if one)


def shortened(text: str, most: int) -> str:
    """One line, cut in the middle where it is too long."""
    text = " ".join(text.split())
    if len(text) <= most:
        return text
    half = (most - 1) // 2
    return f"{text[: most - 1 - half]}…{text[-half:]}"
