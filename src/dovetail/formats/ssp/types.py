"""Types, units and values as an SSP writes them, and the definitions that go with them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from lxml import etree

from ...core.description import Kind, Variable
from ...fmi.model import Fmu
from ...subsystems.subsystem import Model
from ...units import BASE, parse
from .rules import NAMESPACES, OLD_TYPES

_NAMES = {
    Kind.REAL: "Real",
    Kind.INTEGER: "Integer",
    Kind.BOOLEAN: "Boolean",
    Kind.STRING: "String",
    Kind.ENUMERATION: "Enumeration",
    Kind.BINARY: "Binary",
    Kind.CLOCK: "Clock",
}
_SMALL = range(-(2**31), 2**31)


def child(parent: etree._Element, tag: str, /, **attributes: Any) -> etree._Element:
    """A new element; attributes that are None are left out."""
    prefix, _, name = tag.partition(":")
    made = etree.SubElement(parent, f"{{{NAMESPACES[prefix]}}}{name}")
    for key, value in attributes.items():
        if value is not None:
            made.set(key.replace("_", "-") if key == "mime_type" else key, text_of(value))
    return made


def text_of(value: Any) -> str:
    """A scalar as XML has it, to the last digit."""
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, float | np.floating):
        return repr(float(value))
    return value.hex() if isinstance(value, bytes) else str(value)


@dataclass(slots=True)
class Glossary:
    """What the elements of a file need to have defined: units, enumerations, its version."""

    units: dict[str, None] = field(default_factory=dict)
    enumerations: dict[str, tuple[tuple[str, int], ...]] = field(default_factory=dict)
    is_new: bool = False  # whether something in it came with SSP 2.0

    def sort(self, parent: etree._Element, model: Model, v: Variable) -> None:
        """The type of a variable, as an element."""
        name = _type_of(model, v)
        self.put(parent, name, v.unit if v.is_real else None, items_of(model, v), v.shape)

    def put(
        self,
        parent: etree._Element,
        name: str,
        unit: str | None,
        items: tuple[tuple[str, int], ...] = (),
        shape: tuple[int | str | None, ...] = (),
    ) -> None:
        """A type, with what it needs."""
        if name == "Enumeration" and not items:
            name = "Integer"
        if unit:
            self.units[unit] = None
        called = self._called(items) if name == "Enumeration" else None
        child(parent, f"ssc:{name}", unit=unit or None, name=called)
        for extent in shape:
            which = "size" if isinstance(extent, int) else "sizeConnector"
            child(parent, "ssc:Dimension", **({} if extent is None else {which: extent}))
        self.is_new = self.is_new or name not in OLD_TYPES or bool(shape)

    def value(self, parent: etree._Element, model: Model, v: Variable, value: Any) -> None:
        """A value, as an element."""
        flat = np.asarray(value, dtype=object).ravel().tolist() if v.shape else [value]
        name = _NAMES[v.kind]
        if name == "Enumeration":
            names = {number: item for item, number in items_of(model, v)}
            flat = [names.get(number, number) for number in flat]
        if name == "Enumeration" and not all(isinstance(one, str) for one in flat):
            name = "Integer"
        if name == "Integer" and not all(int(one) in _SMALL for one in flat):
            name, self.is_new = "UInt64" if max(flat) >= 2**63 else "Int64", True
        if v.shape and name in ("String", "Enumeration", "Binary"):
            made = child(parent, f"ssv:{name}")
            for one in flat:
                child(made, "ssv:Value", value=one)
        else:
            child(parent, f"ssv:{name}", value=" ".join(map(text_of, flat)) if v.shape else flat[0])
        for extent in v.shape:
            child(parent, "ssc:Dimension", size=extent)
        self.is_new = self.is_new or bool(v.shape)

    def write(self, root: etree._Element) -> None:
        """The definitions, behind the system."""
        if self.enumerations:
            group = child(root, "ssd:Enumerations")
            for name, items in self.enumerations.items():
                made = child(group, "ssc:Enumeration", name=name)
                for item, number in items:
                    child(made, "ssc:Item", name=item, value=number)
        if self.units:
            group = child(root, "ssd:Units")
            for name in self.units:
                unit = parse(name)
                made = child(group, "ssc:Unit", name=name)
                powers = zip(BASE, unit.exponents, strict=True)
                child(
                    made,
                    "ssc:BaseUnit",
                    **{base: power for base, power in powers if power},
                    factor=None if unit.factor == 1.0 else unit.factor,
                    offset=None if unit.offset == 0.0 else unit.offset,
                )

    def _called(self, items: tuple[tuple[str, int], ...]) -> str:
        for name, known in self.enumerations.items():
            if known == items:
                return name
        name = f"Enumeration{len(self.enumerations) + 1}"
        self.enumerations[name] = items
        return name


def items_of(model: Model, v: Variable) -> tuple[tuple[str, int], ...]:
    """The items of an enumeration, with their numbers."""
    if isinstance(model, Fmu):
        known = model.fmu.by_name.get(v.name)
        declared = model.fmu.types.get(known.declared_type or "") if known else None
        if declared is not None and v.kind == Kind.ENUMERATION:
            return tuple((item.name, item.value) for item in declared.items)
    return tuple((name, k + 1) for k, name in enumerate(v.literals))


def _type_of(model: Model, v: Variable) -> str:
    """The name of a type: that of FMI 3 where the model has it."""
    if isinstance(model, Fmu) and model.fmu.version == "3.0":
        known = model.fmu.by_name.get(v.name)
        if known is not None:
            return str(known.type)
    return _NAMES[v.kind]
