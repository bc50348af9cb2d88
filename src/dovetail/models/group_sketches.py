"""How a drawing looks after parts of it became a group, or a group was taken apart."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

from ..drawing.sketch import Box, Outlet, PlotPanel, Point, Sketch
from ..drawing.system import System

_Rename = Callable[[str], str]  # of a `part.variable`


def gathered(sketch: Sketch, inside: Mapping[str, str], name: str, after: System) -> Sketch:
    """One block in the middle of those that are in it now; lines that ended at them are gone.

    `inside` gives parts the names that their variables begin with from now on.
    """
    boxes = {n: b for n, b in sketch.boxes.items() if n not in inside}
    within = [sketch.boxes[n] for n in inside if n in sketch.boxes]
    if within:
        x, y = middle(within)
        wide = sum(abs(b.x2 - b.x1) for b in within) / len(within) / 2
        high = sum(abs(b.y2 - b.y1) for b in within) / len(within) / 2
        boxes[name] = Box(x - wide, y - high, x + wide, y + high)
    fed = {str(c.target) for c in after.connections if not c.junction and c.source.part != name}
    made = sketch.changed(lambda part: None if part in inside else part, lambda _: True)

    def into(text: str) -> str:
        part, dot, variable = text.partition(".")
        return f"{inside.get(part, part)}{dot}{variable}"

    return replace(
        made,
        boxes=boxes,
        lines={n: way for n, way in made.lines.items() if n in fed},
        joints=_met(sketch, into, after),
        outlets=_led(sketch, into),
        plots=_plotted(sketch, into),
    )


def scattered(sketch: Sketch, inner: Sketch, name: str, change: _Rename) -> Sketch:
    """The blocks of a group around the place where it was."""
    made = sketch.changed(lambda part: None if part == name else part, lambda _: True)
    boxes = dict(inner.boxes)
    if name in sketch.boxes and boxes:
        here, there = middle([sketch.boxes[name]]), middle(boxes.values())
        dx, dy = here[0] - there[0], here[1] - there[1]
    else:
        dx = dy = 0.0
    return replace(
        made,
        boxes={**made.boxes, **{n: shifted(b, dx, dy) for n, b in boxes.items()}},
        points={**made.points, **inner.points},
        labels={**{n: text for n, text in inner.labels.items() if n}, **made.labels},
        lines={
            **made.lines,
            **{n: tuple((x + dx, y + dy) for x, y in way) for n, way in inner.lines.items()},
        },
        joints={
            **{change(n): at for n, at in sketch.joints.items()},
            **{n: (x + dx, y + dy) for n, (x, y) in inner.joints.items()},
        },
        colours={**made.colours, **inner.colours},
        outlets=_led(sketch, change),
        plots=_plotted(sketch, change),
    )


def followed(sketch: Sketch, change: _Rename, after: System) -> Sketch:
    """The sketch of what is around a group whose inside was changed."""
    fed = {str(c.target) for c in after.connections if not c.junction}
    lines = {change(n): way for n, way in sketch.lines.items()}
    return replace(
        sketch,
        points={change(n): at for n, at in sketch.points.items()},
        lines={n: way for n, way in lines.items() if n in fed},
        outlets=_led(sketch, change),
        plots=_plotted(sketch, change),
    )


def middle(boxes: Collection[Box]) -> tuple[float, float]:
    """The middle of what these boxes take."""
    x = [v for b in boxes for v in (b.x1, b.x2)]
    y = [v for b in boxes for v in (b.y1, b.y2)]
    return (min(x) + max(x)) / 2, (min(y) + max(y)) / 2


def shifted(box: Box, dx: float, dy: float) -> Box:
    """The same box elsewhere."""
    return replace(box, x1=box.x1 + dx, x2=box.x2 + dx, y1=box.y1 + dy, y2=box.y2 + dy)


def _met(sketch: Sketch, change: _Rename, after: System) -> dict[str, Point]:
    """Where junctions are, by the first port of each that is still there."""
    first = {str(j.ends[0]) for j in after.junctions}
    return {change(n): at for n, at in sketch.joints.items() if change(n) in first}


def _led(sketch: Sketch, change: _Rename) -> tuple[Outlet, ...]:
    """Connectors of the whole, whose ways lead to variables by their new names."""
    return tuple(
        replace(o, routes=tuple(replace(r, variable=change(r.variable)) for r in o.routes))
        for o in sketch.outlets
    )


def _plotted(sketch: Sketch, change: _Rename) -> tuple[PlotPanel, ...]:
    """The plots, of the same signals by their new names."""
    return tuple(
        replace(p, signals=tuple(map(change, p.signals)), over=p.over and change(p.over))
        for p in sketch.plots
    )
