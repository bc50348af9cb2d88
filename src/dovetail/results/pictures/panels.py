"""Which variables share a panel: those of one unit, else those of one part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ...core.description import Kind
from .traces import Trace

MOST_PANELS = 6
COLOURS = (
    "#2563a8",
    "#e07b2c",
    "#2f9e77",
    "#b8336a",
    "#7a5cc0",
    "#b09020",
    "#3aa0b8",
    "#d1495b",
    "#667487",
    "#8a6a4f",
)
_LONGEST = 29  # characters along an axis


@dataclass(frozen=True, slots=True)
class Panel:
    """Traces on one pair of axes. Lanes show values that are not numeric, one above another."""

    group: str  # the unit, or the part
    unit: str | None = None
    traces: list[Trace] = field(default_factory=list)
    lanes: bool = False
    left_out: int = 0
    first: int = 0  # the place of its first colour

    def colour(self, place: int) -> str:
        """The colour of its curve in this place."""
        return self.traces[place].look.colour or COLOURS[(self.first + place) % len(COLOURS)]

    @property
    def names(self) -> list[str]:
        """The variables, each once."""
        return list(dict.fromkeys(trace.column.name for trace in self.traces))

    @property
    def label(self) -> str:
        """What the values are, with their unit: as many names as there is room for."""
        if self.lanes:
            return ""
        unit = f" [{self.unit}]" if self.unit else ""
        room = _LONGEST - len(unit)
        names, whole = self.names, ", ".join(self.names)
        if len(names) == 1 or (len(whole) <= room and not self.left_out):
            return f"{whole}{unit}"
        last = {name.rpartition(".")[2] for name in names}
        if len(last) == 1:
            return f"{last.pop()}{unit}"
        while len(names) > 1 and len(", ".join(names)) + 3 > room:
            names = names[:-1]
        return f"{', '.join(names)}, …{unit}"

    def entry(self, place: int) -> str:
        """What the legend says of a trace: its run alone, where the axis has the name."""
        trace = self.traces[place]
        alone = trace.run and len(self.names) == 1 and not self.lanes
        return trace.run if alone else trace.name


def panels(drawn: Sequence[Trace], most_curves: int) -> list[Panel]:
    """At most six panels, lanes last, with at most so many curves each."""
    groups = _grouped(drawn, by_part=True)
    if len(groups) > MOST_PANELS:
        groups = _grouped(drawn, by_part=False)
    if len(groups) > MOST_PANELS:
        groups = _merged(groups)
    enough = len(drawn) <= len(COLOURS)  # for all; else every panel begins anew
    stack, first = [], 0
    for one in sorted(groups, key=lambda p: p.lanes):
        shown = one.traces[:most_curves]
        left_out = len(one.traces) - len(shown)
        begin = first if enough else 0
        stack.append(Panel(one.group, one.unit, shown, one.lanes, left_out, begin))
        first += len(shown)
    return stack


def _grouped(drawn: Sequence[Trace], *, by_part: bool) -> list[Panel]:
    found: dict[tuple[str, str], Panel] = {}
    for trace in drawn:
        column = trace.column
        part = column.name.rpartition(".")[0] if by_part else ""
        lanes = (Kind.BOOLEAN, Kind.CLOCK, Kind.STRING, Kind.BINARY)
        if column.kind in lanes and trace.over is None:
            key, panel = ("lanes", ""), Panel("", lanes=True)
        elif column.kind is not Kind.REAL:
            key, panel = ("integers", ""), Panel("integer")
        elif column.unit is not None:
            key, panel = ("unit", column.unit), Panel(column.unit, column.unit)
        else:
            key, panel = ("part", part), Panel(part)
        found.setdefault(key, panel).traces.append(trace)
    return list(found.values())


def _merged(groups: list[Panel]) -> list[Panel]:
    """The largest groups as they are, all others in one panel."""
    lines = [p for p in groups if not p.lanes]
    lanes = [p for p in groups if p.lanes]
    room = MOST_PANELS - len(lanes) - 1
    large = sorted(lines, key=lambda p: len(p.traces), reverse=True)[:room]
    rest = [p for p in lines if all(p is not q for q in large)]
    others = Panel("several units", None, [trace for p in rest for trace in p.traces])
    return [*(p for p in lines if any(p is q for q in large)), others, *lanes]
