"""Model descriptions of FMI 1, in terms of FMI 2."""

from __future__ import annotations

from typing import Any

from lxml import etree

from ...xml.attributes import Attributes, children, line_of
from ...xml.report import ProblemReport
from . import header
from .fmu import FmuDescription, ModelStructure, Unknown
from .interfaces import interface_1
from .naming import names_of
from .shared_values import SharedValues
from .type_definitions import TYPES_1_AND_2, types_1
from .unit_definitions import units_1
from .values import Definitions, start_of, typed
from .variable import Causality, FmuVariable, Initial, Start, Variability

_PARTS = (
    "UnitDefinitions", "TypeDefinitions", "DefaultExperiment", "VendorAnnotations",
    "ModelVariables", "Implementation",
)  # fmt: skip
_CAUSALITIES: dict[str, Causality] = {
    "": "local", "internal": "local", "none": "local", "input": "input", "output": "output",
}  # fmt: skip
_VARIABILITIES: dict[str, Variability] = {
    "constant": "constant", "parameter": "fixed", "discrete": "discrete",
    "continuous": "continuous",
}  # fmt: skip


def read(root: etree._Element, written_version: str, report: ProblemReport) -> FmuDescription:
    """The description in this root element."""
    parts = header.parts(root, _PARTS, report)
    defined = Definitions(
        *units_1(parts.get("UnitDefinitions"), report),
        types_1(parts.get("TypeDefinitions"), report),
        must_define_units=False,
    )
    elements = children(parts.get("ModelVariables"), "ScalarVariable", report=report)
    names = names_of(elements, report)
    shared = SharedValues(elements, names)
    found = [_variable(e, n, shared, defined, report) for e, n in zip(elements, names, strict=True)]
    variables = tuple(v for v in found if v is not None)
    attributes = Attributes(root, report)
    attributes.text("fmiVersion")
    common: dict[str, Any] = header.header(attributes, "guid")
    kind = interface_1(attributes, parts.get("Implementation"), report)
    common["co_simulation" if kind.kind == "co-simulation" else "model_exchange"] = kind
    structure = ModelStructure(
        outputs=_outputs(elements, variables, report),
        state_count=attributes.whole("numberOfContinuousStates") or 0,
        event_indicator_count=attributes.whole("numberOfEventIndicators") or 0,
    )
    attributes.done()
    return FmuDescription(
        version="1.0",
        written_version=written_version,
        **header.shared(parts, defined, report),
        variables=variables,
        structure=structure,
        annotations=header.tool_data(parts.get("VendorAnnotations"), "Tool", "name"),
        **common,
    )


def _variable(
    element: etree._Element,
    name: str,
    shared: SharedValues,
    defined: Definitions,
    report: ProblemReport,
) -> FmuVariable | None:
    outer = Attributes(element, report, f"'{name}'")
    outer.text("name")
    reference = outer.reference("valueReference")
    inner = children(element, *TYPES_1_AND_2, "DirectDependency", report=report)
    if not inner or inner[0].tag not in TYPES_1_AND_2:
        outer.problem(f"'{name}' has no type")
        return None
    type_ = TYPES_1_AND_2[str(inner[0].tag)]
    attributes = Attributes(inner[0], report, f"'{name}'")
    written = attributes.text("start", "\0")
    start = start_of(attributes, () if written == "\0" else (written,), type_)
    causality, variability, initial = _meaning(outer, start, attributes.flag("fixed", True))
    if variability == "continuous" and type_ != "Float64":
        variability = "discrete"
    alias = outer.choice("alias", ("noAlias", "alias", "negatedAlias"), "noAlias")
    found = FmuVariable(
        name,
        reference or 0,
        type_,
        causality,
        variability,
        initial,
        start,
        alias_of=shared.first(element, name),
        negated=alias == "negatedAlias",
        description=outer.text("description"),
        line=outer.line,
        **typed(attributes, type_, defined),
    )
    outer.done()
    attributes.done()
    return found


def _meaning(
    attributes: Attributes, start: Start | None, fixed: bool
) -> tuple[Causality, Variability, Initial | None]:
    """Causality, variability and initial as FMI 2 has them.

    Whatever has a start value may be set before the start, so a parameter with one is a
    parameter, and one without is calculated.
    """
    causality = _CAUSALITIES[
        attributes.choice("causality", ("", "input", "output", "internal", "none"), "")
    ]
    variability = _VARIABILITIES[
        attributes.choice("variability", tuple(_VARIABILITIES), "continuous")
    ]
    given: Initial = "calculated" if start is None else "exact" if fixed else "approx"
    if variability == "constant":
        return ("local" if causality == "input" else causality), variability, "exact"
    if variability == "fixed" and causality != "output":
        settable = start is not None and (fixed or causality == "input")
        if settable:
            return "parameter", variability, "exact"
        return "calculatedParameter", variability, given
    return causality, variability, None if causality == "input" else given


def _outputs(
    elements: list[etree._Element], variables: tuple[FmuVariable, ...], report: ProblemReport
) -> tuple[Unknown, ...]:
    """The outputs and the inputs they depend on, which FMI 1 lists by name."""
    outputs = {v.name: v for v in variables if v.causality == "output"}
    known = {v.name for v in variables}
    found = []
    for element in elements:
        name = element.get("name", "")
        if name not in outputs:
            continue
        direct = element.find("DirectDependency")
        dependencies: tuple[str, ...] | None = None
        if direct is not None:
            listed = children(direct, "Name", report=report)
            dependencies = tuple((n.text or "").strip() for n in listed)
            if not known.issuperset(dependencies):
                line = line_of(direct)
                what = "a direct dependency names no variable; the output may depend on all inputs"
                report.lenient(what, f"'{name}'", line)
                dependencies = None
        found.append(Unknown(name, dependencies, line=outputs[name].line))
    return tuple(found)
