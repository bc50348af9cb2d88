"""The model description of an export in FMI 2.0."""

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

_TAGS = {"Float64": "Real", "Int32": "Integer", "Int64": "Integer", "Boolean": "Boolean",
         "String": "String", "Enumeration": "Enumeration"}  # fmt: skip


def described_2(d: ExportDescription) -> bytes:
    """modelDescription.xml."""
    root = etree.Element("fmiModelDescription")
    for name, value in {
        "fmiVersion": "2.0",
        "modelName": d.name,
        "guid": d.token,
        "description": d.description,
        "generationTool": d.tool,
        "variableNamingConvention": "structured" if d.interface.is_structured else "flat",
        "numberOfEventIndicators": "0",
    }.items():
        root.set(name, value)
    has_jacobian = flag(True) if d.interface.has_jacobian else None
    if d.interface.exchanges:
        child(
            root,
            "ModelExchange",
            modelIdentifier=d.identifier,
            completedIntegratorStepNotNeeded="true",
            canNotUseMemoryManagementFunctions="true",
            canGetAndSetFMUstate=flag(d.saves > 0),
            canSerializeFMUstate=flag(d.saves > 1),
            providesDirectionalDerivative=has_jacobian,
        )
    child(
        root,
        "CoSimulation",
        modelIdentifier=d.identifier,
        needsExecutionTool=flag(d.needs_tool),
        canHandleVariableCommunicationStepSize=flag(d.varies),
        canBeInstantiatedOnlyOncePerProcess=flag(d.only_once),
        canNotUseMemoryManagementFunctions="true",
        canGetAndSetFMUstate=flag(d.saves > 0),
        canSerializeFMUstate=flag(d.saves > 1),
        providesDirectionalDerivative=has_jacobian,
    )
    unit_definitions(root, d.definitions)
    _types(root, d)
    _categories(root)
    child(
        root, "DefaultExperiment", startTime=float(d.start), stopTime=float(d.stop),
        stepSize=None if d.size is None else float(d.size),
    )  # fmt: skip
    variables, index = child(root, "ModelVariables"), _index(d)
    for v in d.interface.variables:
        _variable(variables, v, d, index)
    _structure(root, d)
    return xml_of(root)


def _types(root: Any, d: ExportDescription) -> None:
    if not d.definitions.types:
        return
    parent = child(root, "TypeDefinitions")
    for name, found in d.definitions.types.items():
        one = child(child(parent, "SimpleType", name=name), "Enumeration")
        for item in found.items:
            child(one, "Item", name=item.name, value=item.value, description=item.description)


def _categories(root: Any) -> None:
    parent = child(root, "LogCategories")
    for name in LOG_CATEGORIES:
        child(parent, "Category", name=name)


def _variable(
    parent: Any, v: ExportedVariable, d: ExportDescription, index: dict[str, int]
) -> None:
    text = "" if v.inner is None else v.inner.description
    one = child(
        parent,
        "ScalarVariable",
        name=v.name,
        valueReference=v.reference,
        description=text,
        causality=v.causality,
        variability=v.variability,
        initial=v.initial,
    )
    start = None if v.start is None else number(v.start)
    more: dict[str, Any] = bounds(v)
    if v.type == "Float64":
        more["unit"] = "s" if v.causality == "independent" else d.definitions.unit_of.get(v.name)
        if more["unit"] == "s" and "s" not in d.definitions.units:
            more["unit"] = None
        if v.inner is not None and v.inner.relative:
            more["relativeQuantity"] = "true"
    if v.type == "Enumeration":
        more["declaredType"] = d.definitions.type_of[v.name]
    if v.state:
        more["derivative"] = index[v.state]
    made = child(one, _TAGS[v.type], **more)
    if start is not None:
        made.set("start", start)


def _index(d: ExportDescription) -> dict[str, int]:
    return {v.name: k for k, v in enumerate(d.interface.variables, 1)}


def _structure(root: Any, d: ExportDescription) -> None:
    index, parent = _index(d), child(root, "ModelStructure")
    for title, listed in (("Outputs", d.interface.outputs), ("Derivatives", d.interface.rates)):
        group = child(parent, title) if listed else None
        for v in listed:
            known = [index[name] for name in d.interface.depends[v.name]]
            one = child(group, "Unknown", index=index[v.name])
            one.set("dependencies", " ".join(map(str, sorted(known))))
    unknown = d.interface.unknowns
    if unknown:
        group = child(parent, "InitialUnknowns")
        for v in sorted(unknown, key=lambda v: index[v.name]):
            child(group, "Unknown", index=index[v.name])
