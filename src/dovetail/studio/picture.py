"""A drawing as the page shows it: plain data, made anew after every edit."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ..core.description import Variable
from ..diagrams.chart import Block, Pin
from ..diagrams.charting import chart_of
from ..drawing.system import System
from ..formats.families import called
from ..formats.run_data import run_data
from .details import title_of
from .document import EditedDocument
from .levels import Beyond, can_be_entered
from .paper import colour_of, marks_of, spots_of, way_of
from .pins import places_of


def picture_of(
    document: EditedDocument, whole: Collection[str] = (), inside: Sequence[str] = ()
) -> dict[str, Any]:
    """The drawing, or what is in a group of it, and what can be done with it.

    `whole` are blocks shown with all their pins.
    """
    system, scale = document.level(list(inside))
    chart = chart_of(system, whole=whole, free_ports=True)
    spots = spots_of(chart, system.sketch, scale)
    beyond = Beyond.of(document.system, inside)
    drawn = [c for c in system.connections if not c.junction]
    blocks = []
    for block in chart.blocks:
        spot = spots[block.name]
        place = {"x": spot.x, "y": spot.y, "width": spot.width, "height": spot.height}
        if block.is_junction:
            blocks.append({**place, "name": block.name, "junction": True, "cycle": block.cycle})
        else:
            shown = _block(block, system, beyond, spot.height)
            blocks.append({**place, **shown})
    wires = [
        {
            "source": str(c.source),
            "target": str(c.target),
            "gain": c.gain,
            "offset": c.offset,
            "convert": c.convert,
            "table": [list(pair) for pair in c.table],
            "label": link.label,
            "cycle": link.cycle,
            **way_of(system.sketch, str(c.target), scale),
            **beyond.signal(str(c.source)),
        }
        for c, link in zip(drawn, chart.links, strict=False)
    ]
    bonds = [
        {"from": _end(chart.blocks, link.source, right=True),
         "to": _end(chart.blocks, link.target, right=False),
         "junction": link.details,
         **_solved(system, link.details)}
        for link in chart.links[len(drawn) :]
    ]  # fmt: skip
    return {
        "revision": document.revision,
        "name": system.name,
        "file": None if document.path is None else document.folder.name_of(document.path),
        "saved": document.is_saved,
        "trusted": document.is_trusted,
        "undo": document.undoable,
        "redo": document.redoable,
        "notes": document.notes,
        "blocks": blocks,
        "wires": wires,
        "bonds": bonds,
        "marks": marks_of(system.sketch, scale),
        "inside": list(inside),
        "settings": run_data(document.system.run_settings),
        "plots": _plots(document.system),
    }


def _block(block: Block, system: System, beyond: Beyond, height: float) -> dict[str, Any]:
    part = system.parts[block.name]
    d = part.description
    sorts = {v.name: v for v in (*d.inputs, *d.outputs, *d.parameters)}
    places = places_of(block.name, system.sketch, block.left, block.right, height)

    def pins(side: str, listed: Sequence[Pin]) -> list[dict[str, Any]]:
        found = list[dict[str, Any]]()
        for pin in listed:
            at = places.get((side, pin.name))
            more: dict[str, Any] = {} if at is None else {"at": list(at)}
            name = f"{block.name}.{pin.name}"
            more |= beyond.port(name) if pin.kind == "power" else beyond.pin(name)
            found.append({**_pin(pin, sorts, d.ports), **more})
        return found

    return {
        "name": block.name,
        "kind": block.kind,
        "model": title_of(part),
        "left": pins("left", block.left),
        "right": pins("right", block.right),
        "hidden": [block.hidden_left, block.hidden_right],
        "cycle": block.cycle,
        **({"group": True} if can_be_entered(part) else {}),
        **colour_of(system.sketch, block.name),
    }


def _pin(pin: Pin, sorts: Mapping[str, Variable], ports: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {"name": pin.name, "kind": pin.kind, "linked": pin.is_linked}
    if pin.kind == "power":
        return {**found, "type": ports[pin.name].domain, "unit": None}
    v = sorts[pin.name]
    size = f"{list(v.shape)}" if v.shape else ""
    return {**found, "type": f"{v.kind}{size}", "unit": v.unit}


def _end(blocks: Any, place: tuple[int, int], *, right: bool) -> list[str]:
    block = blocks[place[0]]
    if block.is_junction:
        return [block.name, ""]
    return [block.name, (block.right if right else block.left)[place[1]].name]


def _solved(system: System, junction: str) -> dict[str, Any]:
    """How a junction is to be solved, where that was said."""
    for j in system.junctions:
        if j.name == junction and j.coordinator is not None:
            return {"coordinator": called(j.coordinator)}
    return {}


def _plots(system: System) -> list[dict[str, Any]]:
    """What is plotted, panel by panel."""
    return [{"signals": list(p.signals), "over": p.over} for p in system.sketch.plots]
