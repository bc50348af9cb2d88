"""Units and types of an export, gathered from its parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..fmi.description.definitions import DisplayUnit, TypeDefinition
from ..units import Unit
from .inner_part import InnerPart
from .interface import ExportedVariable, ExportInterface


@dataclass(frozen=True, slots=True, eq=False)
class ExportDefinitions:
    """Units with their display units, types of enumerations, and what each variable has of them."""

    units: dict[str, Unit | None]
    display_units: dict[str, dict[str, DisplayUnit]]
    types: dict[str, TypeDefinition]
    unit_of: dict[str, str]  # by name of a variable
    type_of: dict[str, str]

    @staticmethod
    def of(interface: ExportInterface, parts: Sequence[InnerPart]) -> ExportDefinitions:
        """What the variables use; where two parts mean different things by a name, both stay."""
        found = ExportDefinitions({}, {}, {}, {}, {})
        for v in interface.variables:
            if v.inner is not None:
                found._add_unit(v, parts[v.part])
                found._add_type(v, parts[v.part])
        return found

    def _add_unit(self, v: ExportedVariable, part: InnerPart) -> None:
        assert v.inner is not None
        name, fmu = v.inner.unit, part.model.fmu
        if name is None or v.type != "Float64":
            return
        unit = fmu.units.get(name)
        if name in self.units and self.units[name] != unit:
            name = f"{name} of {part.name}"
        self.units.setdefault(name, unit)
        shown = fmu.display_units.get(v.inner.unit or "", {})
        self.display_units.setdefault(name, {}).update(shown)
        self.unit_of[v.name] = name

    def _add_type(self, v: ExportedVariable, part: InnerPart) -> None:
        assert v.inner is not None
        if v.type != "Enumeration":
            return
        name = v.inner.declared_type or v.inner.name
        known = part.model.fmu.types.get(v.inner.declared_type or "")
        found = replace(known or TypeDefinition(name, "Enumeration"), name=f"{part.name}.{name}")
        self.types[found.name] = found
        self.type_of[v.name] = found.name
