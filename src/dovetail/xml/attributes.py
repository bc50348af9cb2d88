"""The attributes of an element, taken one by one; those not used are reported at the end."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TypeVar, cast

from lxml import etree

from . import lexical
from .report import ProblemReport

_UNCOUNTED = 65535  # what it says of all lines from there on
Choice = TypeVar("Choice", bound=str)


class Attributes:
    """The attributes of one element.

    What cannot be read is put up with and counts as missing, except where it is a reference.
    """

    __slots__ = ("_element", "_left", "_report", "subject")

    def __init__(self, element: etree._Element, report: ProblemReport, subject: str = "") -> None:
        self._element = element
        self._left = cast(dict[str, str], dict(element.items()))
        self._report = report
        self.subject = subject

    @property
    def line(self) -> int:
        """Where in the file it is."""
        return line_of(self._element)

    def has(self, name: str) -> bool:
        """Whether it is written."""
        return bool(self._left.get(name))

    def text(self, name: str, default: str = "") -> str:
        """An attribute as it stands."""
        return self._left.pop(name, default)

    def optional(self, name: str) -> str | None:
        """An attribute as it stands, or None where it is missing or empty."""
        return self._left.pop(name, None) or None

    def real(self, name: str) -> float | None:
        """A number."""
        given = self._left.pop(name, None)
        if not given:
            return None
        try:
            return lexical.real(given)
        except ValueError as error:
            self._ignored(name, error)
            return None

    def whole(self, name: str, low: int = 0, high: int = 2**32 - 1) -> int | None:
        """A whole number."""
        given = self._left.pop(name, None)
        if not given:
            return None
        try:
            return lexical.whole(given, low, high)
        except ValueError as error:
            self._ignored(name, error)
            return None

    def flag(self, name: str, default: bool = False) -> bool:
        """True or false."""
        given = self._left.pop(name, None)
        if not given:
            return default
        try:
            found = lexical.flag(given)
        except ValueError as error:
            self._ignored(name, error)
            return default
        if not lexical.is_standard_flag(given):
            self.lenient("true or false is capitalised")
        return found

    def choice(self, name: str, known: tuple[Choice, ...], default: Choice) -> Choice:
        """One of several keywords."""
        given = self._left.pop(name, "").strip()
        if not given:
            return default
        for one in known:
            if given == one:
                return one
        self._ignored(name, f"'{given}' is not one of {', '.join(known)}")
        return default

    def reference(self, name: str) -> int | None:
        """A value reference, which must be there."""
        given = self.text(name)
        try:
            return lexical.whole(given)
        except ValueError as error:
            reason = f"is wrong: {error}" if given else "is missing"
            self.problem(f"the {name} of {self.subject or self._element.tag} {reason}")
            return None

    def lenient(self, what: str, of: str = "", *, forbidden: bool = True) -> None:
        """Report what is accepted here."""
        self._report.lenient(what, of or self.subject, self.line, forbidden=forbidden)

    def problem(self, what: str) -> None:
        """Report what stops a run."""
        self._report.problem(what, self.line)

    def done(self, *known: str) -> None:
        """Report attributes that are not used. Those of other namespaces are free."""
        for name in self._left:
            if not name.startswith("{"):
                near = get_close_matches(name, known, n=1)
                hint = f" (is '{near[0]}' meant?)" if near else ""
                tag = self._element.tag
                self.lenient(f"the attribute '{name}' of {tag} is not known, ignored{hint}")

    def _ignored(self, name: str, reason: object) -> None:
        self.lenient(f"the attribute '{name}' of {self._element.tag} is ignored, as {reason}")


def line_of(element: etree._Element) -> int:
    """Where in the file an element is; 0 if that is not known, as far behind in long ones."""
    line = cast(int, element.sourceline) or 0
    return line if line < _UNCOUNTED else 0


def children(
    parent: etree._Element | None, *known: str, report: ProblemReport
) -> list[etree._Element]:
    """The child elements with one of these names; others are reported and left out."""
    if parent is None:
        return []
    found = []
    for child in parent:
        if child.tag in known:
            found.append(child)
        elif isinstance(child.tag, str):
            what = f"the element '{child.tag}' in {parent.tag} is not known, ignored"
            report.lenient(what, "", line_of(child))
    return found
