"""Model descriptions of FMI 2."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

from lxml import etree

from ...xml.attributes import Attributes, children
from ...xml.report import ProblemReport
from . import combinations, header, structures
from .fmu import FmuDescription, ModelStructure
from .interfaces import interface
from .naming import names_of
from .shared_values import SharedValues
from .type_definitions import TYPES_1_AND_2, types_2
from .unit_definitions import units
from .values import Definitions, start_of, typed
from .variable import Causality, FmuVariable

_PARTS = (
    "ModelExchange", "CoSimulation", "UnitDefinitions", "TypeDefinitions", "LogCategories",
    "DefaultExperiment", "VendorAnnotations", "ModelVariables", "ModelStructure",
)  # fmt: skip
_CAUSALITIES = tuple(c for c in get_args(Causality) if c != "structuralParameter")


def read(root: etree._Element, written_version: str, report: ProblemReport) -> FmuDescription:
    """The description in this root element."""
    parts = header.parts(root, _PARTS, report)
    defined = Definitions(
        *units(parts.get("UnitDefinitions"), report), types_2(parts.get("TypeDefinitions"), report)
    )
    variables = _variables(parts.get("ModelVariables"), defined, report)
    attributes = Attributes(root, report)
    attributes.text("fmiVersion")
    indicators = attributes.whole("numberOfEventIndicators") or 0
    common: dict[str, Any] = header.header(attributes, "guid")
    attributes.done()
    exchange, stepping = parts.get("ModelExchange"), parts.get("CoSimulation")
    if exchange is not None:
        common["model_exchange"] = interface(exchange, "2.0", "model exchange", report)
    if stepping is not None:
        common["co_simulation"] = interface(stepping, "2.0", "co-simulation", report)
    if exchange is None and stepping is None:
        report.problem("it has neither the element CoSimulation nor ModelExchange", attributes.line)
    return FmuDescription(
        version="2.0",
        written_version=written_version,
        **header.shared(parts, defined, report),
        variables=variables,
        structure=_structure(parts.get("ModelStructure"), variables, indicators, report),
        annotations=header.tool_data(parts.get("VendorAnnotations"), "Tool", "name"),
        **common,
    )


def _variables(
    parent: etree._Element | None, defined: Definitions, report: ProblemReport
) -> tuple[FmuVariable, ...]:
    elements = children(parent, "ScalarVariable", report=report)
    names = names_of(elements, report)
    shared = SharedValues(elements, names)
    found = (
        _variable(e, n, names, shared, defined, report)
        for e, n in zip(elements, names, strict=True)
    )
    return tuple(v for v in found if v is not None)


def _variable(
    element: etree._Element,
    name: str,
    names: Sequence[str],
    shared: SharedValues,
    defined: Definitions,
    report: ProblemReport,
) -> FmuVariable | None:
    outer = Attributes(element, report, f"'{name}'")
    outer.text("name")
    reference = outer.reference("valueReference")
    inner = children(element, *TYPES_1_AND_2, "Annotations", report=report)
    if not inner or inner[0].tag not in TYPES_1_AND_2:
        outer.problem(f"'{name}' has no type that FMI 2 knows")
        return None
    type_ = TYPES_1_AND_2[str(inner[0].tag)]
    causality = outer.choice("causality", _CAUSALITIES, "local")
    variability = combinations.variability(outer, causality, type_, "2.0")
    initial = combinations.initial(outer, causality, variability, "2.0")
    attributes = Attributes(inner[0], report, f"'{name}'")
    written = attributes.text("start", "\0")
    if written == "\0" and (causality == "input" or initial in ("exact", "approx")):
        attributes.lenient("a start value is missing")
    found = FmuVariable(
        name,
        reference or 0,
        type_,
        causality,
        variability,
        initial,
        start_of(attributes, () if written == "\0" else (written,), type_),
        derivative_of=_derivative(attributes, names) if type_ == "Float64" else None,
        alias_of=shared.first(element, name),
        can_handle_multiple_set=outer.flag("canHandleMultipleSetPerTimeInstant", True),
        reinit=attributes.flag("reinit") if type_ == "Float64" else False,
        description=outer.text("description"),
        line=outer.line,
        **typed(attributes, type_, defined),
    )
    outer.done()
    attributes.done()
    return found


def _derivative(attributes: Attributes, names: Sequence[str]) -> str | None:
    """The variable that this one is the derivative of, by its position."""
    position = attributes.whole("derivative")
    if position is None:
        return None
    if not 1 <= position <= len(names):
        attributes.lenient("the derivative of a variable that does not exist")
        return None
    return names[position - 1]


def _structure(
    parent: etree._Element | None,
    variables: tuple[FmuVariable, ...],
    indicators: int,
    report: ProblemReport,
) -> ModelStructure:
    if parent is None:
        report.lenient("the model structure is missing; outputs may depend on all inputs")
    lists: dict[str, list[etree._Element]] = {}
    for child in children(parent, "Outputs", "Derivatives", "InitialUnknowns", report=report):
        lists.setdefault(str(child.tag), []).extend(children(child, "Unknown", report=report))
    outputs = lists.get("Outputs", [])
    names = structures.meant(outputs, variables, "index", report)

    def listed(which: str) -> Any:
        return structures.unknowns(lists.get(which, []), "index", names, report)

    derivatives = structures.with_states(
        listed("Derivatives"), {v.name: v for v in variables}, report
    )
    quiet = ProblemReport(report.path) if parent is None else report  # said once is enough
    return ModelStructure(
        outputs=structures.outputs_of(listed("Outputs"), variables, quiet),
        derivatives=derivatives,
        initial_unknowns=listed("InitialUnknowns"),
        state_count=len(derivatives),
        event_indicator_count=indicators,
    )
