"""From an .ssd file to plain data, with all the files it refers to."""
# Over 250 lines: every sort of element that a file may hold, in one place.

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...core.errors import FileError, did_you_mean
from ...drawing.sketch import Box, Mark
from ...machines.address import is_address
from ..allowance import TooMuch, count_part, inside
from .complaints import Complaints
from .document import (
    DEFINITION,
    FMU,
    PACKAGE,
    Annotation,
    Component,
    Connector,
    Document,
    Element,
    Group,
    Reference,
    Wire,
)
from .files import Files
from .nodes import Node, read_nodes, walk
from .own import own_of
from .package import Home, variant
from .placing import placed
from .proxies import unproxied
from .values import change_of, dictionary_of, sort_of
from .vendors import remark


class Reader:
    """Reads documents, and reports what is wrong with them; `opened` are those around."""

    def __init__(
        self, home: Home, file: Path, complaints: Complaints, opened: tuple[Path, ...] = ()
    ) -> None:
        self.home, self.file, self.complaints = home.beside(file), file, complaints
        if file.resolve() in opened:
            raise FileError(home.name(file), "this system would contain itself", "take it out")
        self.opened = (*opened, file.resolve())
        self.title = home.name(file)
        self.files = Files(self.home, complaints)

    def document(self) -> Document:
        """The whole file."""
        root = read_nodes(self.file, self.title, "ssd:SystemStructureDescription", self.complaints)
        remark(root, self.complaints)
        self.dictionary = dictionary_of(root, self.complaints)
        self.systems = {n.get("id"): n for n in walk(root) if n.tag == "ssd:System"}
        system = root.one("ssd:System")
        experiment = root.one("ssd:DefaultExperiment")
        self.files.note_unread(root)
        if system is None:
            raise FileError(self.title, "it has no System")
        return Document(
            root.get("name", ""),
            root.get("version"),
            self._group(system, ()),
            root.place,
            None if experiment is None else experiment.get("startTime"),
            None if experiment is None else experiment.get("stopTime"),
            (*_annotations(root), *(() if experiment is None else _annotations(experiment))),
        )

    # elements -------------------------------------------------------------------------------------

    def _group(self, node: Node, around: tuple[Node, ...]) -> Group:
        known: set[str] = set()
        elements = []
        for child in node.all("ssd:Elements"):
            for one in child.children:
                element = self._element(one, (*around, node))
                if element.name in known:
                    what = "there is an element of this name already"
                    self.complaints.problem(element.place, what)
                known.add(element.name)
                elements.append(element)
        canvas = node.one("ssd:SystemGeometry")
        self.files.note_unread(node)
        return Group(
            **self._common(node),
            annotations=_annotations(node),
            elements=tuple(elements),
            wires=tuple(map(self._wire, node.all("ssd:Connections/ssd:Connection"))),
            dictionaries=dict(
                map(self.files.dictionary, node.all("ssd:SignalDictionaries/ssd:SignalDictionary"))
            ),
            canvas=None if canvas is None else _corners(canvas),
            notes=tuple(
                Mark(*_corners(n), n.get("text", ""))
                for n in node.all("ssd:GraphicalElements/ssd:Note")
            ),
        )

    def _element(self, node: Node, around: tuple[Node, ...]) -> Element:
        count_part(self.title)
        match node.tag:
            case "ssd:System":
                return self._group(node, around)
            case "ssd:SignalDictionaryReference":
                self.files.note_unread(node)
                if node.one("ssd:ParameterBindings") is not None:
                    what = "has values of its own, which is not supported"
                    self.complaints.unsupported(node.place, what)
                return Reference(
                    name=node.get("name", ""),
                    place=node.place,
                    connectors=self._connectors(node),
                    dictionary=node.get("dictionary", ""),
                )
        return self._component(node, around)

    def _component(self, node: Node, around: tuple[Node, ...]) -> Element:
        type_, address = node.get("type", FMU).strip(), node.get("source")
        plain, _, fragment = (address or "").partition("#")
        if address is not None and not plain and fragment:
            return self._instance(node, fragment, around)
        path = None
        plain = unproxied(plain, node.place, self.complaints)
        if address is not None and not is_address(address):
            path = self.files.attempt(node, lambda: self.home.find(plain))
        self.files.note_unread(node)
        component = Component(
            **self._common(node, path),
            annotations=_annotations(node),
            type=type_,
            source=path,
            title=address or "",
            implementation=node.get("implementation", "any"),
        )
        if path is not None and type_ in (DEFINITION, PACKAGE):
            try:
                home, file = variant(path, fragment) if type_ == PACKAGE else (self.home, path)
                with inside(self.title):
                    inner = Reader(home, file, self.complaints, self.opened).document()
            except TooMuch:
                raise
            except (FileError, ValueError) as error:
                self.complaints.problem(node.place, f"'{address}' cannot be opened: {error}")
                return component
            return placed(inner.system, component)
        return component

    def _instance(self, node: Node, fragment: str, around: tuple[Node, ...]) -> Element:
        """A system of this file, once more."""
        system = self.systems.get(fragment)
        if system is None:
            hint = did_you_mean(fragment, [name for name in self.systems if name])
            self.complaints.problem(
                node.place, f"there is no system with the id '{fragment}'.{hint}"
            )
        elif system in around:
            self.complaints.problem(node.place, "this system would contain itself")
            system = None
        stand_in = Component(**self._common(node))
        return stand_in if system is None else placed(self._group(system, around), stand_in)

    # what elements have ---------------------------------------------------------------------------

    def _common(self, node: Node, path: Path | None = None) -> dict[str, Any]:
        """What systems and components both have; `path` is that of the model."""
        return {
            "name": node.get("name", ""),
            "place": node.place,
            "connectors": self._connectors(node),
            "bindings": self.files.bindings(node, path),
            "box": self._box(node),
            "label": node.get("description", ""),
        }

    def _connectors(self, node: Node) -> dict[str, Connector]:
        found: dict[str, Connector] = {}
        for one in node.all("ssd:Connectors/ssd:Connector"):
            at, name = one.one("ssd:ConnectorGeometry"), one.get("name", "")
            if name in found:
                self.complaints.problem(one.place, "there is a connector of this name already")
            point = inner = None
            if at is not None:
                point = (at.get("x", 0.0), at.get("y", 0.0))
                inside = (at.get("systemInnerX"), at.get("systemInnerY"))
                inner = None if None in inside else inside
            self.files.note_unread(one)
            found[name] = Connector(
                name,
                one.get("kind", "unspecified"),
                one.place,
                sort_of(one, self.dictionary, self.complaints),
                tuple(c.get("name", "") for c in one.all("ssd:Clock")),
                point,
                inner,
                one.get("description", ""),
            )
        for c in found.values():
            for clock in c.clocks:
                if clock not in found:
                    what = f"belongs to a clock '{clock}', which is not a connector here"
                    self.complaints.problem(c.place, what)
        return found

    def _wire(self, node: Node) -> Wire:
        for name in ("startIndices", "endIndices"):
            if node.get(name):
                what = f"connects single elements of an array ({name}), which is not supported"
                self.complaints.unsupported(node.place, what)
        path = node.one("ssd:ConnectionGeometry")
        points: tuple[tuple[float, float], ...] = ()
        if path is not None:
            x, y = path.get("pointsX", ()), path.get("pointsY", ())
            if len(x) != len(y):
                self.complaints.problem(path.place, "has not as many pointsX as pointsY")
            points = tuple(zip(x, y, strict=False))
        self.files.note_unread(node)
        return Wire(
            (node.get("startElement") or None, node.get("startConnector", "")),
            (node.get("endElement") or None, node.get("endConnector", "")),
            node.place,
            not node.get("suppressUnitConversion", False),
            change_of(node, self.complaints),
            points,
            tuple(own_of(_annotations(node), self.complaints).table),
        )

    def _box(self, node: Node) -> Box | None:
        at = node.one("ssd:ElementGeometry")
        if at is None:
            return None
        icon = at.get("iconSource")
        path = None if icon is None else self.files.attempt(at, lambda: self.home.find(icon))
        return Box(
            *_corners(at),
            at.get("rotation", 0.0),
            None if path is None else str(path),
            at.get("iconRotation", 0.0),
            at.get("iconFlip", False),
            at.get("iconFixedAspectRatio", False),
        )


def _corners(node: Node) -> tuple[float, float, float, float]:
    x1, y1, x2, y2 = (float(node.get(name, 0.0)) for name in ("x1", "y1", "x2", "y2"))
    return x1, y1, x2, y2


def _annotations(node: Node) -> tuple[Annotation, ...]:
    found = node.all(f"{node.tag[:3]}:Annotations/ssc:Annotation")
    return tuple(Annotation(a.get("type", ""), a.element, a.place) for a in found)
