"""One part as the inspector shows it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..core.description import Variable
from ..drawing.part import Part
from ..drawing.system import System
from ..fmi.model import Fmu
from ..formats.referred_model import ReferredModel
from ..machines.remote_model import RemoteModel
from ..models import Merged, Nested, Table
from .plain import plain


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
        "model": title_of(part),
        "states": d.states,
        "parameters": [_variable(v, part.values) for v in d.parameters],
        "inputs": [{**_variable(v, part.values), "fed": fed.get(v.name)} for v in d.inputs],
        "outputs": [_variable(v, {}) for v in d.outputs],
        "ports": [{"name": n, **_port(p)} for n, p in d.ports.items()],
        "abilities": [{"what": what, "able": bool(can)} for what, can in abilities.items()],
        "against_rollback": able.against_rollback,
        "has_documentation": isinstance(part.model, Fmu),
    }


def title_of(part: Part) -> str:
    """Where the model of a part comes from, in a word or two."""
    match part.model:
        case Fmu(path=str(path)) | Table(path=str(path)):
            return path.rpartition("/")[2]
        case RemoteModel(address=address):
            return str(address)
        case ReferredModel(reference=reference):
            return str(reference).rpartition("/")[2]
        case Nested(system=system) | Merged(system=system):
            count = len(system.parts)
            return f"group of {count} part{'s' * (count != 1)}"
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
