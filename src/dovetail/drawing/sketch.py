"""How a drawing looks on paper: where its blocks are, and what is written beside them.

Nothing here matters to a run. Files that know of it (SSP) are read and written with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

Point = tuple[float, float]
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Box:
    """A block: lower left and upper right corner, x to the right, y up; swapped if it is flipped.

    `icon` is the path of a picture, turned and fitted as the rest says. Angles are in degrees.
    """

    x1: float
    y1: float
    x2: float
    y2: float
    rotation: float = 0.0
    icon: str | None = field(default=None, compare=False)  # where the file lies is nothing to it
    icon_rotation: float = 0.0
    icon_flip: bool = False
    icon_fixed_aspect: bool = False


@dataclass(frozen=True, slots=True)
class Mark:
    """A note on the paper; with a colour it is a frame around what lies in it."""

    x1: float
    y1: float
    x2: float
    y2: float
    text: str
    colour: str = ""


@dataclass(frozen=True, slots=True)
class Route:
    """A way from a connector of the whole system to a variable of a part, or back."""

    variable: str  # part.variable
    gain: float = 1.0
    offset: float = 0.0
    convert: bool = True


@dataclass(frozen=True, slots=True)
class Outlet:
    """A connector of the whole system: what others would connect to, were it part of theirs."""

    name: str
    kind: str  # as SSP calls it: input, output, parameter, ...
    sort: str | None = None  # Real, Integer, ...
    unit: str | None = None
    point: Point | None = None
    label: str = ""
    routes: tuple[Route, ...] = ()
    items: tuple[tuple[str, int], ...] = ()  # of an enumeration
    shape: tuple[int | str | None, ...] = ()


@dataclass(frozen=True, slots=True)
class PlotPanel:
    """Signals of one plot, `part.variable`; drawn over time, or over another signal."""

    signals: tuple[str, ...]
    over: str = ""


@dataclass(frozen=True, slots=True)
class Sketch:
    """All of it: boxes by part, connectors by part.variable, lines by the input they end at."""

    title: str = ""  # of the root system, where it differs from the name
    canvas: tuple[float, float, float, float] | None = None
    boxes: Mapping[str, Box] = field(default_factory=dict)
    points: Mapping[str, Point] = field(default_factory=dict)
    lines: Mapping[str, tuple[Point, ...]] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)  # by part; of the system itself: ""
    marks: tuple[Mark, ...] = ()
    outlets: tuple[Outlet, ...] = ()
    joints: Mapping[str, Point] = field(default_factory=dict)  # junctions by their first port
    colours: Mapping[str, str] = field(default_factory=dict)  # by part
    plots: tuple[PlotPanel, ...] = ()

    def copy(self) -> Sketch:
        """The same once more, with mappings of its own."""
        return self.changed(lambda name: name, lambda name: True)

    def changed(self, part: Callable[[str], str | None], variable: Callable[[str], bool]) -> Sketch:
        """The sketch after parts were renamed or removed, or variables of theirs are gone.

        `part` gives the new name of a part, or None; `variable` says of a `part.variable`, under
        its new name, whether something of the kind is still drawn there.
        """

        def moved(name: str) -> str | None:
            first, _, rest = name.partition(".")
            found = part(first)
            return f"{found}.{rest}" if found is not None and variable(f"{found}.{rest}") else None

        plots = (
            PlotPanel(
                tuple(n for s in p.signals if (n := moved(s))), (p.over and moved(p.over)) or ""
            )
            for p in self.plots
        )
        routes = (
            (outlet, [(moved(r.variable), r) for r in outlet.routes]) for outlet in self.outlets
        )
        return replace(
            self,
            boxes=_keyed(self.boxes, part),
            points=_keyed(self.points, moved),
            lines=_keyed(self.lines, moved),
            labels=_keyed(self.labels, lambda name: part(name) if name else name),
            joints=_keyed(self.joints, moved),
            colours=_keyed(self.colours, part),
            plots=tuple(p for p in plots if p.signals),
            outlets=tuple(
                replace(o, routes=tuple(replace(r, variable=v) for v, r in found if v is not None))
                for o, found in routes
            ),
        )


def _keyed(things: Mapping[str, _T], key: Callable[[str], str | None]) -> dict[str, _T]:
    """The same by other keys, without those that have none."""
    return {new: thing for old, thing in things.items() if (new := key(old)) is not None}
