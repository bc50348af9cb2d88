"""Systems as elements of an SSP, with all that is in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

from lxml import etree

from ...core.description import Variable
from ...core.errors import DrawingError, FileError, OptionError, Problem
from ...drawing.connection import Connection
from ...drawing.part import Part
from ...drawing.sketch import Box, Outlet, Route
from ...drawing.system import System
from ...fmi.model import Fmu
from ...models import Merged, Nested, Table
from ...subsystems.subsystem import Model
from ..families import as_data
from ..layout import plots_data, unsaid_look
from ..yaml_writing import connection_data, junction_data
from .cargo import Cargo
from .components import ComponentWriter
from .connections import annotate, connection, corners, geometry, put_point, routed
from .types import child


class Writer(ComponentWriter):
    """Writes systems into elements, and collects what cannot be written."""

    def __init__(self, cargo: Cargo) -> None:
        super().__init__(cargo)
        self.problems: list[Problem] = []

    def system(
        self,
        parent: etree._Element,
        system: System,
        name: str,
        *,
        outlets: Iterable[Outlet] = (),
        box: Box | None = None,
        label: str | None = None,
        own: Mapping[str, Any] | None = None,
        models: Mapping[str, Variable] | None = None,
    ) -> None:
        """A system with all that is in it; `own` is more for our annotation."""
        sketch, outlets = system.sketch, tuple(outlets)
        made = child(parent, "ssd:System", name=name, description=label or None)
        if outlets:
            group = child(made, "ssd:Connectors")
            for outlet in outlets:
                self._outlet(group, outlet, (models or {}).get(outlet.name))
        geometry(made, box, self.cargo)
        self._bindings_from_above(made, system)
        if system.parts:
            elements = child(made, "ssd:Elements")
            led = [r for o in outlets for r in o.routes]
            for part in system.parts.values():
                self._part(elements, part, system, led)
        ours = [c for c in system.connections if _is_ours(c, system)]
        drawn = [c for c in system.connections if not (c.junction or _is_ours(c, system))]
        routes = [(o, r) for o in outlets for r in o.routes]
        if drawn or routes:
            group = child(made, "ssd:Connections")
            for c in drawn:
                connection(group, c, sketch.lines.get(str(c.target)))
            for outlet, route in routes:
                routed(group, outlet, route)
        if sketch.canvas is not None:
            corners(child(made, "ssd:SystemGeometry"), *sketch.canvas)
        if sketch.marks:
            group = child(made, "ssd:GraphicalElements")
            for mark in sketch.marks:
                note = child(group, "ssd:Note")
                corners(note, mark.x1, mark.y1, mark.x2, mark.y2)
                note.set("text", mark.text)
        data = dict(own or {})
        if ours:
            data["connections"] = [connection_data(c) for c in ours]
        if system.junctions:
            data["junctions"] = [junction_data(j) for j in system.junctions]
        look = unsaid_look(system)
        if system.sketch.plots:
            data["plots"] = plots_data(system.sketch.plots)
        annotate(made, data | ({"look": look} if look else {}))

    # parts ----------------------------------------------------------------------------------------

    def _part(
        self, parent: etree._Element, part: Part, system: System, routes: list[Route]
    ) -> None:
        try:
            if isinstance(part.model, Nested | Merged):
                self._nested(parent, part, part.model, system)
            else:
                self.component(parent, part, system, routes)
        except DrawingError as error:
            self.problems += error.problems
        except (FileError, OptionError) as error:
            self.problems.append(Problem(part.name, f"part '{part.name}': {error}"))

    # systems as parts -----------------------------------------------------------------------------

    def _nested(
        self, parent: etree._Element, part: Part, model: Nested | Merged, system: System
    ) -> None:
        own: dict[str, Any] = {}
        if model.system.name != part.name:
            own["name"] = model.system.name
        if isinstance(model, Nested):
            own["nested"] = _options(
                model, "algorithm", "controller", "rtol", "atol", "share_events"
            )
        else:
            if model.solver is not None and not isinstance(model.solver, str):
                what = f"part '{part.name}' has a solver without a name, which no file can hold."
                raise DrawingError([Problem(part.name, what)])
            own["merge"] = _options(model, "solver", "rtol", "atol", "step")
        if model.names:
            own["names"] = dict(model.names)
        if part.forced:
            own["force"] = sorted(part.forced)
        inner = dict(model.names)
        d = model.description
        outlets = [
            Outlet(
                v.name,
                kind,
                point=system.sketch.points.get(f"{part.name}.{v.name}"),
                routes=(Route(inner.get(v.name, v.name)),),
            )
            for kind, variables in (("input", d.inputs), ("output", d.outputs))
            for v in variables
        ]
        self.system(
            parent,
            model.system,
            part.name,
            outlets=outlets,
            box=system.sketch.boxes.get(part.name),
            label=system.sketch.labels.get(part.name),
            own=own,
            models={v.name: v for v in (*d.inputs, *d.outputs)},
        )

    def _bindings_from_above(self, parent: etree._Element, system: System) -> None:
        """Values of parts that are systems: here, as inside they would be those of their parts."""
        group = None
        for part in system.parts.values():
            if not isinstance(part.model, Nested | Merged) or not part.values:
                continue
            group = child(parent, "ssd:ParameterBindings") if group is None else group
            d = part.description
            known = {v.name: v for v in (*d.inputs, *d.parameters)}
            binding = child(group, "ssd:ParameterBinding", prefix=f"{part.name}.")
            self.put_values(binding, part, {n: (known[n], v) for n, v in part.values.items()})

    def _outlet(self, parent: etree._Element, outlet: Outlet, variable: Variable | None) -> None:
        made = child(
            parent,
            "ssd:Connector",
            name=outlet.name,
            kind=outlet.kind,
            description=outlet.label or None,
        )
        if variable is not None:
            self.glossary.sort(made, _NO_MODEL, variable)
        elif outlet.sort is not None:
            self.glossary.put(made, outlet.sort, outlet.unit, outlet.items, outlet.shape)
        self.glossary.is_new |= outlet.kind in ("local", "constant", "structuralParameter")
        put_point(made, outlet.point)


def _is_ours(c: Connection, system: System) -> bool:
    """Whether SSP forbids a connection: from an output to a parameter."""
    model = system.parts[c.source.part].model
    if c.target.variable.name not in system.parts[c.target.part].tuned:
        return False
    if not isinstance(model, Fmu):
        return True
    return model.fmu.by_name[c.source.variable.name].causality != "calculatedParameter"


_NO_MODEL: Model = Table(time=[0.0], columns={"x": [0.0]})  # a model that knows no types of FMI 3


def _options(model: Any, *names: str) -> Any:
    """The options that are not the usual ones; true if all are."""
    found: dict[str, Any] = {}
    for f in fields(model):
        value = getattr(model, f.name)
        if f.name in names and value != f.default:
            found[f.name] = as_data(value) if f.name in ("algorithm", "controller") else value
    return found or True
