"""ECCO, as configurations of the Open Simulation Platform ask for it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lxml import etree

from ..controllers import Energy
from ..core.errors import InputError
from ..drawing.system import System
from ..xml import lexical
from ..xml.attributes import line_of
from .ssp.complaints import Complaints, Place

_HOLDER = "EccoConfiguration"
_OPTIONS = {
    "SafetyFactor": "safety",
    "StepSize": "first_size",
    "MinimumStepSize": "min_size",
    "MaximumStepSize": "max_size",
    "RelativeTolerance": "rtol",
    "AbsoluteTolerance": "atol",
}


def energy(
    root: etree._Element,
    path: Path,
    bonds: Mapping[str, list[set[str]]],
    system: System,
    complaints: Complaints,
) -> Energy:
    """Windows by the energy residual at the power bonds that connections name.

    `bonds`: by name, the two ends of each connection that belongs to it.
    """
    place = Place(str(path), line_of(root), _HOLDER)
    given: dict[str, Any] = {}
    holders = [e for e in root.iterchildren(etree.Element) if _name(e) == _HOLDER]
    if not holders:
        complaints.problem(place, "is missing, and 'ecco' needs it")
    for child in (e for holder in holders for e in holder.iterchildren(etree.Element)):
        name = _OPTIONS.get(_name(child))
        if name is None:
            continue
        try:
            given[name] = lexical.real((child.text or "").strip())
        except ValueError as error:
            complaints.problem(Place(str(path), line_of(child), _name(child)), str(error))
    gains = "its gains and rates of change are those of dv.Energy, not those of the file"
    complaints.note(place, gains)
    try:
        return Energy(**given, bonds=_products(bonds, system))
    except InputError as error:
        complaints.problem(place, str(error))
        return Energy()


def _products(bonds: Mapping[str, list[set[str]]], system: System) -> tuple[str, ...]:
    """For each bond the product of the two inputs that its connections feed."""
    fed: dict[frozenset[str], str] = {
        frozenset((str(c.source), str(c.target))): str(c.target) for c in system.connections
    }
    inputs = (
        [fed[frozenset(pair)] for pair in pairs if frozenset(pair) in fed]
        for pairs in bonds.values()
    )
    return tuple(" * ".join(two) for two in inputs if len(two) == 2)


def _name(element: etree._Element) -> str:
    return str(etree.QName(element).localname)
