"""What other tools write into SSPs for themselves: step sizes and tolerances, where harmless."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from lxml import etree

from ...algorithms import Jacobi
from ...controllers import FixedStep
from ...drawing.run_settings import RunSettings
from ...xml import lexical
from .complaints import Complaints
from .document import Annotation, Document, Group
from .nodes import Node, walk
from .own import TYPE, run_of

OSP, OMS = "com.opensimulationplatform", "org.openmodelica"


def settings_of(document: Document, complaints: Complaints) -> RunSettings:
    """How a document is to be run: our own annotation first, then those of others."""
    planned = RunSettings(start=document.start, stop=document.stop)
    own = run_of(document.annotations, complaints)
    step, tolerance = None, None
    for a in (*document.annotations, *document.system.annotations):
        for element in _inside(a, "FixedStepAlgorithm" if a.type == OSP else "FixedStepMaster"):
            step = step or _number(element, a, complaints, "baseStepSize", "stepSize")
            tolerance = tolerance or _number(element, a, complaints, "relativeTolerance")
    for group in _inner(document.system):
        for a in group.annotations:
            for element in _inside(a, "FixedStepMaster"):
                if _number(element, a, complaints, "stepSize") not in (None, step):
                    what = "has a step size of its own, but runs in the windows of the whole"
                    complaints.note(group.place, what)
    if step is None or own.controller is not None:
        return own.over(planned)
    theirs = RunSettings(algorithm=Jacobi(), controller=FixedStep(step), rtol=tolerance)
    return own.over(theirs).over(planned)


def solver_options(groups: Iterable[Group], complaints: Complaints) -> dict[str, float]:
    """What OpenModelica says of the solver in the systems around a model-exchange FMU."""
    found: dict[str, float] = {}
    for group in groups:
        for a in group.annotations:
            for element in _inside(a, "VariableStepSolver") if a.type == OMS else ():
                rtol = _number(element, a, complaints, "relativeTolerance")
                step = _number(element, a, complaints, "maximumStepSize")
                found |= {} if rtol is None else {"rtol": rtol}
                found |= {} if step is None else {"step": step}
    return found


_USED = {OSP: ("FixedStepAlgorithm",), OMS: ("FixedStepMaster", "VariableStepSolver")}
_FRAMES = ("Annotations", "Algorithm", "SimulationInformation")
_LOOKED_AT = (  # whose annotations of ours are read
    *("SystemStructureDescription", "DefaultExperiment", "System", "Component", "Connection"),
)


def remark(root: Node, complaints: Complaints) -> None:
    """Report which annotations of a file are not used."""
    for holder in walk(root):
        for a in holder.all(f"{holder.tag[:3]}:Annotations/ssc:Annotation"):
            kind = a.get("type", "")
            if kind == TYPE and holder.tag[4:] in _LOOKED_AT:
                continue
            used = _USED.get(kind)
            if used is None:
                complaints.note(a.place, f"the annotation '{kind}' is not used")
                continue
            for element in a.element.iterdescendants(etree.Element):
                name = etree.QName(element).localname
                if name not in (*_FRAMES, *used):
                    complaints.note(a.place, f"the annotation's '{name}' is not used")


def _inner(group: Group) -> Iterator[Group]:
    """The systems inside of one."""
    for element in group.elements:
        if isinstance(element, Group):
            yield element
            yield from _inner(element)


def _inside(a: Annotation, name: str) -> list[etree._Element]:
    found: Callable[[etree._Element], bool] = lambda e: etree.QName(e).localname == name  # noqa: E731
    return [e for e in a.element.iterdescendants(etree.Element) if found(e)]


def _number(
    element: etree._Element, a: Annotation, complaints: Complaints, *names: str
) -> float | None:
    for name in names:
        text = element.get(name)
        if text is None:
            continue
        try:
            value = lexical.real(str(text))
        except ValueError as error:
            complaints.note(a.place, f"the '{name}' of an annotation is not used: {error}")
            return None
        return value if value > 0 else None
    return None
