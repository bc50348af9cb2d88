"""Reading what is the same in all versions: its author and tool, how it is meant to be run."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite
from typing import Any

from lxml import etree

from ...xml.attributes import Attributes, children, line_of
from ...xml.report import ProblemReport
from .fmu import Experiment
from .values import Definitions

Parts = dict[str, etree._Element]


def header(attributes: Attributes, token: str) -> dict[str, Any]:
    """The attributes of the root element that all versions have; `token` names one of them."""
    found = {
        "model_name": attributes.text("modelName"),
        "token": attributes.text(token),
        "generation_tool": attributes.text("generationTool"),
        "generation_time": attributes.text("generationDateAndTime"),
        "description": attributes.text("description"),
        "author": attributes.text("author"),
        "model_version": attributes.text("version"),
        "copyright": attributes.text("copyright"),
        "license": attributes.text("license"),
        "variable_naming": attributes.choice(
            "variableNamingConvention", ("flat", "structured"), "flat"
        ),
    }
    if not found["model_name"]:
        attributes.lenient("the modelName is missing")
    if not found["token"]:
        attributes.lenient(f"the {token} is missing")
    return found


def shared(parts: Parts, defined: Definitions, report: ProblemReport) -> dict[str, Any]:
    """What every version has below the root: how it is run, units and types."""
    return {
        "experiment": experiment(parts.get("DefaultExperiment"), report),
        "units": defined.units,
        "display_units": defined.display_units,
        "types": defined.types,
        "log_categories": log_categories(parts.get("LogCategories"), report),
    }


def parts(root: etree._Element, known: Iterable[str], report: ProblemReport) -> Parts:
    """The child elements of the root by name."""
    found: Parts = {}
    for child in children(root, *known, report=report):
        if str(child.tag) in found:
            line = line_of(child)
            report.lenient(f"a second element '{child.tag}' is ignored", "", line)
        found.setdefault(str(child.tag), child)
    return found


def experiment(element: etree._Element | None, report: ProblemReport) -> Experiment:
    """How the FMU is meant to be run."""
    if element is None:
        return Experiment()
    attributes = Attributes(element, report)
    names = ("startTime", "stopTime", "tolerance", "stepSize")
    found = Experiment(*(_finite(attributes, name) for name in names))
    attributes.done()
    return found


def _finite(attributes: Attributes, name: str) -> float | None:
    found = attributes.real(name)
    if found is None or isfinite(found):
        return found
    attributes.lenient(f"the {name} of the default experiment is not finite, ignored")
    return None


def log_categories(element: etree._Element | None, report: ProblemReport) -> dict[str, str]:
    """Kinds of messages, and what they mean."""
    found = {}
    for child in children(element, "Category", report=report):
        attributes = Attributes(child, report)
        found[attributes.text("name")] = attributes.text("description")
        attributes.done()
    return found


def tool_data(element: etree._Element | None, tag: str, key: str) -> dict[str, str]:
    """What tools have added, as XML text by the name of the tool or kind."""
    found: dict[str, list[str]] = {}
    for child in element.findall(tag) if element is not None else ():
        text = etree.tostring(child, encoding="unicode", with_tail=False)
        found.setdefault(child.get(key, ""), []).append(text)
    return {name: "\n".join(texts) for name, texts in found.items()}
