"""What a model description says, whatever its version."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Any

from lxml import etree

from ..units import BASE, Unit
from .definitions import ExportDefinitions
from .interface import ExportedVariable, ExportInterface

LOG_CATEGORIES = (
    *("logStatusWarning", "logStatusDiscard", "logStatusError", "logStatusFatal", "logAll"),
)


@dataclass(frozen=True, slots=True, eq=False)
class ExportDescription:
    """All that goes into a model description."""

    name: str
    identifier: str
    token: str
    tool: str
    description: str
    interface: ExportInterface
    definitions: ExportDefinitions
    start: float
    stop: float
    size: float | None  # of steps that it asks for
    saves: int
    varies: bool  # steps of any size
    only_once: bool
    needs_tool: bool


def flag(value: bool) -> str:
    """As XML has it."""
    return "true" if value else "false"


def number(value: Any) -> str:
    """A value as XML has it."""
    if isinstance(value, bool):
        return flag(value)
    return repr(float(value)) if isinstance(value, float) else str(value)


def child(parent: Any, tag: str, **attributes: Any) -> Any:
    """An element below another one; attributes that are None are left out."""
    made = etree.SubElement(parent, tag)
    for name, value in attributes.items():
        if value is not None and value != "":
            made.set(name, value if isinstance(value, str) else number(value))
    return made


def xml_of(root: Any) -> bytes:
    """The file."""
    return bytes(etree.tostring(root, xml_declaration=True, encoding="UTF-8", pretty_print=True))


def unit_definitions(root: Any, definitions: ExportDefinitions) -> None:
    """The units, the same in FMI 2 and 3."""
    if not definitions.units:
        return
    parent = child(root, "UnitDefinitions")
    for name, unit in definitions.units.items():
        one = child(parent, "Unit", name=name)
        if unit is not None:
            _base_unit(one, unit)
        for shown in definitions.display_units.get(name, {}).values():
            made = child(one, "DisplayUnit", name=shown.name)
            if shown.factor != 1:
                made.set("factor", number(shown.factor))
            if shown.offset:
                made.set("offset", number(shown.offset))


def _base_unit(parent: Any, unit: Unit) -> None:
    made = child(parent, "BaseUnit")
    for name, exponent in zip(BASE, unit.exponents, strict=True):
        if exponent:
            made.set(name, str(exponent))
    if unit.factor != 1:
        made.set("factor", number(unit.factor))
    if unit.offset:
        made.set("offset", number(unit.offset))


def bounds(v: ExportedVariable) -> dict[str, Any]:
    """Limits, nominal value and quantity of a real variable, as its part has them."""
    inner = v.inner
    if inner is None or v.type != "Float64":
        return {}
    found = {"min": inner.minimum, "max": inner.maximum, "nominal": inner.nominal}
    kept: dict[str, Any] = {n: x for n, x in found.items() if x is not None and isfinite(x)}
    return {"quantity": inner.quantity, **kept}
