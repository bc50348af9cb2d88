"""How an SSP looks on paper, made flat: all coordinates in those of the root system."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ...drawing.sketch import Box, Mark, Outlet, Point, Route, Sketch
from ...drawing.system import System
from ...units import UnitError
from .document import Component, Connector, Element, Group
from .flattening import Flat, Hop, Key, Path
from .parts import PartDraft
from .ways import Fact, Way, WayStep

Corners = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Frame:
    """Where the canvas of a system lies on the paper: x -> a x + b, y -> c y + d."""

    a: float = 1.0
    b: float = 0.0
    c: float = 1.0
    d: float = 0.0

    @staticmethod
    def between(canvas: Corners, box: Box) -> Frame | None:
        """From a canvas into a block; None where it has no extent."""
        x1, y1, x2, y2 = canvas
        if x1 == x2 or y1 == y2:
            return None
        a, c = (box.x2 - box.x1) / (x2 - x1), (box.y2 - box.y1) / (y2 - y1)
        return Frame(a, box.x1 - a * x1, c, box.y1 - c * y1)

    def point(self, p: Point) -> Point:
        """A point on the paper."""
        return self.a * p[0] + self.b, self.c * p[1] + self.d

    def box(self, box: Box) -> Box:
        """A block on the paper."""
        if self == Frame():
            return box
        (x1, y1), (x2, y2) = self.point((box.x1, box.y1)), self.point((box.x2, box.y2))
        look = (box.rotation, box.icon, box.icon_rotation, box.icon_flip, box.icon_fixed_aspect)
        return Box(x1, y1, x2, y2, *look)


class Sketcher:
    """Gathers what belongs on the paper."""

    def __init__(
        self,
        flat: Flat,
        drafts: Mapping[Path, PartDraft],
        root: Path,
        fact: Callable[[Key], Fact],
    ) -> None:
        self.flat, self.drafts, self.root, self.fact = flat, drafts, root, fact
        self.frames: dict[Path, Frame | None] = {root: Frame()}
        for path, group in flat.groups.items():
            if path != root:
                self.frames[path] = self._framed(path, group)

    def sketch(self, group: Group, drawn: System, whole: bool) -> Sketch:
        """All of it; what is outside of the system only if it is a `whole` one."""
        boxes, points, labels = dict[str, Box](), dict[str, Point](), dict[str, str]()
        if group.label and whole:
            labels[""] = group.label
        for path, draft in self.drafts.items():
            element, frame = draft.element, self.frames[path[:-1]]
            if draft.name not in drawn.parts:
                continue
            if element.box is not None and frame is not None:
                boxes[draft.name] = frame.box(element.box)
            if element.label:
                labels[draft.name] = element.label
            for c in element.connectors.values():
                own = draft.name_of(c.name)
                if c.point is not None and own is not None:
                    points[f"{draft.name}.{own}"] = c.point
        return Sketch(
            group.name if whole and group.name != drawn.name else "",
            group.canvas,
            boxes,
            points,
            self._lines(drawn),
            labels,
            tuple(self._marks()),
            tuple(self._outlets(group, drawn)) if whole else (),
        )

    def _framed(self, path: Path, group: Group) -> Frame | None:
        outer = self.frames.get(path[:-1])
        if outer is None or group.box is None:
            return None
        canvas = group.canvas or _extent([e.box for e in group.elements if _is_block(e)])
        return None if canvas is None else Frame.between(canvas, outer.box(group.box))

    def _lines(self, drawn: System) -> dict[str, tuple[Point, ...]]:
        found = {}
        wired = {str(c.target) for c in drawn.connections if not c.junction}
        for target in self.flat.targets():
            draft = self.drafts[target.path]
            name = f"{draft.name}.{draft.name_of(target.name)}"
            points = [p for hop in self.flat.way(target) for p in self._points(hop)]
            if points and name in wired:
                found[name] = tuple(points)
        return found

    def _points(self, hop: Hop) -> list[Point]:
        home, frame = hop.home, self.frames.get(hop.home)
        points = [] if frame is None else [frame.point(p) for p in hop.wire.points]
        name, connector = hop.wire.start
        path = home if name is None else (*home, name)
        forward = hop.source == Key(path, connector) or bool(hop.source.dictionary)
        return points if forward else points[::-1]

    def _marks(self) -> list[Mark]:
        found = []
        for path, group in self.flat.groups.items():
            frame = self.frames[path]
            for note in group.notes if frame is not None else ():
                assert frame is not None
                first, second = frame.point((note.x1, note.y1)), frame.point((note.x2, note.y2))
                found.append(Mark(*first, *second, note.text))
        return found

    def _outlets(self, group: Group, drawn: System) -> list[Outlet]:
        ways: dict[str, list[Route]] = {name: [] for name in group.connectors}
        for target in self.flat.targets():
            hops = self.flat.way(target)
            if hops[0].source.path == self.root and not hops[0].source.dictionary:
                route = self._route(target, hops, drawn)
                if route is not None:
                    ways[hops[0].source.name].append(route)
        for name in group.connectors:
            hops = self.flat.way(Key(self.root, name))
            if hops and hops[0].source.path in self.drafts:
                route = self._route(hops[0].source, hops, drawn)
                if route is not None:
                    ways[name].append(route)
        return [_outlet(c, tuple(ways[c.name])) for c in group.connectors.values()]

    def _route(self, end: Key, hops: list[Hop], drawn: System) -> Route | None:
        draft = self.drafts[end.path]
        own = draft.name_of(end.name)
        if own is None or draft.name not in drawn.parts:
            return None
        steps = [WayStep(Fact(), hop.wire.convert, hop.wire.change) for hop in hops]
        try:
            way = Way.along(Fact(), steps)
        except (ValueError, UnitError):
            return None
        return Route(f"{draft.name}.{own}", *way.changed, way.converts)


def _is_block(element: Element) -> bool:
    return isinstance(element, Component | Group)


def _extent(boxes: list[Box | None]) -> Corners | None:
    known = [b for b in boxes if b is not None]
    if not known:
        return None
    x = [v for b in known for v in (b.x1, b.x2)]
    y = [v for b in known for v in (b.y1, b.y2)]
    return min(x), min(y), max(x), max(y)


def _outlet(c: Connector, routes: tuple[Route, ...]) -> Outlet:
    if c.sort is None:
        return Outlet(c.name, c.kind, None, None, c.point, c.label, routes)
    items = tuple((c.sort.enumeration or {}).items())
    sort = "Integer" if c.sort.name == "Enumeration" and not items else c.sort.name
    more = (sort, c.sort.unit, c.point, c.label, routes, items, c.sort.shape)
    return Outlet(c.name, c.kind, *more)
