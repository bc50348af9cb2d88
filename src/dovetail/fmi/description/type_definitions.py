"""Reading the types that an FMU defines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

from lxml import etree

from ...xml.attributes import Attributes, children
from ...xml.report import ProblemReport
from ...xml.types import FLOATS, RANGES, Type
from .definitions import Item, TypeDefinition
from .variable import Timing

TYPES_1_AND_2: Mapping[str, Type] = {
    "Real": "Float64",
    "Integer": "Int32",
    "Boolean": "Boolean",
    "String": "String",
    "Enumeration": "Enumeration",
}
TYPES_3: Mapping[str, Type] = {name: name for name in get_args(Type)}
_INTERVALS = ("constant", "fixed", "tunable", "changing", "countdown", "triggered")

Types = dict[str, TypeDefinition]


def types_1(parent: etree._Element | None, report: ProblemReport) -> Types:
    """Types of FMI 1: `<Type name="..."><RealType/></Type>`."""
    return _wrapped(parent, "Type", {f"{k}Type": t for k, t in TYPES_1_AND_2.items()}, report)


def types_2(parent: etree._Element | None, report: ProblemReport) -> Types:
    """Types of FMI 2: `<SimpleType name="..."><Real/></SimpleType>`."""
    return _wrapped(parent, "SimpleType", TYPES_1_AND_2, report)


def types_3(parent: etree._Element | None, report: ProblemReport) -> Types:
    """Types of FMI 3: `<Float64Type name="..."/>`."""
    found: Types = {}
    tags = {f"{name}Type": type_ for name, type_ in TYPES_3.items()}
    for element in children(parent, *tags, report=report):
        attributes = Attributes(element, report)
        name = attributes.subject = attributes.text("name")
        text = attributes.text("description")
        found[name] = _defined(name, tags[str(element.tag)], text, attributes, element, report)
    return found


def timing(attributes: Attributes, default: Timing | None = None) -> Timing:
    """When a clock ticks: what is said here, else what its type says."""
    other = default or Timing("")
    variability = attributes.choice("intervalVariability", _INTERVALS, "")
    interval, shift = attributes.real("intervalDecimal"), attributes.real("shiftDecimal")
    resolution = attributes.whole("resolution", 0, 2**64 - 1)
    counter = attributes.whole("intervalCounter", 0, 2**64 - 1)
    shift_counter = attributes.whole("shiftCounter", 0, 2**64 - 1)
    priority = attributes.whole("priority")
    return Timing(
        interval_variability=variability or other.interval_variability,
        interval=other.interval if interval is None else interval,
        shift=other.shift if shift is None else shift,
        supports_fraction=attributes.flag("supportsFraction", other.supports_fraction),
        resolution=other.resolution if resolution is None else resolution,
        interval_counter=other.interval_counter if counter is None else counter,
        shift_counter=other.shift_counter if shift_counter is None else shift_counter,
        can_be_deactivated=attributes.flag("canBeDeactivated", other.can_be_deactivated),
        priority=other.priority if priority is None else priority,
    )


def _wrapped(
    parent: etree._Element | None, tag: str, inner: Mapping[str, Type], report: ProblemReport
) -> Types:
    found: Types = {}
    for element in children(parent, tag, report=report):
        outer = Attributes(element, report)
        name, text = outer.text("name"), outer.text("description")
        outer.done()
        for child in children(element, *inner, report=report)[:1]:
            attributes = Attributes(child, report, f"'{name}'")
            found[name] = _defined(name, inner[str(child.tag)], text, attributes, child, report)
    return found


def _defined(
    name: str,
    type_: Type,
    text: str,
    attributes: Attributes,
    element: etree._Element,
    report: ProblemReport,
) -> TypeDefinition:
    numbers = type_ in FLOATS or type_ in RANGES
    real = type_ in FLOATS
    found = TypeDefinition(
        name,
        type_,
        quantity=attributes.optional("quantity"),
        unit=attributes.optional("unit") if real else None,
        display_unit=attributes.optional("displayUnit") if real else None,
        minimum=attributes.real("min") if numbers else None,
        maximum=attributes.real("max") if numbers else None,
        nominal=attributes.real("nominal") if real else None,
        relative=attributes.flag("relativeQuantity") if real else False,
        unbounded=attributes.flag("unbounded") if real else False,
        items=_items(element, report) if type_ == "Enumeration" else (),
        timing=timing(attributes) if type_ == "Clock" else None,
        mime_type=attributes.optional("mimeType") if type_ == "Binary" else None,
        max_size=attributes.whole("maxSize", 0, 2**64 - 1) if type_ == "Binary" else None,
        description=text,
    )
    attributes.done()
    return found


def _items(element: etree._Element, report: ProblemReport) -> tuple[Item, ...]:
    """The values of an enumeration. In FMI 1 they are counted from one."""
    found = []
    for place, child in enumerate(children(element, "Item", "Annotations", report=report), 1):
        if child.tag == "Item":
            attributes = Attributes(child, report)
            value = attributes.whole("value", *RANGES["Enumeration"])
            name, text = attributes.text("name"), attributes.text("description")
            found.append(Item(name, place if value is None else value, text))
            attributes.done()
    return tuple(found)
