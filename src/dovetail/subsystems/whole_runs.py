"""Whole runs of the same parts in one call each, from their first value to their last row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from ..core.signals import Signals, Vector
from ..core.values import Values
from .batch import WindowRange
from .run_memory import RunMemory

Made = Literal["made", "out of the ordinary", "not so"]


@dataclass(frozen=True, slots=True, eq=False)
class RunOutline:
    """What such runs have in common.

    `turns`: the members in the order in which they are asked for outputs at the start, where no
    loop has to be solved; `blank`: outputs before anyone is asked; `stretches`: the windows;
    `lines`: room for all rows, the first of them that of the start; `held`: inputs are held over
    windows.
    """

    start: float
    turns: Sequence[int]
    blank: Vector
    stretches: Sequence[WindowRange]
    lines: Vector
    memory: RunMemory
    held: bool


class WholeRuns(Protocol):
    """One run after the other, each in one call.

    "made": its rows and what was seen of it are in the memory of the outline; "out of the
    ordinary": a run from the drawing has to tell what happened; "not so": nothing went wrong, but
    these parts begin in another way than this one knows, in this run and in others.
    """

    windows: int
    evaluations: int

    def run(self, values: Mapping[str, Values], held: Signals | None) -> Made:
        """The run with these values; `held`: of inputs that nothing feeds, where they are new."""
