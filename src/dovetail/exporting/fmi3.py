"""The model description of an export in FMI 3.0."""

from __future__ import annotations

from typing import Any

from lxml import etree

from .description import (
    LOG_CATEGORIES,
    ExportDescription,
    bounds,
    child,
    flag,
    number,
    unit_definitions,
    xml_of,
)
from .interface import ExportedVariable


def described_3(d: ExportDescription) -> bytes:
    """modelDescription.xml."""
    root = etree.Element("fmiModelDescription")
    for name, value in {
        "fmiVersion": "3.0",
        "modelName": d.name,
        "instantiationToken": d.token,
        "description": d.description,
        "generationTool": d.tool,
        "variableNamingConvention": "structured" if d.interface.is_structured else "flat",
    }.items():
        root.set(name, value)
    has_jacobian = flag(True) if d.interface.has_jacobian else None
    if d.interface.exchanges:
        child(
            root,
            "ModelExchange",
            modelIdentifier=d.identifier,
            canGetAndSetFMUState=flag(d.saves > 0),
            canSerializeFMUState=flag(d.saves > 1),
            providesDirectionalDerivatives=has_jacobian,
        )
    made = child(
        root,
        "CoSimulation",
        modelIdentifier=d.identifier,
        needsExecutionTool=flag(d.needs_tool),
        canBeInstantiatedOnlyOncePerProcess=flag(d.only_once),
        canGetAndSetFMUState=flag(d.saves > 0),
        canSerializeFMUState=flag(d.saves > 1),
        providesDirectionalDerivatives=has_jacobian,
        canHandleVariableCommunicationStepSize=flag(d.varies),
    )
    if not d.varies and d.size is not None:
        made.set("fixedInternalStepSize", number(float(d.size)))
    unit_definitions(root, d.definitions)
    _types(root, d)
    parent = child(root, "LogCategories")
    for name in LOG_CATEGORIES:
        child(parent, "Category", name=name)
    child(
        root, "DefaultExperiment", startTime=float(d.start), stopTime=float(d.stop),
        stepSize=None if d.size is None else float(d.size),
    )  # fmt: skip
    variables = child(root, "ModelVariables")
    for v in d.interface.variables:
        _variable(variables, v, d)
    _structure(root, d)
    return xml_of(root)


def _types(root: Any, d: ExportDescription) -> None:
    if not d.definitions.types:
        return
    parent = child(root, "TypeDefinitions")
    for name, found in d.definitions.types.items():
        one = child(parent, "EnumerationType", name=name)
        for item in found.items:
            child(one, "Item", name=item.name, value=item.value, description=item.description)


def _variable(parent: Any, v: ExportedVariable, d: ExportDescription) -> None:
    text = "" if v.inner is None else v.inner.description
    more: dict[str, Any] = bounds(v)
    if v.type == "Float64":
        more["unit"] = d.definitions.unit_of.get(v.name)
        if v.inner is not None and v.inner.relative:
            more["relativeQuantity"] = "true"
    if v.type == "Enumeration":
        more["declaredType"] = d.definitions.type_of[v.name]
    if v.state:
        more["derivative"] = d.interface.by_name[v.state].reference
    initial = None if v.causality in ("input", "independent") else v.initial
    made = child(
        parent,
        v.type,
        name=v.name,
        valueReference=v.reference,
        description=text,
        causality=v.causality,
        variability=v.variability,
        initial=initial,
        **more,
    )
    if v.start is None:
        return
    if v.type == "String":
        child(made, "Start").set("value", str(v.start))
    else:
        made.set("start", number(v.start))


def _structure(root: Any, d: ExportDescription) -> None:
    reference = {v.name: v.reference for v in d.interface.variables}
    parent = child(root, "ModelStructure")
    for tag, listed in (
        ("Output", d.interface.outputs),
        ("ContinuousStateDerivative", d.interface.rates),
    ):
        for v in listed:
            known = [reference[name] for name in d.interface.depends[v.name]]
            one = child(parent, tag, valueReference=v.reference)
            one.set("dependencies", " ".join(map(str, sorted(known))))
    for v in d.interface.unknowns:
        child(parent, "InitialUnknown", valueReference=v.reference)
