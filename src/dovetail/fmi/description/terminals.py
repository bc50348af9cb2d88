"""Reading terminals, which FMI 3 defines and FMI 2 may use as well."""

from __future__ import annotations

from collections.abc import Container
from pathlib import Path

from lxml import etree

from ...core.errors import FileError
from ...xml.attributes import Attributes, children
from ...xml.document import root_of
from ...xml.report import ProblemReport
from .terminal import Stream, Terminal, TerminalMember

PLACE = Path("terminalsAndIcons") / "terminalsAndIcons.xml"


def terminals(
    directory: Path, variables: Container[str], report: ProblemReport
) -> tuple[Terminal, ...]:
    """The terminals of an FMU; none if the file is missing or cannot be read."""
    path = directory / PLACE
    if not path.is_file():
        return ()
    try:
        root = root_of(path, "fmiTerminalsAndIcons", report)
    except FileError as error:
        report.lenient(f"{PLACE.name} is ignored: {error.what}")
        return ()
    found: list[Terminal] = []
    for child in children(
        root, "GraphicalRepresentation", "Terminals", "Annotations", report=report
    ):
        if child.tag == "Terminals":
            found += [_terminal(t, variables, report) for t in _inside(child, report)]
    return tuple(found)


def _inside(element: etree._Element, report: ProblemReport) -> list[etree._Element]:
    return children(element, "Terminal", "Annotations", report=report)


def _terminal(
    element: etree._Element, variables: Container[str], report: ProblemReport
) -> Terminal:
    attributes = Attributes(element, report)
    name = attributes.text("name")
    attributes.subject = f"the terminal '{name}'"
    rule, kind = attributes.text("matchingRule", "plug"), attributes.text("terminalKind")
    text = attributes.text("description")
    attributes.done()
    members: list[TerminalMember] = []
    streams: list[Stream] = []
    nested: list[Terminal] = []
    icon = ""
    for child in children(
        element,
        "TerminalMemberVariable",
        "TerminalStreamMemberVariable",
        "Terminal",
        "TerminalGraphicalRepresentation",
        "Annotations",
        report=report,
    ):
        inner = Attributes(child, report, attributes.subject)
        if child.tag == "TerminalMemberVariable":
            members.append(_member(inner))
            _check(inner, variables, members[-1].variable)
        elif child.tag == "TerminalStreamMemberVariable":
            streams.append(_stream(inner))
            _check(inner, variables, streams[-1].inward_variable, streams[-1].outward_variable)
        elif child.tag == "Terminal":
            nested.append(_terminal(child, variables, report))
        elif child.tag == "TerminalGraphicalRepresentation":
            icon = child.get("iconBaseName", "")
    return Terminal(name, rule, kind, text, tuple(members), tuple(streams), tuple(nested), icon)


def _member(attributes: Attributes) -> TerminalMember:
    found = TerminalMember(
        attributes.text("variableName"),
        attributes.text("memberName"),
        attributes.text("variableKind", "signal"),
    )
    attributes.done()
    return found


def _stream(attributes: Attributes) -> Stream:
    found = Stream(
        attributes.text("inStreamVariableName"),
        attributes.text("outStreamVariableName"),
        attributes.text("inStreamMemberName"),
        attributes.text("outStreamMemberName"),
    )
    attributes.done()
    return found


def _check(attributes: Attributes, variables: Container[str], *names: str) -> None:
    for name in names:
        if name not in variables:
            attributes.lenient(f"a terminal has the member '{name}', which is not a variable")
