"""Model descriptions of FMI 3."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from math import prod
from typing import Any, get_args

from lxml import etree

from ...xml import lexical
from ...xml.attributes import Attributes, children, line_of
from ...xml.report import ProblemReport
from ...xml.types import FLOATS, Type
from . import combinations, header, structures
from .fmu import FmuDescription, ModelStructure, Unknown
from .interface import Kind
from .interfaces import interface
from .naming import check_aliases, names_of
from .type_definitions import TYPES_3, timing, types_3
from .unit_definitions import units
from .values import Definitions, start_of, typed
from .variable import Alias, Causality, Dimension, FmuVariable

MOST_ELEMENTS = 2**27  # of one array
_INTERFACES: dict[str, tuple[str, Kind]] = {
    "ModelExchange": ("model_exchange", "model exchange"),
    "CoSimulation": ("co_simulation", "co-simulation"),
    "ScheduledExecution": ("scheduled_execution", "scheduled execution"),
}
_CAUSALITIES: tuple[Causality, ...] = get_args(Causality)
_PARTS = (
    *_INTERFACES, "UnitDefinitions", "TypeDefinitions", "LogCategories", "DefaultExperiment",
    "ModelVariables", "ModelStructure", "Annotations",
)  # fmt: skip


def read(root: etree._Element, written_version: str, report: ProblemReport) -> FmuDescription:
    """The description in this root element."""
    parts = header.parts(root, _PARTS, report)
    defined = Definitions(
        *units(parts.get("UnitDefinitions"), report), types_3(parts.get("TypeDefinitions"), report)
    )
    elements = children(parts.get("ModelVariables"), *TYPES_3, report=report)
    variables = tuple(map(partial(_variable, _Context(elements, defined, report)), elements))
    attributes = Attributes(root, report)
    attributes.text("fmiVersion")
    common: dict[str, Any] = header.header(attributes, "instantiationToken")
    attributes.done()
    for tag, (name, kind) in _INTERFACES.items():
        if tag in parts:
            common[name] = interface(parts[tag], "3.0", kind, report)
    if not common.keys() & {name for name, _ in _INTERFACES.values()}:
        report.problem(f"it has none of the elements {', '.join(_INTERFACES)}", attributes.line)
    return FmuDescription(
        version="3.0",
        written_version=written_version,
        **header.shared(parts, defined, report),
        variables=variables,
        structure=_structure(parts.get("ModelStructure"), variables, report),
        annotations=header.tool_data(parts.get("Annotations"), "Annotation", "type"),
        **common,
    )


@dataclass(frozen=True)
class _Context:
    """What a variable may refer to: all elements by value reference, and what is defined."""

    elements: list[etree._Element]
    defined: Definitions
    report: ProblemReport
    names: Mapping[etree._Element, str] = field(init=False)
    by_reference: dict[int, etree._Element] = field(default_factory=dict)

    def __post_init__(self) -> None:
        names = names_of(self.elements, self.report)
        object.__setattr__(self, "names", dict(zip(self.elements, names, strict=True)))
        aliases = [alias for e in self.elements for alias in e.iterfind("Alias")]
        check_aliases(names, aliases, self.report)
        for element in self.elements:
            try:
                reference = lexical.whole(element.get("valueReference", ""))
            except ValueError:
                continue  # reported where the variable is read
            first = self.by_reference.setdefault(reference, element)
            if first is not element:
                both = f"'{first.get('name')}' and '{element.get('name')}'"
                what = f"{both} have the same value reference {reference}"
                if first.tag != element.tag:
                    self.report.problem(what, line_of(element))
                else:
                    what = "two variables have the same value reference"
                    self.report.lenient(what, both, line_of(element))

    def name(self, attributes: Attributes, attribute: str) -> str | None:
        """The variable that an attribute refers to."""
        reference = attributes.whole(attribute)
        if reference is None:
            return None
        return self.named(attributes, attribute, reference)

    def named(self, attributes: Attributes, attribute: str, reference: int) -> str | None:
        """The variable with this value reference."""
        found = self.by_reference.get(reference)
        if found is None:
            attributes.lenient(f"'{attribute}' refers to a variable that does not exist")
            return None
        return self.names[found]


def _variable(context: _Context, element: etree._Element) -> FmuVariable:
    report = context.report
    name = context.names[element]
    attributes = Attributes(element, report, f"'{name}'")
    attributes.text("name")
    type_ = TYPES_3[str(element.tag)]
    reference = attributes.reference("valueReference")
    causality = attributes.choice("causality", _CAUSALITIES, "local")
    variability = combinations.variability(attributes, causality, type_, "3.0")
    initial = combinations.initial(attributes, causality, variability, "3.0")
    inside = children(element, "Dimension", "Start", "Alias", "Annotations", report=report)
    dimensions = tuple(_dimension(context, name, d) for d in inside if d.tag == "Dimension")
    shape = tuple(d.size for d in dimensions)
    if prod(shape) > MOST_ELEMENTS:
        attributes.problem(f"'{name}' has {prod(shape)} elements; at most {MOST_ELEMENTS} are read")
        shape = dimensions = ()
    starts = _starts(attributes, type_, [s for s in inside if s.tag == "Start"], bool(shape))
    must_start = initial in ("exact", "approx") and type_ != "Clock"
    if not starts and must_start:
        attributes.lenient("a start value is missing")
    ticks = typed(attributes, type_, context.defined)
    if type_ == "Clock":
        declared = context.defined.types.get(ticks["declared_type"] or "")
        ticks["timing"] = timing(attributes, declared.timing if declared else None)
    found = FmuVariable(
        name,
        reference or 0,
        type_,
        causality,
        variability,
        initial if type_ != "Clock" else None,
        start_of(attributes, starts, type_, shape),
        dimensions=dimensions,
        derivative_of=context.name(attributes, "derivative") if type_ in FLOATS else None,
        previous=context.name(attributes, "previous") if type_ != "Clock" else None,
        clocks=_clocks(context, attributes),
        aliases=tuple(_alias(context, a) for a in inside if a.tag == "Alias"),
        can_handle_multiple_set=attributes.flag("canHandleMultipleSetPerTimeInstant", True),
        intermediate_update=attributes.flag("intermediateUpdate"),
        reinit=attributes.flag("reinit") if type_ in FLOATS else False,
        description=attributes.text("description"),
        line=attributes.line,
        **ticks,
    )
    attributes.done()
    return found


def _starts(
    attributes: Attributes, type_: Type, elements: list[etree._Element], is_array: bool
) -> list[str]:
    """The start values as they are written: texts and bytes as elements, others in a list."""
    listed = attributes.text("start", "\0")
    if type_ not in ("String", "Binary"):
        return [] if listed == "\0" else listed.split() or [""]
    if not elements and listed != "\0":
        attributes.lenient(f"the start value of a {type_} is an attribute, not an element")
        return listed.split() if is_array else [listed]
    return [e.get("value", "") for e in elements]


def _dimension(context: _Context, name: str, element: etree._Element) -> Dimension:
    attributes = Attributes(element, context.report, f"'{name}'")
    size = attributes.whole("start", 0, 2**64 - 1)
    reference = attributes.whole("valueReference")
    attributes.done()
    if reference is None:
        if size is None:
            attributes.problem(f"a dimension of '{name}' has no size")
        return Dimension(size or 0)
    parameter = context.by_reference.get(reference)
    if parameter is None:
        attributes.problem(f"a dimension of '{name}' is variable {reference}, which does not exist")
        return Dimension(0)
    try:
        size = lexical.whole(parameter.get("start", ""), 0, 2**64 - 1)
    except ValueError:
        attributes.problem(
            f"a dimension of '{name}' is '{parameter.get('name')}', which is not a size"
        )
        size = 0
    return Dimension(size, context.names[parameter])


def _clocks(context: _Context, attributes: Attributes) -> tuple[str, ...]:
    found = []
    for text in attributes.text("clocks").split():
        try:
            name = context.named(attributes, "clocks", lexical.whole(text))
        except ValueError:
            attributes.lenient("'clocks' refers to a variable that does not exist")
            continue
        if name is not None:
            found.append(name)
    return tuple(found)


def _alias(context: _Context, element: etree._Element) -> Alias:
    attributes = Attributes(element, context.report)
    name = attributes.text("name")
    text, unit = attributes.text("description"), attributes.optional("displayUnit")
    attributes.done()
    return Alias(name, text, unit)


def _structure(
    parent: etree._Element | None, variables: tuple[FmuVariable, ...], report: ProblemReport
) -> ModelStructure:
    tags = ("Output", "ContinuousStateDerivative", "ClockedState", "InitialUnknown")
    lists: dict[str, list[etree._Element]] = {}
    for child in children(parent, *tags, "EventIndicator", report=report):
        lists.setdefault(str(child.tag), []).append(child)
    names = structures.meant(lists.get("Output", []), variables, "valueReference", report)
    by_name: Mapping[str, FmuVariable] = {v.name: v for v in variables}

    def listed(tag: str) -> tuple[Unknown, ...]:
        return structures.unknowns(lists.get(tag, []), "valueReference", names, report)

    def count(unknowns: tuple[Unknown, ...]) -> int:
        return sum(by_name[u.name].size() for u in unknowns)

    quiet = report
    if parent is None:
        report.lenient("the model structure is missing; outputs may depend on all inputs")
        quiet = ProblemReport(report.path)
    derivatives = structures.with_states(listed("ContinuousStateDerivative"), by_name, report)
    indicators = listed("EventIndicator")
    return ModelStructure(
        outputs=structures.outputs_of(listed("Output"), variables, quiet),
        derivatives=derivatives,
        clocked_states=listed("ClockedState"),
        initial_unknowns=listed("InitialUnknown"),
        event_indicators=indicators,
        state_count=count(derivatives),
        event_indicator_count=count(indicators),
    )
