"""A configuration of the Open Simulation Platform, `OspSystemStructure.xml`, as a drawing.

It becomes what an SSP becomes: components, connections, values. Units are not converted, as
libcosim does not.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from math import floor
from pathlib import Path
from typing import Any

from lxml import etree

from ..algorithms import Jacobi
from ..controllers import FixedStep
from ..core.description import Kind
from ..core.errors import FileError, InputError
from ..drawing.run_settings import RunSettings
from ..drawing.system import System
from ..fmi.model import Fmu
from ..xml import lexical
from ..xml.attributes import line_of
from ..xml.document import read_xml
from ..xml.report import ProblemReport
from .osp_ecco import energy
from .osp_functions import function, signals_of
from .osp_groups import End, VariableGroups
from .ssp.complaints import Complaints, Place, Unsupported
from .ssp.document import Binding, Component, Connector, Element, Group, Parameter, Sort, Wire
from .ssp.drawing import draw
from .ssp.package import Home
from .ssp.proxies import unproxied

_SORTS: dict[str, tuple[Kind, Callable[[str], Any]]] = {
    "Real": (Kind.REAL, lexical.real),
    "Integer": (Kind.INTEGER, lambda text: lexical.whole(text, -(2**31), 2**31 - 1)),
    "Boolean": (Kind.BOOLEAN, lexical.flag),
    "String": (Kind.STRING, str),
}
_KNOWN = (
    *("StartTime", "EndTime", "BaseStepSize", "Algorithm", "Simulators", "Functions"),
    *("Connections", "EccoConfiguration"),
)
_SLACK = 1e-9  # of a number of windows: rounding of the quotient
_ROUGH = 1e-6  # of a step: a difference that is worth a note


def read_osp(path: Path, unsupported: Unsupported = "error") -> System:
    """The system of a configuration, with its run settings."""
    if not path.is_file():
        raise FileError(path, "there is no such file")
    root = read_xml(path, ProblemReport(path), "configuration")
    if _name(root) != "OspSystemStructure":
        what = f"its root element is '{_name(root)}', not 'OspSystemStructure'"
        raise FileError(path, what, "of XML files, only those of the Open Simulation Platform open")
    reader = _Reader(path, root, Complaints(unsupported))
    system = draw(reader.group(), path.parent.name or "system", reader.complaints)
    system.run_settings = reader.settings(system)
    reader.complaints.settle(system.name)
    return system


class _Reader:
    """Turns elements into what an SSP would say."""

    def __init__(self, path: Path, root: etree._Element, complaints: Complaints) -> None:
        self.path, self.root, self.complaints = path, root, complaints
        self.home = Home(path.parent)
        self.sources: dict[str, Path] = {}
        self.models: dict[str, Fmu | None] = {}
        self.bonds: dict[str, list[set[str]]] = {}  # by name the ends of their connections
        self.groups = VariableGroups(path.parent, self.models, complaints)
        for child in _children(root):
            if _name(child) not in _KNOWN:
                what = f"holds '{_name(child)}', which is not supported"
                self.complaints.unsupported(self._place(child), what)

    def settings(self, system: System) -> RunSettings:
        """When it starts and ends, and with which step."""
        step, kind = self._number("BaseStepSize"), self._text("Algorithm") or "fixedStep"
        given: dict[str, Any] = {
            "start": self._number("StartTime"),
            "stop": self._number("EndTime"),
        }
        if kind not in ("fixedStep", "ecco"):
            place = Place(str(self.path), line_of(self.root), "Algorithm")
            what = f"'{kind}' is not supported; 'fixedStep' and 'ecco' are"
            self.complaints.unsupported(place, what)
        elif kind == "ecco":
            given |= {
                "algorithm": Jacobi(),
                "controller": energy(self.root, self.path, self.bonds, system, self.complaints),
            }
        elif step is not None and step > 0:
            given |= {"algorithm": Jacobi(), "controller": FixedStep(step)}
        return RunSettings(**given)

    def group(self) -> Group:
        """The whole, as a system."""
        simulators = [self._simulator(e) for e in self._below("Simulators", "Simulator")]
        functions = [f for f in map(self._function, self._below("Functions")) if f is not None]
        wires = tuple(w for e in self._below("Connections") for w in self._connection(e))
        place = Place(str(self.path))
        return Group(name="", place=place, elements=(*simulators, *functions), wires=wires)

    # elements -------------------------------------------------------------------------------------

    def _simulator(self, element: etree._Element) -> Component:
        name, address = element.get("name", ""), element.get("source", "")
        place = self._place(element)
        address = unproxied(address, place, self.complaints)
        source = None
        try:
            source = self.home.find(address)
            self.models[name] = Fmu(os.path.abspath(source))
        except ValueError as error:
            self.complaints.unsupported(place, str(error))
        except InputError:
            self.models[name] = None  # reported where the part is made
        given = [self._value(e) for e in element.iter(etree.Element) if _name(e) == "InitialValue"]
        parameters = tuple(p for p in given if p is not None)
        known = self.models.get(name)
        variables = () if known is None else known.fmu.variables
        return Component(
            name=name,
            place=place,
            source=source,
            title=address,
            every=self._every(element, place),
            connectors={v.name: Connector(v.name, v.causality, place) for v in variables},
            bindings=(Binding(parameters, None, "", place),) if parameters else (),
        )

    def _every(self, element: etree._Element, place: Place) -> int:
        """In how many windows it steps once: as many as fit into its step, as in libcosim."""
        text, base = element.get("stepSize"), self._number("BaseStepSize")
        if text is None or not base:
            return 1
        try:
            step = lexical.finite(text)
        except ValueError as error:
            self.complaints.problem(place, str(error))
            return 1
        every = max(1, floor(step / base * (1 + _SLACK)))
        if step and abs(every * base - step) > _ROUGH * step:
            what = f"asks for steps of {step:g} s, and has {every * base:g} s: so many windows fit"
            self.complaints.note(place, what)
        return every

    def _value(self, element: etree._Element) -> Parameter | None:
        place, name = self._place(element), element.get("variable", "")
        for child in _children(element):
            if _name(child) not in _SORTS:
                continue
            kind, read = _SORTS[_name(child)]
            try:
                value = read(child.get("value", ""))
            except ValueError as error:
                self.complaints.problem(place, str(error))
                return None
            return Parameter(name, Sort(_name(child), kind), value, place)
        self.complaints.problem(place, "has no value")
        return None

    def _function(self, element: etree._Element) -> Element | None:
        place = self._place(element)
        try:
            found = function(element, place)
        except ValueError as error:
            self.complaints.problem(place, str(error))
            return None
        if found is None:
            what = f"the function {_name(element)} is not supported"
            self.complaints.unsupported(place, what)
        return found

    # connections ----------------------------------------------------------------------------------

    def _connection(self, element: etree._Element) -> Iterator[Wire]:
        place = self._place(element)
        ends = [
            (str(e.get("simulator") or e.get("function") or ""), str(e.get("name", "")))
            for e in _children(element)
        ]
        if len(ends) != 2:
            self.complaints.problem(place, "needs two ends")
            return
        kind, pairs = _name(element), [(ends[0], ends[1])]
        if kind == "VariableGroupConnection":
            pairs = self.groups.paired(ends[0], ends[1], place)
        elif kind == "SignalGroupConnection":
            pairs = self._signals(element, ends, place)
        elif kind not in ("VariableConnection", "SignalConnection"):
            self.complaints.unsupported(place, f"{kind} is not supported")
            return
        if bond := element.get("powerBond"):
            named = [{".".join(a), ".".join(b)} for a, b in pairs]
            self.bonds.setdefault(bond, []).extend(named)
        yield from (Wire(a, b, place, False) for a, b in pairs)

    def _signals(
        self, element: etree._Element, ends: list[End], place: Place
    ) -> list[tuple[End, End]]:
        """The signals of a vector and the variables of a group, one by one."""
        signal = [bool(e.get("function")) for e in _children(element)]
        if sorted(signal) != [False, True]:
            self.complaints.problem(place, "needs a signal group and a variable group")
            return []
        (function, name), group = (ends[0], ends[1]) if signal[0] else (ends[1], ends[0])
        variables = self.groups.variables(group, place)
        if variables is None:
            return []
        names = signals_of(name, len(variables))
        return [((function, s), (group[0], v)) for s, v in zip(names, variables, strict=True)]

    # text -----------------------------------------------------------------------------------------

    def _below(self, holder: str, tag: str | None = None) -> Iterator[etree._Element]:
        for child in _children(self.root):
            if _name(child) == holder:
                yield from (e for e in _children(child) if tag in (None, _name(e)))

    def _text(self, name: str) -> str | None:
        found = next((e for e in _children(self.root) if _name(e) == name), None)
        return None if found is None else (found.text or "").strip()

    def _number(self, name: str) -> float | None:
        text = self._text(name)
        try:
            return None if text is None else lexical.finite(text)
        except ValueError as error:
            self.complaints.problem(Place(str(self.path), 0, name), str(error))
            return None

    def _place(self, element: etree._Element) -> Place:
        name = element.get("name") or element.get("variable")
        path = f"{_name(element)}[{name}]" if name else _name(element)
        return Place(str(self.path), line_of(element), path)


def _name(element: etree._Element) -> str:
    return str(etree.QName(element).localname)


def _children(element: etree._Element) -> Iterator[etree._Element]:
    return element.iterchildren(etree.Element)
