"""Reading the kinds of interface, each version's names of a capability in one table."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from lxml import etree

from ...xml.attributes import Attributes, children
from ...xml.report import ProblemReport
from .interface import FmuInterface, Kind, Tool

_SHARED_1_AND_2 = {
    "canBeInstantiatedOnlyOncePerProcess": "only_once_per_process",
    "canNotUseMemoryManagementFunctions": "without_memory_functions",
}
_STEPPING_1_AND_2 = {
    "canHandleVariableCommunicationStepSize": "can_vary_step_size",
    "canInterpolateInputs": "can_interpolate_inputs",
    "canRunAsynchronuously": "can_run_asynchronously",
}
_SHARED_2 = {
    **_SHARED_1_AND_2,
    "needsExecutionTool": "needs_tool",
    "canGetAndSetFMUstate": "can_get_and_set_state",
    "canSerializeFMUstate": "can_serialize_state",
    "providesDirectionalDerivative": "provides_directional_derivatives",
}
_SHARED_3 = {
    "needsExecutionTool": "needs_tool",
    "canBeInstantiatedOnlyOncePerProcess": "only_once_per_process",
    "canGetAndSetFMUState": "can_get_and_set_state",
    "canSerializeFMUState": "can_serialize_state",
    "providesDirectionalDerivatives": "provides_directional_derivatives",
    "providesAdjointDerivatives": "provides_adjoint_derivatives",
    "providesPerElementDependencies": "provides_element_dependencies",
}
FLAGS: Mapping[tuple[str, Kind], Mapping[str, str]] = {
    ("1.0", "model exchange"): {},
    ("1.0", "co-simulation"): {
        **_SHARED_1_AND_2,
        **_STEPPING_1_AND_2,
        "canHandleEvents": "can_handle_events",
        "canRejectSteps": "can_reject_steps",
        "canSignalEvents": "can_signal_events",
    },
    ("2.0", "model exchange"): _SHARED_2,
    ("2.0", "co-simulation"): {**_SHARED_2, **_STEPPING_1_AND_2},
    ("3.0", "model exchange"): {
        **_SHARED_3,
        "needsCompletedIntegratorStep": "needs_completed_integrator_step",
        "providesEvaluateDiscreteStates": "evaluates_discrete_states",
    },
    ("3.0", "co-simulation"): {
        **_SHARED_3,
        "canHandleVariableCommunicationStepSize": "can_vary_step_size",
        "providesIntermediateUpdate": "provides_intermediate_update",
        "mightReturnEarlyFromDoStep": "might_return_early",
        "canReturnEarlyAfterIntermediateUpdate": "can_return_early_after_intermediate_update",
        "hasEventMode": "has_event_mode",
        "providesEvaluateDiscreteStates": "evaluates_discrete_states",
    },
    ("3.0", "scheduled execution"): _SHARED_3,
}


def identifier(attributes: Attributes) -> str:
    """The model identifier: the name of a file, so it must not lead elsewhere."""
    written = attributes.text("modelIdentifier")
    name = written.strip()
    if name != written:
        attributes.lenient("blanks around the model identifier are dropped")
    if not name:
        attributes.problem("the modelIdentifier is missing")
    elif name in (".", "..") or {name} != {PurePosixPath(name).name, PureWindowsPath(name).name}:
        attributes.problem(f"the modelIdentifier '{name}' is not a file name")
    return name


def interface(
    element: etree._Element, version: str, kind: Kind, report: ProblemReport
) -> FmuInterface:
    """An interface of FMI 2 or 3."""
    attributes = Attributes(element, report)
    name = identifier(attributes)
    capabilities = _capabilities(attributes, version, kind)
    if (version, kind) == ("2.0", "model exchange"):
        skips = attributes.flag("completedIntegratorStepNotNeeded")
        capabilities["needs_completed_integrator_step"] = not skips
    attributes.done(*FLAGS[version, kind], "completedIntegratorStepNotNeeded")
    files: tuple[str, ...] = ()
    known = ("SourceFiles",) if version == "2.0" else ("Annotations",)
    for child in children(element, *known, report=report):
        if child.tag == "SourceFiles":
            files = tuple(f.get("name", "") for f in children(child, "File", report=report))
    return FmuInterface(kind, name, source_files=files, **capabilities)


def interface_1(
    root: Attributes, implementation: etree._Element | None, report: ProblemReport
) -> FmuInterface:
    """The interface of FMI 1: it is co-simulation where there is an implementation."""
    name = identifier(root)
    if implementation is None:
        return FmuInterface("model exchange", name, needs_completed_integrator_step=True)
    for form in children(
        implementation, "CoSimulation_StandAlone", "CoSimulation_Tool", report=report
    ):
        capabilities: dict[str, Any] = {}
        tool: Tool | None = None
        for child in children(form, "Capabilities", "Model", report=report):
            attributes = Attributes(child, report)
            if child.tag == "Capabilities":
                capabilities = _capabilities(attributes, "1.0", "co-simulation")
            else:
                tool = _tool(attributes, child, report)
            attributes.done(*FLAGS["1.0", "co-simulation"])
        needed = form.tag == "CoSimulation_Tool"
        return FmuInterface("co-simulation", name, needs_tool=needed, tool=tool, **capabilities)
    report.lenient("the implementation does not say what kind it is", "", root.line)
    return FmuInterface("co-simulation", name)


def _capabilities(attributes: Attributes, version: str, kind: Kind) -> dict[str, Any]:
    says = attributes.has("canBeInstantiatedOnlyOncePerProcess")
    found: dict[str, Any] = {f: attributes.flag(a) for a, f in FLAGS[version, kind].items()}
    found["says_how_often"] = says
    if kind == "co-simulation":
        order = attributes.whole("maxOutputDerivativeOrder")
        found["max_output_derivative_order"] = order or 0
        if version == "3.0":
            smoothness = attributes.whole("recommendedIntermediateInputSmoothness", -(2**31))
            found["intermediate_input_smoothness"] = smoothness or 0
            found["fixed_internal_step_size"] = attributes.real("fixedInternalStepSize")
    return found


def _tool(attributes: Attributes, element: etree._Element, report: ProblemReport) -> Tool:
    files = children(element, "File", report=report)
    return Tool(
        type=attributes.text("type"),
        entry_point=attributes.text("entryPoint"),
        manual_start=attributes.flag("manualStart"),
        files=tuple(f.get("file", "") for f in files),
    )
