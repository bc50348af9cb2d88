"""Reading the units that an FMU defines."""

from __future__ import annotations

from math import isclose, pi

from lxml import etree

from ...units import BASE, Unit, UnitError, parse
from ...xml.attributes import Attributes, children
from ...xml.report import ProblemReport
from .definitions import DisplayUnit

Units = dict[str, Unit | None]
DisplayUnits = dict[str, dict[str, DisplayUnit]]


def units(parent: etree._Element | None, report: ProblemReport) -> tuple[Units, DisplayUnits]:
    """Units of FMI 2 and 3, and how they may be displayed."""
    found: Units = {}
    displayed: DisplayUnits = {}
    for element in children(parent, "Unit", report=report):
        attributes = Attributes(element, report)
        name = attributes.text("name")
        attributes.done()
        known = children(element, "BaseUnit", "DisplayUnit", "Annotations", report=report)
        base = next((child for child in known if child.tag == "BaseUnit"), None)
        found[name] = named(name) if base is None else _defined(name, base, report)
        for child in known:
            if child.tag == "DisplayUnit":
                one = _displayed(Attributes(child, report))
                displayed.setdefault(name, {})[one.name] = one
    return found, displayed


def units_1(parent: etree._Element | None, report: ProblemReport) -> tuple[Units, DisplayUnits]:
    """Units of FMI 1, which have a name and no definition."""
    found: Units = {}
    displayed: DisplayUnits = {}
    for element in children(parent, "BaseUnit", report=report):
        attributes = Attributes(element, report)
        name = attributes.text("unit")
        attributes.done()
        found[name] = named(name)
        for child in children(element, "DisplayUnitDefinition", report=report):
            one = Attributes(child, report)
            shown = one.text("displayUnit")
            gain, offset = one.real("gain"), one.real("offset")
            one.done()
            factor = 1.0 if gain is None else gain
            displayed.setdefault(name, {})[shown] = DisplayUnit(shown, factor, offset or 0.0)
    return found, displayed


def named(name: str) -> Unit | None:
    """The unit that a name stands for, where no definition is given."""
    try:
        return parse(name)
    except UnitError:
        return None


def means_the_same(name: str, defined: Unit) -> bool:
    """Whether a name means the unit that is defined, but for radians or turns left away."""
    known = named(name)
    if known is None or known.exponents[:-1] != defined.exponents[:-1]:
        return False
    angles = known.exponents[-1] - defined.exponents[-1]
    if angles and defined.exponents[-1]:
        return False
    factors = (defined.factor, defined.factor * (2 * pi) ** angles)
    return isclose(known.offset, defined.offset, rel_tol=1e-6) and any(
        isclose(known.factor, factor, rel_tol=1e-6) for factor in factors
    )


def _defined(name: str, base: etree._Element, report: ProblemReport) -> Unit | None:
    attributes = Attributes(base, report, f"'{name}'")
    exponents = {one: attributes.whole(one, -99, 99) or 0 for one in BASE}
    factor, offset = attributes.real("factor"), attributes.real("offset")
    attributes.done()
    try:
        return Unit.of(
            name, factor=1.0 if factor is None else factor, offset=offset or 0.0, **exponents
        )
    except UnitError:
        attributes.lenient("the definition of a unit makes no sense")
        return None


def _displayed(attributes: Attributes) -> DisplayUnit:
    factor = attributes.real("factor")
    found = DisplayUnit(
        attributes.text("name"),
        1.0 if factor is None else factor,
        attributes.real("offset") or 0.0,
        attributes.flag("inverse"),
    )
    attributes.done()
    return found
