"""A system in the place of a component that refers to it."""

from __future__ import annotations

from .document import Component, Connector, Group


def placed(system: Group, component: Component) -> Group:
    """A system in the place of the component that refers to it, whose bindings come last."""
    shown = {
        name: _overridden(c, component.connectors.get(name))
        for name, c in system.connectors.items()
    }
    return Group(
        name=component.name,
        place=component.place,
        connectors={**component.connectors, **shown},
        bindings=(*system.bindings, *component.bindings),
        box=component.box or system.box,
        label=component.label or system.label,
        annotations=(*system.annotations, *component.annotations),
        elements=system.elements,
        wires=system.wires,
        dictionaries=system.dictionaries,
        canvas=system.canvas,
        notes=system.notes,
    )


def _overridden(connector: Connector, outside: Connector | None) -> Connector:
    if outside is None or outside.point is None:
        return connector
    c = connector
    return Connector(c.name, c.kind, c.place, c.sort, c.clocks, outside.point, c.inner, c.label)
