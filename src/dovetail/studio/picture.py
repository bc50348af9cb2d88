"""A drawing as the page shows it: plain data, made anew after every edit."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ..core.description import Variable
from ..diagrams.chart import Block, Pin
from ..diagrams.charting import chart_of
from ..drawing.part import Part
from ..drawing.system import System
from ..fmi.model import Fmu
from ..formats.families import called
from ..formats.referred_model import ReferredModel
from ..formats.run_data import run_data
from ..machines.remote_model import RemoteModel
from ..models import Table
from .document import EditedDocument
from .paper import spots_of
from .plain import plain


def picture_of(document: EditedDocument, whole: Collection[str] = ()) -> dict[str, Any]:
    """The drawing, and what can be done with it; `whole` are blocks shown with all their pins."""
    system = document.system
    chart = chart_of(system, whole=whole, free_ports=True)
    spots = spots_of(chart, system.sketch, document.scale)
    drawn = [c for c in system.connections if not c.junction]
    blocks = []
    for block in chart.blocks:
        spot = spots[block.name]
        place = {"x": spot.x, "y": spot.y, "width": spot.width, "height": spot.height}
        if block.is_junction:
            blocks.append({**place, "name": block.name, "junction": True, "cycle": block.cycle})
        else:
            blocks.append({**place, **_block(block, system.parts[block.name])})
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
        "marks": _marks(system, document.scale),
        "settings": run_data(system.run_settings),
        "plots": [{"signals": list(p.signals), "over": p.over} for p in system.sketch.plots],
    }


def details_of(system: System, name: str) -> dict[str, Any]:
    """What the inspector shows of a part."""
    part = system.parts[name]
    d = part.description
    able = d.capabilities
    abilities = {
        "can roll back": able.can_restore or able.can_repeat,
        "gives derivatives of its outputs": able.can_tell_derivatives,
        "can be linearized": able.can_linearize,
        "has events": able.has_events,
        "may end a window early": able.can_return_early,
        "takes windows of any size": able.can_vary_size,
        "can be written into checkpoints": able.can_serialize,
    }
    fed = {
        c.target.variable.name: str(c.source)
        for c in system.connections
        if c.target.part == name and not c.junction
    }
    return {
        "name": name,
        "kind": d.kind,
        "model": _title(part),
        "states": d.states,
        "parameters": [_variable(v, part.values) for v in d.parameters],
        "inputs": [{**_variable(v, part.values), "fed": fed.get(v.name)} for v in d.inputs],
        "outputs": [_variable(v, {}) for v in d.outputs],
        "ports": [{"name": n, **_port(p)} for n, p in d.ports.items()],
        "abilities": [{"what": what, "able": bool(can)} for what, can in abilities.items()],
        "against_rollback": able.against_rollback,
    }


def _block(block: Block, part: Part) -> dict[str, Any]:
    d = part.description
    sorts = {v.name: v for v in (*d.inputs, *d.outputs, *d.parameters)}
    return {
        "name": block.name,
        "kind": block.kind,
        "model": _title(part),
        "left": [_pin(p, sorts, d.ports) for p in block.left],
        "right": [_pin(p, sorts, d.ports) for p in block.right],
        "hidden": [block.hidden_left, block.hidden_right],
        "cycle": block.cycle,
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


def _marks(system: System, scale: float) -> list[dict[str, Any]]:
    return [
        {"x": min(m.x1, m.x2) * scale, "y": -max(m.y1, m.y2) * scale, "text": m.text}
        for m in system.sketch.marks
    ]


def _title(part: Part) -> str:
    """Where the model of a part comes from, in a word or two."""
    match part.model:
        case Fmu(path=str(path)) | Table(path=str(path)):
            return path.rpartition("/")[2]
        case RemoteModel(address=address):
            return str(address)
        case ReferredModel(reference=reference):
            return str(reference).rpartition("/")[2]
    return type(part.model).__name__


def _variable(v: Variable, values: Mapping[str, Any]) -> dict[str, Any]:
    given = values.get(v.name)
    return {
        "name": v.name,
        "type": f"{v.kind}{list(v.shape) if v.shape else ''}",
        "unit": v.unit,
        "start": plain(v.start),
        "value": plain(given) if v.name in values else None,
        "given": v.name in values,
        "minimum": plain(v.minimum),
        "maximum": plain(v.maximum),
        "literals": list(v.literals)[:200],
        "description": v.description[:500],
        "variability": v.variability,
    }


def _port(port: Any) -> dict[str, Any]:
    return {"domain": port.domain, "effort": port.effort, "flow": port.flow}
