"""Changes of a drawing. Each gives another drawing, or is refused."""

from __future__ import annotations

from ..core.errors import DrawingError, Problem, did_you_mean
from ..subsystems.subsystem import Model
from .canvas import Canvas
from .connection import Connection
from .part import Part
from .revision import C, Revision


def without(canvas: C, name: str) -> C:
    """The drawing without a part."""
    _part(canvas, name)

    def kept(part: str) -> str | None:
        return None if part == name else part

    return Revision.of(canvas, kept).redrawn(canvas, kept)


def renamed(canvas: C, old: str, new: str) -> C:
    """The drawing with another name for a part."""
    _part(canvas, old)
    if new != old and (problems := canvas.checked_name(new)):
        raise DrawingError(problems, canvas.name)

    def name(part: str) -> str:
        return new if part == old else part

    return Revision.of(canvas, name).redrawn(canvas, name)


def replaced(canvas: C, name: str, model: Model) -> C:
    """The drawing with another model in the place of a part."""
    before = _part(canvas, name)
    part, unfit = canvas.blank().checked_part(name, model, before.values, before.forced)
    if part is None:
        raise DrawingError(unfit, canvas.name)
    way_out = " Its value is taken away with system.set('{}', None)."
    found = [Problem(p.where, p.what + way_out.format(p.where)) for p in unfit]
    whole = Revision.of(canvas)
    parts = tuple(part if p.name == name else p for p in whole.parts)
    revision = Revision(parts, whole.wires, whole.joints)
    found += revision.drawn(canvas)[1]
    if found:
        start = f"the model for '{name}' does not fit: "
        raise DrawingError([Problem(p.where, start + p.what) for p in found], canvas.name)
    return revision.redrawn(canvas)


def disconnected(canvas: C, name: str, other: str | None) -> C:
    """The drawing without what feeds an input, or without a wire, or with a port left alone."""
    names = [_resolved(canvas, text) for text in (name, other) if text is not None]
    whole = Revision.of(canvas)
    wire = _wire(canvas, names)
    if wire is not None:
        wires = tuple(w for w in whole.wires if w[2] is not wire)
        return Revision(whole.parts, wires, whole.joints).redrawn(canvas)
    junction = next((j for j in canvas.junctions if set(names) <= set(map(str, j.ends))), None)
    if junction is None:
        raise DrawingError([Problem(name, _not_connected(canvas, names))], canvas.name)
    if len(names) == 2 < len(junction.ends):
        what = (
            f"more than two ports meet in the junction {junction.name}; name the one that leaves."
        )
        raise DrawingError([Problem(name, what)], canvas.name)
    joints = (
        (tuple(p for p in ports if j is not junction or p not in names), j)
        for ports, j in whole.joints
    )
    kept = tuple((ports, j) for ports, j in joints if len(ports) > 1)
    return Revision(whole.parts, whole.wires, kept).redrawn(canvas)


def _part(canvas: Canvas, name: str) -> Part:
    part = canvas.parts.get(name)
    if part is None:
        what = f"there is no part '{name}'.{did_you_mean(str(name), canvas.parts)}"
        raise DrawingError([Problem(str(name), what)], canvas.name)
    return part


def _resolved(canvas: Canvas, text: str) -> str:
    """`part.variable` or `part.port` as the drawing has it; refused where there is none."""
    name, dot, inner = str(text).partition(".")
    if not dot:
        what = f"{text!r} names no variable; write 'part.variable'."
        raise DrawingError([Problem(str(text), what)], canvas.name)
    d = _part(canvas, name).description
    known = [v.name for v in (*d.inputs, *d.outputs, *d.parameters)] + list(d.ports)
    inner = inner if inner in known else d.aliases.get(inner, inner)
    if inner not in known:
        what = f"'{text}' is not a variable or port of '{name}'.{did_you_mean(inner, known)}"
        raise DrawingError([Problem(str(text), what)], canvas.name)
    return f"{name}.{inner}"


def _wire(canvas: Canvas, names: list[str]) -> Connection | None:
    """The connection to an input, or between two variables, whichever of them comes first."""
    for c in canvas.connections:
        ends = {str(c.target)} if len(names) == 1 else {str(c.source), str(c.target)}
        if not c.junction and set(names) == ends:
            return c
    return None


def _not_connected(canvas: Canvas, names: list[str]) -> str:
    """Why there is nothing to take away."""
    name = names[0]
    if len(names) == 2:
        return f"'{name}' and '{names[1]}' are not connected."
    part, _, inner = name.partition(".")
    junction = canvas.junction_of(part, inner)
    if junction is not None:
        port = next(e for e in junction.ends if (e.part, e.input.name) == (part, inner))
        by = f"is decided by the junction {junction.name}"
        return f"'{name}' {by}; disconnect its port '{port}' instead."
    fed = [f"'{c.target}'" for c in canvas.connections if str(c.source) == name and not c.junction]
    if fed:
        return f"'{name}' is an output; name the input that it feeds: {' or '.join(fed)}."
    return f"'{name}' is not connected."
