"""modelDescription.xml of a test model, for each version of FMI."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import quoteattr

from fmus.models import Model, Variable

if TYPE_CHECKING:
    from fmus.build import Options

UNITS: dict[str, dict[str, int]] = {
    "K": {"K": 1},
    "K/s": {"K": 1, "s": -1},
    "J/(kg.K)": {"m": 2, "s": -2, "K": -1},
    "W/K": {"kg": 1, "m": 2, "s": -3, "K": -1},
    "kg/s": {"kg": 1, "s": -1},
    "s": {"s": 1},
    "m": {"m": 1},
    "m/s": {"m": 1, "s": -1},
    "m/s2": {"m": 1, "s": -2},
    "kg": {"kg": 1},
    "N": {"kg": 1, "m": 1, "s": -2},
    "N/m": {"kg": 1, "s": -2},
    "N.s/m": {"kg": 1, "s": -1},
}
FMI2_TYPES = {"Float64": "Real", "Int32": "Integer"}  # and of FMI 1
LEVELS = ("low", "medium", "high")  # of the enumeration
CATEGORIES = {
    "logStatusWarning": "Warnings",
    "logStatusDiscard": "Steps that were discarded",
    "logStatusError": "Errors",
    "logStatusFatal": "The end",
    "logStatusPending": "Steps in progress",
    "logEvents": "What happens",
    "logSteps": "Every step",
}
TOOL = "Dovetail test FMUs"


def element(tag: str, attributes: dict[str, Any] | None = None, *children: str) -> str:
    """One element; attributes that are None are left out, children are indented."""
    head = "".join(
        f" {name}={quoteattr(text(value))}"
        for name, value in (attributes or {}).items()
        if value is not None
    )
    if not children:
        return f"<{tag}{head}/>"
    inner = "\n".join(children).replace("\n", "\n  ")
    return f"<{tag}{head}>\n  {inner}\n</{tag}>"


def text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return " ".join(text(v) for v in value)
    if isinstance(value, bytes):
        return value.hex()
    return str(value)


def true(flag: bool) -> bool | None:
    """Flags are false where they are not given."""
    return flag or None


def document(root: str) -> str:
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{root}\n'


def _experiment(model: Model, version: int) -> str:
    facts = {"startTime": 0.0, "stopTime": model.stop, "tolerance": 1e-6}
    return element("DefaultExperiment", facts | ({"stepSize": model.step} if version > 1 else {}))


def _units(variables: Iterable[Variable], version: int) -> list[str]:
    used = sorted({v.unit for v in variables if v.unit is not None})
    if not used:
        return []
    if version == 1:
        return [element("UnitDefinitions", None, *(element("BaseUnit", {"unit": u}) for u in used))]
    made = []
    for unit in used:
        shown = [element("DisplayUnit", {"name": "mm", "factor": 1000.0})] if unit == "m" else []
        made.append(element("Unit", {"name": unit}, element("BaseUnit", UNITS[unit]), *shown))
    return [element("UnitDefinitions", None, *made)]


def _categories() -> str:
    return element(
        "LogCategories",
        None,
        *(element("Category", {"name": n, "description": d}) for n, d in CATEGORIES.items()),
    )


def _initial(variable: Variable) -> str | None:
    """Given only where it is not the default."""
    free = variable.causality in ("local", "output") and variable.variability != "constant"
    return "exact" if free and variable.initial == "exact" else None


def _knowns(
    unknown: Variable, variables: Sequence[Variable], version: int, options: Options, initial: bool
) -> list[str]:
    """What an unknown depends on, of what may be listed: before the first step, or later."""
    states = options.model_exchange or (
        options.exposes_states and (options.directional_derivatives or version == 3)
    )

    def is_known(v: Variable) -> bool:
        if v.causality in ("input", "independent"):
            return True
        if initial:
            return v.is_exact
        return states if v.is_state else v.causality == "parameter" and version == 3

    return [v.name for v in variables if v.name in unknown.depends and is_known(v)]


def fmi1(model: Model, variables: Sequence[Variable], options: Options, token: str) -> str:
    rows = []
    variables = [v for v in variables if v.causality != "independent"]
    for v in variables:
        causality = {"input": "input", "output": "output"}.get(v.causality, "internal")
        variability = {"fixed": "parameter"}.get(v.variability, v.variability)
        fixed = true(v.start is not None and v.causality != "input")
        start = str(v.start).lower() if isinstance(v.start, bool) else v.start
        plain = {"start": start, "fixed": fixed}
        kind = FMI2_TYPES.get(v.kind, v.kind)
        more = {"Real": {"unit": v.unit}, "Enumeration": {"declaredType": "Level"}}
        value = element(kind, more.get(kind, {}) | plain)
        inputs = {u.name for u in variables if u.causality == "input"}
        through = [f"<Name>{n}</Name>" for n in v.depends if n in inputs]
        direct = [element("DirectDependency", None, *through)] if v.causality == "output" else []
        rows.append(
            element(
                "ScalarVariable",
                {
                    "name": v.name,
                    "valueReference": options.references[v.name],
                    "variability": variability,
                    "causality": causality,
                },
                value,
                *direct,
            )
        )
    items = [element("Item", {"name": name}) for name in LEVELS]
    level = element("EnumerationType", {"min": 1, "max": len(LEVELS)}, *items)
    levels = element("TypeDefinitions", None, element("Type", {"name": "Level"}, level))
    capabilities = {
        "canBeInstantiatedOnlyOncePerProcess": False,
        "canHandleVariableCommunicationStepSize": true(options.variable_step),
        "canRejectSteps": true(options.state_saving),
        "canInterpolateInputs": true(options.input_derivatives > 0),
        "maxOutputDerivativeOrder": options.output_derivatives,
        "canNotUseMemoryManagementFunctions": true(not options.memory_callbacks),
    }
    return document(
        element(
            "fmiModelDescription",
            {
                "fmiVersion": "1.0",
                "modelName": model.name,
                "modelIdentifier": options.identifier,
                "guid": token,
                "description": model.description,
                "generationTool": TOOL,
                "variableNamingConvention": "structured",
                "numberOfContinuousStates": sum(v.is_state for v in variables),
                "numberOfEventIndicators": sum(v.is_indicator for v in variables),
            },
            *_units(variables, 1),
            *([levels] if any(v.kind == "Enumeration" for v in variables) else []),
            _experiment(model, 1),
            element("ModelVariables", None, *rows),
            *(
                [
                    element(
                        "Implementation",
                        None,
                        element(
                            "CoSimulation_StandAlone", None, element("Capabilities", capabilities)
                        ),
                    )
                ]
                if options.co_simulation
                else []
            ),
        )
    )


def fmi2(model: Model, variables: Sequence[Variable], options: Options, token: str) -> str:
    index = {v.name: i for i, v in enumerate(variables, 1)}

    def unknown(v: Variable, initial: bool) -> str:
        knowns = [index[name] for name in _knowns(v, variables, 2, options, initial)]
        return element("Unknown", {"index": index[v.name], "dependencies": knowns})

    rows = []
    for v in variables:
        value = {
            "declaredType": "Level" if v.kind == "Enumeration" else None,
            "unit": v.unit,
            "min": v.minimum,
            "max": v.maximum,
            "start": v.start,
            "derivative": index[v.derivative_of]
            if v.derivative_of and options.exposes_states
            else None,
        }
        facts = {
            "name": v.name,
            "valueReference": options.references[v.name],
            "description": v.description or None,
            "causality": v.causality,
            "variability": v.variability,
            "initial": _initial(v),
        }
        rows.append(
            element("ScalarVariable", facts, element(FMI2_TYPES.get(v.kind, v.kind), value))
        )
    common = {
        "modelIdentifier": options.identifier,
        "canBeInstantiatedOnlyOncePerProcess": False,  # they count in global variables
        "canNotUseMemoryManagementFunctions": true(not options.memory_callbacks),
        "canGetAndSetFMUstate": true(options.state_saving),
        "canSerializeFMUstate": true(options.serializes),
        "providesDirectionalDerivative": true(options.directional_derivatives),
    }
    stepping = {
        "canHandleVariableCommunicationStepSize": true(options.variable_step),
        "canInterpolateInputs": true(options.input_derivatives > 0),
        "maxOutputDerivativeOrder": options.output_derivatives,
        "canRunAsynchronuously": true(options.asynchronous),
    }
    file = element("File", {"name": options.source_file})
    sources = [element("SourceFiles", None, file)] if options.source_only else []
    kinds = []
    if options.model_exchange:
        kinds.append(element("ModelExchange", common, *sources))
    if options.co_simulation:
        kinds.append(element("CoSimulation", common | stepping, *sources))
    level = element(
        "SimpleType",
        {"name": "Level"},
        element(
            "Enumeration",
            None,
            *(element("Item", {"name": n, "value": i}) for i, n in enumerate(LEVELS, 1)),
        ),
    )
    outputs = [unknown(v, False) for v in variables if v.causality == "output"]
    derivatives = [
        unknown(v, False) for v in variables if v.derivative_of and options.exposes_states
    ]
    initial = [
        unknown(v, True)
        for v in variables
        if v.is_initial_unknown and (v.derivative_of is None or options.exposes_states)
    ]
    return document(
        element(
            "fmiModelDescription",
            {
                "fmiVersion": "2.0",
                "modelName": model.name,
                "guid": token,
                "description": model.description,
                "generationTool": TOOL,
                "variableNamingConvention": "structured",
                "numberOfEventIndicators": sum(v.is_indicator for v in variables)
                if options.model_exchange
                else None,
            },
            *kinds,
            *_units(variables, 2),
            *(
                [element("TypeDefinitions", None, level)]
                if any(v.kind == "Enumeration" for v in variables)
                else []
            ),
            _categories(),
            _experiment(model, 2),
            element("ModelVariables", None, *rows),
            element(
                "ModelStructure",
                None,
                *([element("Outputs", None, *outputs)] if outputs else []),
                *([element("Derivatives", None, *derivatives)] if derivatives else []),
                *([element("InitialUnknowns", None, *initial)] if initial else []),
            ),
        )
    )


def fmi3(model: Model, variables: Sequence[Variable], options: Options, token: str) -> str:
    reference = options.references
    sizes = {v.name: v.start for v in variables if v.causality == "structuralParameter"}

    def start(v: Variable) -> Any:
        if not v.shape or v.start is None:
            return v.start
        n = 1
        for extent in v.shape:
            n *= sizes[extent] if isinstance(extent, str) else extent
        return v.start[:n] if isinstance(v.start, list) else [v.start] * n

    def row(v: Variable) -> str:
        is_text = v.kind in ("String", "Binary")
        children = [
            element(
                "Dimension",
                {"valueReference": reference[e]} if isinstance(e, str) else {"start": e},
            )
            for e in v.shape
        ]
        if is_text and v.start is not None:
            children.append(element("Start", {"value": start(v)}))
        facts = {
            "name": v.name,
            "valueReference": reference[v.name],
            "description": v.description or None,
            "causality": v.causality,
            "variability": v.variability,
            "clocks": reference[v.clock] if v.clock else None,
            "previous": reference[v.previous] if v.previous else None,
            "intermediateUpdate": true(
                options.intermediate_update and v.causality in ("input", "output")
            ),
            "initial": _initial(v),
            "declaredType": "Level" if v.kind == "Enumeration" else None,
            "unit": v.unit,
            "min": v.minimum,
            "max": v.maximum,
            "derivative": reference[v.derivative_of]
            if v.derivative_of and options.exposes_states
            else None,
            "start": None if is_text else start(v),
        }
        if v.kind == "Clock":
            kind = v.ticks or ("constant" if v.interval else "triggered")
            facts |= {"intervalVariability": kind, "priority": v.priority}
            facts |= {"intervalDecimal": v.interval, "supportsFraction": true(v.has_fraction)}
        return element(v.kind, facts, *children)

    def unknown(tag: str, v: Variable) -> str:
        names = _knowns(v, variables, 3, options, tag == "InitialUnknown")
        knowns = [reference[name] for name in names]
        return element(tag, {"valueReference": reference[v.name], "dependencies": knowns})

    common = {
        "modelIdentifier": options.identifier,
        "canBeInstantiatedOnlyOncePerProcess": False,
        "canGetAndSetFMUState": true(options.state_saving),
        "canSerializeFMUState": true(options.serializes),
        "providesDirectionalDerivatives": true(options.directional_derivatives),
        "providesAdjointDerivatives": true(options.adjoint_derivatives),
    }
    stepping = {
        "canHandleVariableCommunicationStepSize": true(options.variable_step),
        "fixedInternalStepSize": None if options.variable_step else model.step,
        "maxOutputDerivativeOrder": options.output_derivatives,
        "providesIntermediateUpdate": true(options.intermediate_update),
        "mightReturnEarlyFromDoStep": true(options.early_return),
        "canReturnEarlyAfterIntermediateUpdate": true(options.intermediate_update),
        "hasEventMode": true(options.event_mode),
    }
    kinds = []
    if options.model_exchange:
        kinds.append(element("ModelExchange", common))
    if options.co_simulation and not options.scheduled:
        kinds.append(element("CoSimulation", common | stepping))
    if options.scheduled:
        kinds.append(element("ScheduledExecution", common))
    level = element(
        "EnumerationType",
        {"name": "Level"},
        *(element("Item", {"name": n, "value": i}) for i, n in enumerate(LEVELS, 1)),
    )
    structure = [unknown("Output", v) for v in variables if v.causality == "output"]
    if options.exposes_states:
        structure += [unknown("ContinuousStateDerivative", v) for v in variables if v.derivative_of]
    structure += [unknown("ClockedState", v) for v in variables if v.previous]
    structure += [
        unknown("InitialUnknown", v)
        for v in variables
        if v.is_initial_unknown
        and v.kind != "Clock"
        and (v.derivative_of is None or options.exposes_states)
    ]
    structure += [unknown("EventIndicator", v) for v in variables if v.is_indicator]
    return document(
        element(
            "fmiModelDescription",
            {
                "fmiVersion": "3.0",
                "modelName": model.name,
                "instantiationToken": token,
                "description": model.description,
                "generationTool": TOOL,
                "variableNamingConvention": "structured",
            },
            *kinds,
            *_units(variables, 3),
            *(
                [element("TypeDefinitions", None, level)]
                if any(v.kind == "Enumeration" for v in variables)
                else []
            ),
            _categories(),
            _experiment(model, 3),
            element("ModelVariables", None, *(row(v) for v in variables)),
            element("ModelStructure", None, *structure),
        )
    )


def build_description(options: Options) -> str:
    """Of the sources, in FMI 3."""
    return document(
        element(
            "fmiBuildDescription",
            {"fmiVersion": "3.0"},
            element(
                "BuildConfiguration",
                {"modelIdentifier": options.identifier},
                element(
                    "SourceFileSet", None, element("SourceFile", {"name": options.source_file})
                ),
            ),
        )
    )


WRITERS = {1: fmi1, 2: fmi2, 3: fmi3}
