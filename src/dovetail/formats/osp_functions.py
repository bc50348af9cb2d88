"""Functions between simulators, as configurations of the Open Simulation Platform have them."""

from __future__ import annotations

from lxml import etree

from ..models import Algebraic
from ..xml import lexical
from .ssp.complaints import Place
from .ssp.document import Change, Component, Connector, Element, Group, Wire

_MOST = 10_000  # inputs times components: far beyond what anybody draws


def function(element: etree._Element, place: Place) -> Element | None:
    """The element that a function becomes; None where it is not known.

    ValueError where its numbers are none.
    """
    kind, name = etree.QName(element).localname, element.get("name", "")
    if kind == "LinearTransformation":
        return _transformation(element, name, place)
    if kind in ("Sum", "VectorSum"):
        count = lexical.whole(element.get("inputCount", ""), 1, _MOST)
        size = lexical.whole(element.get("dimension", ""), 1, _MOST) if kind == "VectorSum" else 0
        if count * max(size, 1) > _MOST:
            raise ValueError(f"it adds up {count} vectors of {size}, more than {_MOST} numbers")
        return _sum(name, count, size, place)
    return None


def signals_of(name: str, size: int) -> list[str]:
    """The signals of a group of a VectorSum: in[0][0], in[0][1], and so on."""
    return [f"{name}[{k}]" for k in range(size)]


def _transformation(element: etree._Element, name: str, place: Place) -> Group:
    """A system that passes one signal on."""
    factor, offset = (
        lexical.real(element.get(key, usual)) for key, usual in (("factor", "1"), ("offset", "0"))
    )
    change = Change("LinearTransformation", place, factor, offset)
    ends = {n: Connector(n, k, place) for n, k in (("in", "input"), ("out", "output"))}
    wire = Wire((None, "in"), (None, "out"), place, False, change)
    return Group(name=name, place=place, connectors=ends, wires=(wire,))


def _sum(name: str, count: int, size: int, place: Place) -> Component:
    """The sum of numbers (no size), or of vectors, component by component."""
    terms = [f"in[{k}]" for k in range(count)]
    inputs = [s for t in terms for s in signals_of(t, size)] if size else terms
    outputs = signals_of("out", size) if size else ["out"]
    width = max(size, 1)
    model = Algebraic(
        inputs=inputs,
        outputs=outputs,
        function=lambda t, u, p: [sum(u[k::width]) for k in range(width)],
        vector=True,
    )
    ends = [*((n, "input") for n in inputs), *((n, "output") for n in outputs)]
    return Component(
        name=name,
        place=place,
        title="a sum",
        connectors={n: Connector(n, kind, place) for n, kind in ends},
        model=model,
    )
