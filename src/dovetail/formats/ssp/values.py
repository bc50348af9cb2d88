"""Types, values and transformations, as SSP files write them."""

from __future__ import annotations

from typing import Any

from ...core.description import Kind
from ...fmi.description.unit_definitions import means_the_same, named
from ...units import BASE, Unit, UnitError
from ...xml import lexical
from .complaints import Complaints
from .document import Change, Dictionary, Entry, Parameter, Sort
from .nodes import Node
from .rules import CHANGES, FLOATS, TYPES, WHOLES

_KINDS = {
    **dict.fromkeys(FLOATS, Kind.REAL),
    **dict.fromkeys(WHOLES, Kind.INTEGER),
    "Boolean": Kind.BOOLEAN,
    "String": Kind.STRING,
    "Enumeration": Kind.ENUMERATION,
    "Binary": Kind.BINARY,
    "Clock": Kind.CLOCK,
}


def dictionary_of(root: Node, complaints: Complaints) -> Dictionary:
    """The units and enumerations that a file defines."""
    space = root.tag[:3]
    units: dict[str, Unit] = {}
    for node in root.all(f"{space}:Units/ssc:Unit"):
        base = node.one("ssc:BaseUnit")
        if base is None:
            continue
        name = node.get("name", "")
        try:
            unit = Unit.of(
                name,
                factor=base.get("factor", 1.0),
                offset=base.get("offset", 0.0),
                **{one: base.get(one, 0) for one in BASE},
            )
        except UnitError as error:
            complaints.problem(node.place, str(error))
            continue
        meant = named(name)
        if meant is not None and meant.exponents[:-1] != unit.exponents[:-1]:
            complaints.note(node.place, f"defines '{name}' as {unit}, which is something else")
        if name in units and units[name] != unit:
            complaints.problem(node.place, "there is another unit of this name")
        units[name] = unit
    enumerations: dict[str, dict[str, int]] = {}
    for node in root.all(f"{space}:Enumerations/ssc:Enumeration"):
        items = [(i.get("name", ""), i.get("value", 0)) for i in node.all("ssc:Item")]
        if len(dict(items)) < len(items):
            complaints.problem(node.place, "has two items of one name")
        enumerations[node.get("name", "")] = dict(items)
    return Dictionary(units, enumerations)


def unit_text(name: str | None, dictionary: Dictionary) -> str | None:
    """A unit as `dovetail.units` reads it: its name if that means the same, else its definition."""
    if not name:
        return None
    defined = dictionary.units.get(name)
    if defined is None:
        return name if named(name) is not None else None
    return name if means_the_same(name, defined) else str(defined)


def sort_of(node: Node, dictionary: Dictionary, complaints: Complaints) -> Sort | None:
    """The type of a connector, dictionary entry or parameter, if there is one."""
    space = "ssv" if node.tag.startswith("ssv") else "ssc"
    found = [c for c in node.children if c.tag[4:] in TYPES and c.tag[:3] == space]
    if len(found) > 1:
        complaints.problem(node.place, f"has two types, {found[0].tag} and {found[1].tag}")
    shape = tuple(_extent(d, complaints) for d in node.all("ssc:Dimension"))
    if not found:
        return None
    one = found[0]
    name, unit, items = one.tag[4:], one.get("unit"), None
    if unit and unit not in dictionary.units and named(unit) is None:
        what = "names a unit that is not defined, so that its numbers are not converted"
        complaints.note(one.place, what)
    elif unit and unit not in dictionary.units:
        what = "names a unit that the file does not define; it is read as its name says"
        complaints.note(one.place, what)
    if name == "Enumeration" and not one.get("name") and space == "ssc":
        complaints.note(one.place, "does not name its enumeration")
    elif name == "Enumeration" and one.get("name"):
        items = dictionary.enumerations.get(one.get("name"))
        if items is None:
            what = f"names an enumeration '{one.get('name')}', which the file does not define"
            complaints.note(one.place, what)
    if name == "Clock" and any(
        one.get(word) for word in ("shiftDecimal", "shiftCounter", "priority")
    ):
        complaints.note(one.place, "shift and priority of a clock are those of the model")
    interval = one.get("intervalDecimal")
    if interval is None and one.get("intervalCounter") and one.get("resolution"):
        interval = one.get("intervalCounter") / one.get("resolution")
    text = unit_text(unit, dictionary)
    return Sort(name, _KINDS[name], text, items, shape, interval, unit or None)


def parameters_of(root: Node, complaints: Complaints) -> tuple[Parameter, ...]:
    """The values of a parameter set."""
    dictionary = dictionary_of(root, complaints)
    found: dict[str, Parameter] = {}
    for node in root.all("ssv:Parameters/ssv:Parameter"):
        name, sort = node.get("name", ""), sort_of(node, dictionary, complaints)
        if sort is None:
            complaints.problem(node.place, "has no value")
            continue
        if name in found:
            what = "there is a parameter of this name already; the last one counts"
            complaints.note(node.place, what)
        holder = next(c for c in node.children if c.tag == f"ssv:{sort.name}")
        try:
            value = _value(holder, sort)
        except ValueError as error:
            complaints.problem(holder.place, str(error))
            continue
        found[name] = Parameter(name, sort, value, node.place)
    return tuple(found.values())


def entries_of(root: Node, complaints: Complaints) -> tuple[Entry, ...]:
    """The lines of a parameter mapping."""
    found: dict[str, Entry] = {}
    for node in root.all("ssm:MappingEntry"):
        target = node.get("target", "")
        if target in found:
            complaints.problem(node.place, f"'{target}' is mapped to twice")
        convert = not node.get("suppressUnitConversion", False)
        change = change_of(node, complaints)
        found[target] = Entry(node.get("source", ""), target, node.place, convert, change)
    return tuple(found.values())


def change_of(node: Node, complaints: Complaints) -> Change | None:
    """The transformation in a connection or mapping entry, if there is one."""
    found = [c for c in node.children if c.tag[4:] in CHANGES]
    if len(found) > 1:
        complaints.problem(node.place, "has two transformations; one is the most")
    if not found:
        return None
    one = found[0]
    pairs = [(e.get("source"), e.get("target")) for e in one.all("ssc:MapEntry")]
    if len({source for source, _ in pairs}) < len(pairs):
        complaints.problem(one.place, "maps one value twice")
    given = (one.get("factor", 1.0), one.get("offset", 0.0))
    return Change(one.tag[4:], one.place, *given, tuple(pairs))


def _extent(node: Node, complaints: Complaints) -> int | str | None:
    size: int | None = node.get("size")
    connector: str | None = node.get("sizeConnector")
    if size is not None and connector is not None:
        complaints.problem(node.place, "has a size and a sizeConnector; one is the most")
    return connector if size is None else int(size)


def _value(node: Node, sort: Sort) -> Any:
    """A scalar, or a tuple for an array; ValueError says why there is none."""
    listed = [v.get("value", "") for v in node.all("ssv:Value")]
    given = node.get("value")
    if listed and given is not None:
        raise ValueError("has a value and Value elements; one of both is the most")
    if sort.name in ("String", "Enumeration", "Binary"):
        if given is None and not listed:
            raise ValueError("lacks a value")
        words = listed or [given]
        values = [lexical.octets(w) for w in words] if sort.name == "Binary" else words
    else:
        if given is None:
            return None  # reported already
        values = list(given)
    if sort.shape:
        return tuple(values)
    if len(values) != 1:
        raise ValueError(f"has {len(values)} values and no Dimension; a scalar has one")
    return values[0]
