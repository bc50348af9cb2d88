"""The names of variables, which must be there and be different."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lxml import etree

from ...xml.attributes import line_of
from ...xml.report import ProblemReport

_OUT_OF_REACH = frozenset(["local", "internal", "none"])


def names_of(elements: Sequence[etree._Element], report: ProblemReport) -> list[str]:
    """The name of each variable.

    Exporters give inner variables the same name twice. These are distinguished by their value
    reference; for inputs, outputs and parameters it is not clear which one is meant.
    """
    found: list[str] = []
    taken: dict[str, etree._Element] = {}
    for element in elements:
        name = element.get("name", "")
        if not name:
            report.problem("a variable has no name", line_of(element))
        elif name in taken:
            if _in_reach(element) or _in_reach(taken[name]):
                report.problem(f"two variables have the name '{name}'", line_of(element))
            else:
                what = "two inner variables have the same name; the reference is added to one"
                report.lenient(what, f"'{name}'", line_of(element))
                name = f"{name} #{element.get('valueReference', '')}"
        taken.setdefault(name, element)
        found.append(name)
    return found


def check_aliases(
    names: Iterable[str], aliases: Iterable[etree._Element], report: ProblemReport
) -> None:
    """Report other names for variables that are taken."""
    taken = set(names)
    for element in aliases:
        name = element.get("name", "")
        if not name:
            report.problem("an alias has no name", line_of(element))
        elif name in taken:
            report.problem(f"two variables have the name '{name}'", line_of(element))
        taken.add(name)


def _in_reach(element: etree._Element) -> bool:
    return element.get("causality", "local").strip() not in _OUT_OF_REACH
