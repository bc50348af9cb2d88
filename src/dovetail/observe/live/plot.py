"""What a user asks for with `live=`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from ...core.description import Kind
from ...core.errors import OptionError, did_you_mean
from ...core.options import worded
from ...results.patterns import matching, split
from ...results.recorders.base import Column

Place = Literal["auto", "terminal", "notebook", "window"]
_SHOWN = (Kind.REAL, Kind.INTEGER, Kind.ENUMERATION, Kind.BOOLEAN)


@dataclass(frozen=True, slots=True)
class LivePlot:
    """A plot that grows while the run goes on: of recorded variables, by patterns.

    `on` says where: in the "terminal", in the "notebook", in a "window"; "auto" takes the notebook
    that runs the program, else its terminal, else a window where there is a display.
    """

    variables: str | Sequence[str] = "*"
    on: Place = "auto"

    def __post_init__(self) -> None:
        texts = [self.variables] if isinstance(self.variables, str) else self.variables
        if not isinstance(texts, Iterable) or not all(isinstance(t, str) for t in texts):
            what = "live names recorded variables, such as ['prey.*']"
            raise OptionError(f"{what}, not {self.variables!r}")
        if self.on not in get_args(Place):
            known = ", ".join(repr(one) for one in get_args(Place))
            raise OptionError(f"a live plot is shown on one of {known}, not on {self.on!r}")

    @staticmethod
    def of(live: LiveRequest) -> LivePlot | None:
        """What `live=` means: True for everything, names, or a plot as it is."""
        match live:
            case None | False:
                return None
            case True:
                return LivePlot()
            case LivePlot():
                return live
            case str():
                return LivePlot(live)
            case _:
                return LivePlot(tuple(live) if isinstance(live, Iterable) else live)

    def watched(self, columns: Sequence[Column]) -> list[Column]:
        """The recorded columns that it shows; text and binaries have no curve."""
        names = [c.name for c in columns]
        wanted: set[str] = set()
        for pattern in split(self.variables):
            found = matching(pattern, names)
            if not found:
                hint = did_you_mean(pattern, names) or " Only what is recorded can be shown."
                raise OptionError(f"live='{pattern}' means no recorded variable.{hint}")
            wanted.update(found)
        shown = [c for c in columns if c.name in wanted and c.kind in _SHOWN]
        if not shown:
            raise OptionError(
                f"live={self.variables!r} means nothing with a numeric value; leave live out"
            )
        return shown


worded(LivePlot)
LiveRequest = bool | str | Sequence[str] | LivePlot
