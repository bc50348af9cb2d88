"""Variables of FMI 1 and 2 that share a value: same kind of function, same value reference."""

from __future__ import annotations

from collections.abc import Sequence

from lxml import etree

_SAME_FUNCTION = {"Enumeration": "Integer"}


class SharedValues:
    """Which variable has a value first. In FMI 1 an alias never does."""

    def __init__(self, elements: Sequence[etree._Element], names: Sequence[str]) -> None:
        self._first: dict[tuple[str, str], str] = {}
        pairs = list(zip(elements, names, strict=True))
        for element, name in sorted(pairs, key=lambda p: p[0].get("alias", "noAlias") != "noAlias"):
            self._first.setdefault(_key(element), name)

    def first(self, element: etree._Element, name: str) -> str | None:
        """The variable that has this value first, if that is another."""
        first = self._first[_key(element)]
        return None if first == name else first


def _key(element: etree._Element) -> tuple[str, str]:
    tag = str(element[0].tag) if len(element) else ""
    return _SAME_FUNCTION.get(tag, tag), element.get("valueReference", "").strip()
