"""Reading what belongs to the type of a variable: start value, limits, unit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

from ...units import Unit
from ...xml import lexical
from ...xml.attributes import Attributes
from ...xml.types import FLOATS, RANGES, Scalar, Type
from .definitions import DisplayUnit, TypeDefinition
from .unit_definitions import means_the_same, named
from .variable import Start


@dataclass(frozen=True, slots=True)
class Definitions:
    """The units and types that variables refer to. Units are added when they are used."""

    units: dict[str, Unit | None]
    display_units: Mapping[str, Mapping[str, DisplayUnit]]
    types: Mapping[str, TypeDefinition]
    must_define_units: bool = True
    used: set[str] = field(default_factory=set)


def typed(attributes: Attributes, type_: Type, defined: Definitions) -> dict[str, Any]:
    """What a variable says of its type, or its declared type says for it."""
    declared = attributes.optional("declaredType")
    base = _declared(attributes, declared, type_, defined.types)
    found: dict[str, Any] = {"declared_type": declared}
    if type_ in FLOATS or type_ in RANGES:
        found["quantity"] = attributes.optional("quantity") or base.quantity
        low, high = attributes.real("min"), attributes.real("max")
        found["minimum"] = base.minimum if low is None else low
        found["maximum"] = base.maximum if high is None else high
    if type_ in FLOATS:
        nominal = attributes.real("nominal")
        found["nominal"] = base.nominal if nominal is None else nominal
        found["unit"] = unit = attributes.optional("unit") or base.unit
        found["display_unit"] = shown = attributes.optional("displayUnit") or base.display_unit
        found["relative"] = attributes.flag("relativeQuantity", base.relative)
        found["unbounded"] = attributes.flag("unbounded", base.unbounded)
        _check_units(attributes, unit, shown, defined)
    elif type_ == "Enumeration" and not base.items:
        attributes.lenient("an enumeration has no items")
    elif type_ == "Binary":
        size = attributes.whole("maxSize", 0, 2**64 - 1)
        found["max_size"] = base.max_size if size is None else size
        found["mime_type"] = (
            attributes.optional("mimeType") or base.mime_type or "application/octet-stream"
        )
    return found


def start_of(
    attributes: Attributes, written: Sequence[str], type_: Type, shape: tuple[int, ...] = ()
) -> Start | None:
    """The start value that is written; of an array, all of them."""
    if not written:
        return None
    if type_ not in ("String", "Binary") and not any(text.strip() for text in written):
        attributes.lenient("a start value is empty")
        return None
    try:
        values = tuple(_start(attributes, text, type_) for text in written)
    except ValueError as error:
        attributes.problem(f"the start value of {attributes.subject} cannot be read: {error}")
        return None
    size = prod(shape)
    if len(values) not in (1, size):
        one = "value" if size == 1 else "values"
        attributes.problem(
            f"{attributes.subject} has {len(values)} start values for {size} {one} in it"
        )
        return None
    return values if shape else values[0]


def _start(attributes: Attributes, text: str, type_: Type) -> Scalar:
    found = lexical.value(text, type_)
    if type_ == "Boolean" and not lexical.is_standard_flag(text):
        attributes.lenient("true or false is capitalised")
    elif type_ in RANGES and "." in text:
        attributes.lenient("the start value of an integer has a decimal point")
    return found


def _declared(
    attributes: Attributes, name: str | None, type_: Type, types: Mapping[str, TypeDefinition]
) -> TypeDefinition:
    if name is None:
        return TypeDefinition("", type_)
    found = types.get(name)
    if found is None:
        attributes.lenient(f"the declared type '{name}' is not defined")
    elif found.type != type_:
        attributes.lenient(f"the declared type '{name}' is {found.type}, not {type_}, ignored")
    else:
        return found
    return TypeDefinition("", type_)


def _check_units(
    attributes: Attributes, unit: str | None, shown: str | None, defined: Definitions
) -> None:
    if unit is not None and unit not in defined.used:
        defined.used.add(unit)
        named_here = f"'{unit}' of {attributes.subject}"
        if unit not in defined.units:
            defined.units[unit] = named(unit)
            if defined.must_define_units:
                attributes.lenient("a unit is not defined", named_here)
        found = defined.units[unit]
        if found is None:
            what = "a unit cannot be read, its values are not converted"
            attributes.lenient(what, named_here, forbidden=False)
        elif named(unit) is not None and not means_the_same(unit, found):
            what = "a unit is not defined as its name says, the definition is taken"
            attributes.lenient(what, f"{named_here} as {found}", forbidden=False)
    if shown is not None and shown != unit:
        if unit is None:
            attributes.lenient("a display unit is given without a unit")
        elif shown not in defined.display_units.get(unit, {}):
            attributes.lenient("a display unit is not defined")
