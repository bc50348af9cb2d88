"""A run that ended, but whose result is doubtful: that is always said, and has an exit code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .failures import DOUBTFUL
from .streams import remark

if TYPE_CHECKING:
    from ..results.result import Result
    from ..results.verdict import Verdict


def exit_code(result: Result, *, summarized: bool) -> int:
    """0, or 3 for a doubtful result; why it is one is said unless a summary has said it."""
    verdict = result.verdict
    if verdict is None or not verdict.doubtful:
        return 0
    why = "see how far to believe it, above" if summarized else " ".join(_reasons(verdict))
    remark(f"the result is doubtful: {why}", fg="yellow")
    return DOUBTFUL


def _reasons(verdict: Verdict) -> list[str]:
    """The sentences that call it doubtful, with the one that each refers to."""
    lines = verdict.lines()
    found: list[str] = []
    for k, line in enumerate(lines):
        if "doubtful" in line:
            found += [lines[k - 1], line] if line.startswith("That ") and k else [line]
    return found or lines
