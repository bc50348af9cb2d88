"""What other tools write into SSPs for themselves: step sizes and tolerances, where harmless."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from lxml import etree

from ..algorithms import Jacobi
from ..controllers import FixedStep
from ..fmi.schema import lexical
from .drawing import RunSettings
from .ssp_complaints import Complaints
from .ssp_document import Annotation, Document, Element, Group
from .ssp_own import TYPE, run_of

OSP, OMS = "com.opensimulationplatform", "org.openmodelica"


def settings_of(document: Document, complaints: Complaints) -> RunSettings:
    """How a document is to be run: our own annotation first, then those of others."""
    told = RunSettings(start=document.start, stop=document.stop)
    own = run_of(document.annotations, complaints)
    step, tolerance = None, None
    for a in (*document.annotations, *document.system.annotations):
        for element in _inside(a, "FixedStepAlgorithm" if a.type == OSP else "FixedStepMaster"):
            step = step or _number(element, a, complaints, "baseStepSize", "stepSize")
            tolerance = tolerance or _number(element, a, complaints, "relativeTolerance")
    if step is None or own.controller is not None:
        return own.over(told)
    theirs = RunSettings(algorithm=Jacobi(), controller=FixedStep(step), rtol=tolerance)
    return own.over(theirs).over(told)


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


def remark(document: Document, complaints: Complaints) -> None:
    """Tell which annotations were not used."""
    for a in _every(document):
        if a.type in (OSP, OMS, TYPE):
            _leftover(a, complaints)
        else:
            complaints.note(a.place, f"the annotation '{a.type}' is not used")


_USED = {OSP: ("FixedStepAlgorithm",), OMS: ("FixedStepMaster", "VariableStepSolver")}
_FRAMES = ("Annotations", "Algorithm", "SimulationInformation")


def _leftover(a: Annotation, complaints: Complaints) -> None:
    for element in a.element.iterdescendants(etree.Element):
        name = etree.QName(element).localname
        if a.type != TYPE and name not in (*_FRAMES, *_USED[a.type]):
            complaints.note(a.place, f"the annotation's '{name}' is not used")


def _every(document: Document) -> Iterator[Annotation]:
    yield from document.annotations

    def below(element: Element) -> Iterator[Annotation]:
        yield from element.annotations
        for child in element.elements if isinstance(element, Group) else ():
            yield from below(child)

    yield from below(document.system)


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
