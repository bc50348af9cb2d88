"""Everything that a picture shows, before it is drawn in one way or another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from numbers import Real
from typing import TYPE_CHECKING, Any

from ...core.errors import OptionError
from ..patterns import Names
from .captions import subtitle, title_of
from .panels import Panel, panels
from .traces import Look, Trace, flat, missing, traces

if TYPE_CHECKING:
    from ..result import Result

Size = tuple[float, float]
_LARGEST = 100.0  # inches


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """Traces with a title above them and one x axis below."""

    drawn: tuple[Trace, ...]
    title: str
    notes: tuple[str, ...]  # how the results came about, and what they lack
    x: str  # what lies along the x axis, with its unit
    size: Size | None = None  # in inches

    @staticmethod
    def of(
        runs: Mapping[str, Result],
        patterns: tuple[Names, ...],
        over: str | None = None,
        title: str | None = None,
        size: Any = None,
        looks: Mapping[str, Look] | None = None,
    ) -> Sheet:
        """What was asked for, checked."""
        checked = _checked_size(size)
        if not any(len(result) for result in runs.values()):
            raise OptionError(
                "there is nothing to draw: the run ended before its first row"
                if any(result.names for result in runs.values())
                else "there is nothing to draw: no variable was recorded"
            )
        drawn = traces(runs, flat(patterns), over, looks)
        if not drawn:
            raise OptionError("there is nothing to draw: no variable was recorded")
        notes = (*subtitle(runs), *missing(runs, drawn))
        return Sheet(tuple(drawn), title_of(runs, title), notes, _x_label(drawn[0]), checked)

    @property
    def over_time(self) -> bool:
        """Whether time lies along the x axis."""
        return self.drawn[0].over is None

    def panels(self, most_curves: int) -> list[Panel]:
        """The traces in panels of at most so many curves."""
        return panels(self.drawn, most_curves)

    def below_title(self, stack: list[Panel]) -> str:
        """The notes, and what is not shown for want of room."""
        notes = list(self.notes)
        left_out = sum(panel.left_out for panel in stack)
        if left_out:
            notes.append(f"{left_out} variables not shown: choose some by pattern")
        return "  ·  ".join(notes)


def _x_label(trace: Trace) -> str:
    if trace.over is None:
        return "time [s]"
    return f"{trace.over.name} [{trace.over.unit}]" if trace.over.unit else trace.over.name


def _checked_size(size: Any) -> Size | None:
    """Width and height in inches."""
    if size is None:
        return None
    numbers = list(size) if isinstance(size, list | tuple) else []
    if len(numbers) != 2 or not all(isinstance(n, Real) and isfinite(n) for n in numbers):
        raise OptionError(f"size is width and height in inches, such as (10, 6), not {size!r}")
    width, height = map(float, numbers)
    if not (0.5 <= width <= _LARGEST and 0.5 <= height <= _LARGEST):
        raise OptionError(
            f"size is in inches, from 0.5 to {_LARGEST:g} each way, not {width:g} x {height:g}"
        )
    return width, height
