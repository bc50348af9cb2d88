"""An SSP file as checked elements: their attributes read, their places known."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lxml import etree

from ...core.errors import FileError, did_you_mean
from ...xml import lexical
from ...xml.attributes import line_of
from ...xml.document import read_xml
from ...xml.report import ProblemReport
from .complaints import Complaints, Place
from .rules import LONG, NAMESPACES, Attribute, Rules, rules_of

_PREFIXES = {uri: prefix for prefix, uri in NAMESPACES.items()}
_ALMOST = {uri.replace("/SystemStructure", "/"): prefix for uri, prefix in _PREFIXES.items()}
_QUIET = ("Elements", "Connectors", "Connections", "ParameterBindings", "Parameters", "Annotations")
_OTHERS = {  # that tools use, in annotations
    "osp": "http://opensimulationplatform.com/SSP/OSPAnnotations",
    "oms": "https://raw.githubusercontent.com/OpenModelica/OMSimulator/master/schema/oms.xsd",
}
_WIDE = (-(2**63), 2**64 - 1)  # of whole numbers


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """An element that is as the rules want it, as far as it is used."""

    tag: str  # with the usual prefix, whatever the file calls it
    attributes: dict[str, Any]
    children: tuple[Node, ...]
    place: Place
    element: etree._Element = field(repr=False)

    def get(self, name: str, default: Any = None) -> Any:
        """An attribute."""
        return self.attributes.get(name, default)

    def all(self, *tags: str) -> Iterator[Node]:
        """The children of these names; `a/b` are those of a child."""
        for tag in tags:
            first, _, rest = tag.partition("/")
            for child in self.children:
                if child.tag == first:
                    yield from child.all(rest) if rest else (child,)

    def one(self, *tags: str) -> Node | None:
        """The first of them, if there is any."""
        return next(self.all(*tags), None)


def walk(node: Node) -> Iterator[Node]:
    """A node and all below it."""
    yield node
    for child in node.children:
        yield from walk(child)


def read_nodes(path: Path, title: str, root: str, complaints: Complaints) -> Node:
    """The root element of a file; `title` is what messages call the file."""
    report = ProblemReport(Path(title))
    if not path.is_file():
        raise FileError(title, "there is no such file")
    element = read_xml(path, report, "SSP", {**NAMESPACES, **_OTHERS})
    for leniency in report.leniencies:
        complaints.note(Place(title), str(leniency))
    return nodes_of(element, root, title, complaints)


def nodes_of(element: etree._Element, root: str, title: str, complaints: Complaints) -> Node:
    """An element with all below it, checked."""
    space, name = _PREFIXES[NAMESPACES[root[:3]]], root[4:]
    found = etree.QName(element)
    uri = found.namespace or ""
    if uri in _ALMOST:
        complaints.note(Place(title), f"its namespace '{uri}' lacks SystemStructure")
    if _space(uri) != space or found.localname != name:
        if found.localname == name:
            what = f"its namespace '{uri}' is not that of SSP 1.0 or 2.0"
            raise FileError(title, what, "it may be a draft; export it as SSP 1.0 or 2.0")
        what = f"its root element is '{found.localname}', not '{name}'"
        raise FileError(title, what, "check that the file is what its name says")
    version = element.get("version", "").strip()
    if version not in ("1.0", "2.0"):
        what = f"it is of version '{version}'" if version else "it does not give its version"
        raise FileError(f"{title}:{element.sourceline}", what, "SSP 1.0 and 2.0 are read")
    checker = _Checker(title, version, complaints)
    return checker.node(element, root, root, "")


class _Checker:
    """Turns elements into nodes, and reports what is wrong with them."""

    def __init__(self, title: str, version: str, complaints: Complaints) -> None:
        self.title, self.version, self.complaints = title, version, complaints

    def node(self, element: etree._Element, tag: str, rules_name: str, above: str) -> Node:
        rules = rules_of(rules_name)
        here = Place(self.title, line_of(element), _path(element, tag, above))
        if rules is None:
            plain = {str(k): str(v) for k, v in element.attrib.items()}
            return Node(tag, plain, (), here, element)
        attributes = self._attributes(element, rules, here)
        children = tuple(self._children(element, rules, here))
        if element.text and element.text.strip():
            self.complaints.problem(here, "has text, which means nothing there")
        return Node(tag, attributes, children, here, element)

    def _attributes(self, element: etree._Element, rules: Rules, here: Place) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for raw, text in element.attrib.items():
            name, known = str(raw), rules.attributes.get(str(raw))
            if name.startswith("{"):
                continue  # of other namespaces, such as xsi:schemaLocation
            if known is None:
                hint = did_you_mean(name, rules.attributes)
                what = f"has an attribute '{name}', which SSP does not know.{hint}"
                self.complaints.unsupported(here, what)
                continue
            if known.new and self.version == "1.0":
                self._too_new(here, f"the attribute '{name}'")
            try:
                found[name] = _value(known, str(text))
            except ValueError as error:
                self.complaints.problem(here, f"has a wrong '{name}': {error}")
        for name, attribute in rules.attributes.items():
            if attribute.required and name not in element.attrib:
                self.complaints.problem(here, f"lacks the attribute '{name}'")
        return found

    def _children(self, element: etree._Element, rules: Rules, here: Place) -> Iterator[Node]:
        counts: dict[str, int] = {}
        last, disordered = -1, False
        for child in element.iterchildren(etree.Element):
            tag = _tag(child)
            known = rules.children.get(tag)
            if known is None:
                hint = did_you_mean(tag, rules.children)
                what = f"holds an element '{tag}' (line {child.sourceline}), which SSP does not"
                self.complaints.unsupported(here, f"{what} know there.{hint}")
                continue
            if known.new and self.version == "1.0":
                self._too_new(here, f"the element '{tag}'")
            disordered = disordered or known.position < last
            last = max(last, known.position)
            counts[tag] = counts.get(tag, 0) + 1
            if counts[tag] > 1 and known.count not in LONG:
                harmless = tag[4:] in _QUIET
                report = self.complaints.note if harmless else self.complaints.problem
                report(here, f"holds '{tag}' twice; once is the most")
                if not harmless:
                    continue
            yield self.node(child, tag, known.rules, str(here.path))
        if disordered:
            self.complaints.note(here, "has its elements in another order than SSP wants")
        for tag, known in rules.children.items():
            if known.required and tag not in counts:
                empty = known.count == "+"
                report = self.complaints.note if empty else self.complaints.problem
                report(here, f"lacks an element '{tag}'")

    def _too_new(self, here: Place, what: str) -> None:
        self.complaints.note(here, f"{what} came with SSP 2.0, but the file says version 1.0")


def _space(uri: str) -> str | None:
    """The usual prefix of a namespace; some tools leave out a part of it."""
    return _PREFIXES.get(uri) or _ALMOST.get(uri)


def _tag(element: etree._Element) -> str:
    name = etree.QName(element)
    prefix = _space(name.namespace or "")
    return f"{prefix}:{name.localname}" if prefix else str(name.localname)


def _path(element: etree._Element, tag: str, above: str) -> str:
    """`System[root]/Component[gain]/Connector[u]`; those without a name are counted."""
    local = tag.partition(":")[2]
    if not above and local == "SystemStructureDescription":
        return ""
    if local in _QUIET:
        return above
    name = element.get("name")
    if name is None:
        same = [*element.itersiblings(element.tag, preceding=True)]
        more = next(element.itersiblings(element.tag), None) is not None
        name = str(len(same) + 1) if same or more else ""
    step = f"{local}[{name}]" if name else local
    return f"{above}/{step}" if above else step


def _value(attribute: Attribute, text: str) -> Any:
    """The text of an attribute as its type; ValueError says why it is none."""
    reader = _READERS.get(attribute.type)
    if reader is not None:
        return reader(text)
    values = attribute.type.split("|")
    if text.strip() not in values:
        raise ValueError(f"'{text}' is not one of {', '.join(values)}")
    return text.strip()


def _whole(text: str) -> int:
    return lexical.whole(text, *_WIDE)


def _list(of: Callable[[str], Any]) -> Callable[[str], tuple[Any, ...]]:
    return lambda text: tuple(of(word) for word in text.split())


_READERS: dict[str, Callable[[str], Any]] = {
    "text": str,
    "real": lexical.real,
    "flag": lexical.flag,
    "whole": _whole,
    "reals": _list(lexical.real),
    "wholes": _list(_whole),
    "flags": _list(lexical.flag),
}
