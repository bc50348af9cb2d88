"""Reading what depends on what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from lxml import etree

from ...xml import lexical
from ...xml.attributes import Attributes, line_of
from ...xml.report import ProblemReport
from .fmu import Unknown
from .variable import FmuVariable

Names = Mapping[int, str]
_KINDS = frozenset(["dependent", "constant", "fixed", "tunable", "discrete"])


def by_position(variables: Sequence[FmuVariable], first: int = 1) -> Names:
    """Variables as FMI 2 numbers them."""
    return {number: v.name for number, v in enumerate(variables, first)}


def by_reference(variables: Iterable[FmuVariable]) -> Names:
    """Variables as FMI 3 numbers them; the first, if one number means several."""
    found: dict[int, str] = {}
    for v in variables:
        found.setdefault(v.reference, v.name)
    return found


def meant(
    outputs: Sequence[etree._Element],
    variables: Sequence[FmuVariable],
    attribute: str,
    report: ProblemReport,
) -> Names:
    """What the numbers in a model structure mean.

    Exporters confuse positions and value references. Another way of counting than that of the
    standard is taken only where it makes the listed outputs exactly the outputs there are.
    """
    ways = {
        "index": by_position(variables),
        "valueReference": by_reference(variables),
        "index from zero": by_position(variables, 0),
    }
    usual = ways.pop(attribute)
    listed = [_number(element.get(attribute, "")) for element in outputs]
    wanted = {v.name for v in variables if v.causality == "output"}
    if not listed or {usual.get(number) for number in listed} == wanted:
        return usual
    for way, names in ways.items():
        other = [_number(e.get(attribute, e.get(way, ""))) for e in outputs]
        if len(names) == len(variables) and {names.get(number) for number in other} == wanted:
            line = line_of(outputs[0])
            report.lenient(f"numbers in the model structure are read as {way}", "", line)
            return names
    return usual


def unknowns(
    elements: Iterable[etree._Element], attribute: str, names: Names, report: ProblemReport
) -> tuple[Unknown, ...]:
    """The unknowns of one list, each of them once."""
    found: dict[str, Unknown] = {}
    for element in elements:
        attributes = Attributes(element, report)
        unknown = _unknown(attributes, attribute, names)
        attributes.done()
        if unknown is None:
            continue
        if unknown.name in found:
            attributes.lenient("an unknown is listed twice in the model structure")
        found.setdefault(unknown.name, unknown)
    return tuple(found.values())


def outputs_of(
    listed: Iterable[Unknown], variables: Iterable[FmuVariable], report: ProblemReport
) -> tuple[Unknown, ...]:
    """The outputs that are listed, and then those that should be."""
    outputs = {v.name: v for v in variables if v.causality == "output"}
    found: list[Unknown] = []
    for unknown in listed:
        if outputs.pop(unknown.name, None) is None:
            what = "a variable is listed among the outputs of the model structure but is none"
            report.lenient(what, f"'{unknown.name}'", unknown.line)
        else:
            found.append(unknown)
    for name, v in outputs.items():
        report.lenient("an output is not listed in the model structure", f"'{name}'", v.line)
        found.append(Unknown(name, line=v.line))
    return tuple(found)


def with_states(
    derivatives: Iterable[Unknown], by_name: Mapping[str, FmuVariable], report: ProblemReport
) -> tuple[Unknown, ...]:
    """The derivatives, each with its state."""
    found = []
    for d in derivatives:
        state = by_name[d.name].derivative_of
        if state is None:
            report.lenient("a derivative does not say of which state", f"'{d.name}'", d.line)
        found.append(Unknown(d.name, d.dependencies, d.kinds, state, d.line))
    twice = [s for s, times in Counter(d.state for d in found if d.state).items() if times > 1]
    for state in twice:
        report.lenient("a state has several derivatives", f"'{state}'")
    return tuple(found)


def _unknown(attributes: Attributes, attribute: str, names: Names) -> Unknown | None:
    given = attributes.text(attribute)
    others = [attributes.text(o) for o in ("index", "valueReference") if o != attribute]
    written = attributes.text("dependencies", "\0")
    kinds = attributes.text("dependenciesKind").split()
    name = _resolved(attributes, given or others[0], names)
    if name is None:
        return None
    if written == "\0":
        return Unknown(name, line=attributes.line)
    numbers = written.split()
    known = [_resolved(attributes, number, names) for number in numbers]
    dependencies = tuple(n for n in known if n is not None)
    return Unknown(
        name, dependencies, _kinds(attributes, kinds, len(numbers)), None, attributes.line
    )


def _resolved(attributes: Attributes, written: str, names: Names) -> str | None:
    name = names.get(_number(written))
    if name is None:
        target = f"variable number {written}, which does not exist" if written else "no variable"
        attributes.problem(f"the model structure refers to {target}")
    return name


def _kinds(attributes: Attributes, kinds: list[str], count: int) -> tuple[str, ...] | None:
    if not kinds:
        return None
    if len(kinds) != count:
        attributes.lenient("dependenciesKind has another length than dependencies, ignored")
        return None
    for kind in kinds:
        if kind not in _KINDS:
            attributes.lenient(f"the dependency kind '{kind}' is not known, read as 'dependent'")
    return tuple(kind if kind in _KINDS else "dependent" for kind in kinds)


def _number(text: str) -> int:
    """The number that is written, or one that nothing has."""
    try:
        return lexical.whole(text)
    except ValueError:
        return -1
