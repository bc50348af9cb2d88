"""Connections and geometry as elements of an SSP."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lxml import etree

from ...core.description import Kind
from ...drawing.connection import Connection
from ...drawing.sketch import Box, Outlet, Point, Route
from ..yaml_writing import flow_text
from .cargo import Cargo
from .own import TYPE
from .types import child, text_of

_SOURCES = ("input", "parameter", "structuralParameter")  # kinds of outlet that lead inward


def connection(parent: etree._Element, c: Connection, points: tuple[Point, ...] | None) -> None:
    """A connection, with its line."""
    made = child(
        parent,
        "ssd:Connection",
        startElement=c.source.part,
        startConnector=c.source.variable.name,
        endElement=c.target.part,
        endConnector=c.target.variable.name,
        suppressUnitConversion=None if c.convert else True,
    )
    plain = (c.gain, c.offset) == (1.0, 0.0)
    ours: dict[str, Any] = {}
    if c.table and (not plain or not _mappable(c)):
        ours["table"] = [list(pair) for pair in c.table]
    elif c.table:
        boolean = c.source.variable.kind == Kind.BOOLEAN
        kind = "Boolean" if boolean else "Integer"
        table = child(made, f"ssc:{kind}MappingTransformation")
        for source, target in c.table:
            child(table, "ssc:MapEntry", source=source, target=target)
    if not plain:
        _linear(made, c.gain, c.offset)
    if points:
        x, y = zip(*points, strict=True)
        child(
            made,
            "ssd:ConnectionGeometry",
            pointsX=" ".join(map(text_of, x)),
            pointsY=" ".join(map(text_of, y)),
        )
    annotate(made, ours)


def annotate(parent: etree._Element, data: Mapping[str, Any]) -> None:
    """Our annotation of an element, if there is anything to say."""
    if data:
        group = child(parent, f"{_space(parent)}:Annotations")
        holder = child(group, "ssc:Annotation", type=TYPE)
        etree.SubElement(holder, f"{{{TYPE}}}Yaml", nsmap={TYPE: TYPE}).text = flow_text(dict(data))


def _space(element: etree._Element) -> str:
    return "ssd" if etree.QName(element).namespace.endswith("Description") else "ssc"


def _mappable(c: Connection) -> bool:
    """Whether SSP has a map for a table: of booleans, or of integers and enumerations."""
    whole = {Kind.INTEGER, Kind.ENUMERATION}
    a, b = c.source.variable.kind, c.target.variable.kind
    return (a == b == Kind.BOOLEAN) or (a in whole and (b in whole or b == Kind.REAL))


def routed(parent: etree._Element, outlet: Outlet, route: Route) -> None:
    """The connection of an outlet with a variable."""
    part, _, variable = route.variable.partition(".")
    inward = outlet.kind in _SOURCES
    ends = [(None, outlet.name), (part, variable)]
    start, end = ends if inward else ends[::-1]
    made = child(
        parent,
        "ssd:Connection",
        startElement=start[0],
        startConnector=start[1],
        endElement=end[0],
        endConnector=end[1],
        suppressUnitConversion=None if route.convert else True,
    )
    _linear(made, route.gain, route.offset)


def _linear(parent: etree._Element, gain: float, offset: float) -> None:
    if (gain, offset) != (1.0, 0.0):
        child(parent, "ssc:LinearTransformation", factor=float(gain), offset=float(offset))


def geometry(parent: etree._Element, box: Box | None, cargo: Cargo) -> None:
    """Where a block is, if that is known."""
    if box is None:
        return
    made = child(parent, "ssd:ElementGeometry")
    corners(made, box.x1, box.y1, box.x2, box.y2)
    if box.rotation:
        made.set("rotation", text_of(box.rotation))
    if box.icon is not None and Path(box.icon).is_file():
        made.set("iconSource", cargo.add(Path(box.icon)))
    if box.icon_rotation:
        made.set("iconRotation", text_of(box.icon_rotation))
    for name, value in (
        ("iconFlip", box.icon_flip),
        ("iconFixedAspectRatio", box.icon_fixed_aspect),
    ):
        if value:
            made.set(name, "true")


def corners(element: etree._Element, x1: float, y1: float, x2: float, y2: float) -> None:
    """Two corners, as attributes."""
    for name, value in zip(("x1", "y1", "x2", "y2"), (x1, y1, x2, y2), strict=True):
        element.set(name, text_of(float(value)))


def put_point(parent: etree._Element, point: Point | None) -> None:
    """Where a connector is, if that is known."""
    if point is not None:
        child(parent, "ssd:ConnectorGeometry", x=float(point[0]), y=float(point[1]))
