"""Parts as components of an SSP: FMUs, and tables from files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from lxml import etree

from ...core.description import Variable
from ...core.errors import DrawingError, Problem
from ...drawing.part import Part
from ...drawing.sketch import Route
from ...drawing.system import System
from ...fmi.description.conversion import to_variable
from ...fmi.model import Fmu
from ...machines.remote_model import RemoteModel
from ...models import Table
from ..loading import options_of_table
from .cargo import Cargo
from .connections import annotate, geometry, put_point
from .document import FMU
from .types import Glossary, child

_IMPLEMENTATIONS = {
    "model exchange": "ModelExchange",
    "co-simulation": "CoSimulation",
    "scheduled execution": "ScheduledExecution",
}
_TABLES = {
    ".csv": "text/csv",
    ".tsv": "text/tab-separated-values",
    ".txt": "text/plain",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".parquet": "application/vnd.apache.parquet",
}
_ELSEWHERE = ("path", "ports", "kind", "structural", "unpacked")  # options that have a place


_PART = "application/x-dovetail-part"  # at an address, dovetail://...


def _access(name: str, model: RemoteModel) -> dict[str, Any]:
    options = model.options()
    if "token" in options:
        what = f"part '{name}' is used with token=, which no file should hold"
        raise DrawingError([Problem(name, f"{what}; load it with token_file=.")])
    return {"options": options} if options else {}


class ComponentWriter:
    """Writes parts, with their connectors, values and options."""

    def __init__(self, cargo: Cargo) -> None:
        self.cargo, self.glossary = cargo, Glossary()

    def component(
        self, parent: etree._Element, part: Part, system: System, routes: list[Route]
    ) -> None:
        """One part; what cannot be written raises."""
        model, sketch = part.model, system.sketch
        own: dict[str, Any] = {}
        kind = None
        match model:
            case Fmu():
                folder = model.unpacked or model.path
                name = f"{Path(model.path).stem}.fmu"
                source, type_ = self.cargo.add(Path(folder), name), FMU
                kind = None if model.kind is None else _IMPLEMENTATIONS[model.interface.kind]
                own = self._options(part.name, model)
                self.glossary.is_new |= kind == "ScheduledExecution"
            case Table(path=str(path)):
                options = options_of_table(model)
                own = {"options": options} if options else {}
                source, type_ = self.cargo.add(Path(path)), _TABLES[Path(path).suffix.lower()]
            case RemoteModel():
                source, type_, own = str(model.address), _PART, _access(part.name, model)
            case _:
                what = (
                    f"part '{part.name}' is not an FMU or a table from a file, and SSP holds "
                    "nothing else; save the system as .yaml, or put an FMU in its place."
                )
                raise DrawingError([Problem(part.name, what)])
        made = child(
            parent,
            "ssd:Component",
            name=part.name,
            description=sketch.labels.get(part.name),
            type=type_,
            source=source,
            implementation=kind,
        )
        self._connectors(made, part, system, routes)
        geometry(made, sketch.boxes.get(part.name), self.cargo)
        structural = dict(model.structural) if isinstance(model, Fmu) else {}
        self._values(made, part, {**structural, **part.values})
        annotate(made, {**own, "force": sorted(part.forced)} if part.forced else own)

    def _connectors(
        self, parent: etree._Element, part: Part, system: System, routes: list[Route]
    ) -> None:
        """Inputs and outputs, and whatever else is connected."""
        d, fmu = part.description, part.model if isinstance(part.model, Fmu) else None
        used = {str(c.source) for c in system.connections} | {r.variable for r in routes}
        group = None
        listed = [("input", v) for v in d.inputs] + [("output", v) for v in d.outputs]
        listed += [("parameter", v) for v in d.parameters if f"{part.name}.{v.name}" in used]
        if fmu is not None:
            known = {v.name for _, v in listed}
            listed += [
                ("local", to_variable(own, fmu.fmu, fmu.structural))
                for own in fmu.fmu.variables
                if f"{part.name}.{own.name}" in used and own.name not in known
            ]
        done = set[str]()
        for usual, v in listed:
            kind: str = usual
            where = f"{part.name}.{v.name}"
            if fmu is not None:
                kind = fmu.fmu.by_name[v.name].causality
                if kind == "local" and where not in used:
                    continue
                self.glossary.is_new |= kind in ("local", "structuralParameter")
            if v.name in done:
                continue
            done.add(v.name)
            group = child(parent, "ssd:Connectors") if group is None else group
            made = child(group, "ssd:Connector", name=v.name, kind=kind)
            self.glossary.sort(made, part.model, v)
            put_point(made, system.sketch.points.get(where))

    def _values(self, parent: etree._Element, part: Part, values: Mapping[str, Any]) -> None:
        if not values:
            return
        model, known = part.model, {}
        for v in (*part.description.inputs, *part.description.parameters):
            known[v.name] = v
        if isinstance(model, Fmu):
            for name in model.structural:
                known[name] = to_variable(model.fmu.by_name[name], model.fmu)
        binding = child(child(parent, "ssd:ParameterBindings"), "ssd:ParameterBinding")
        self.put_values(binding, part, {n: (known[n], v) for n, v in values.items()})

    def put_values(
        self, binding: etree._Element, part: Part, values: Mapping[str, tuple[Variable, Any]]
    ) -> None:
        """Values into a binding, as a parameter set."""
        holder = child(binding, "ssd:ParameterValues")
        version = "2.0" if any(v.shape for v, _ in values.values()) else "1.0"
        made = child(holder, "ssv:ParameterSet", version=version, name=part.name)
        group = child(made, "ssv:Parameters")
        for key, (variable, value) in values.items():
            made = child(group, "ssv:Parameter", name=key)
            self.glossary.value(made, part.model, variable, value)

    def _options(self, name: str, model: Fmu) -> dict[str, Any]:
        """What only we know of an FMU."""
        if model.solver is not None and not isinstance(model.solver, str):
            what = f"part '{name}' has a solver without a name, which no file can hold."
            raise DrawingError([Problem(name, what)])
        found = {
            f.name: dict(value) if isinstance(value, Mapping) else value
            for f in fields(model)
            if f.name not in _ELSEWHERE and (value := getattr(model, f.name)) not in (f.default, {})
        }
        own: dict[str, Any] = {"options": found} if found else {}
        if model.ports:
            ports = model.ports.items()
            own["ports"] = {
                n: {k: v for k, v in asdict(p).items() if v is not None} for n, p in ports
            }
        return own
