"""The words on a picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .panels import Panel

if TYPE_CHECKING:
    from ..result import Result


def title_of(result: Result, title: str | None) -> str:
    """The title that was asked for, or the name of the system."""
    return str(result.facts.get("system") or "Result") if title is None else title


def subtitle(result: Result, stack: Sequence[Panel]) -> str:
    """How the result came about, and what is not shown of it."""
    facts = result.facts
    options = [facts.get(key) for key in ("algorithm", "controller")]
    parts = [str(one) for one in facts.get("coupling") or options if one]
    if "finished" in facts and not result.finished:
        parts.append("the run did not reach its end")
    left_out = sum(panel.left_out for panel in stack)
    if left_out:
        parts.append(f"{left_out} variables not shown: choose some by pattern")
    return "  ·  ".join(parts)


def shortened(text: str, most: int) -> str:
    """One line, cut in the middle where it is too long."""
    text = " ".join(text.split())
    if len(text) <= most:
        return text
    half = (most - 1) // 2
    return f"{text[: most - 1 - half]}…{text[-half:]}"
