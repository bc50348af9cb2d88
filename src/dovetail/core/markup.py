"""HTML for notebooks: escaped text, tables, folded parts. No script, no style sheet.

Colours are those of the page around, so that light and dark pages are served alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

_LINE = "1px solid rgba(128,128,128,0.35)"
_CELL = "padding:2px 12px 2px 0;border:none;border-bottom:" + _LINE
_GOOD, _BAD = "#2f9e5b", "#d9480f"


def escaped(text: object) -> str:
    """Text that means nothing but itself in HTML and XML; what neither can hold becomes `?`."""
    return escape(printable(str(text)))


def printable(text: str) -> str:
    """Text without what can be neither printed nor written to XML: that becomes `?`."""
    return "".join(c if _is_allowed(c) else "?" for c in text)


def _is_allowed(character: str) -> bool:
    code = ord(character)
    if code < 0x20:
        return character in "\t\n\r"
    return not (0x7F <= code < 0xA0 or 0xD800 <= code < 0xE000 or code in (0xFFFE, 0xFFFF))


def table(
    heads: Sequence[str], rows: Iterable[Sequence[object]], *, numbers: Sequence[int] = ()
) -> str:
    """A table of text; columns whose places are in `numbers` are set to the right."""
    sides = ["right" if k in numbers else "left" for k in range(len(heads))]
    titles = zip(heads, sides, strict=True)
    head = "".join(f"<th style='{_CELL};text-align:{s}'>{escaped(h)}</th>" for h, s in titles)
    lines = []
    for row in rows:
        cells = zip(row, sides, strict=True)
        cell = "".join(f"<td style='{_CELL};text-align:{s}'>{escaped(c)}</td>" for c, s in cells)
        lines.append(f"<tr style='background:none'>{cell}</tr>")
    style = "border-collapse:collapse;border:none;margin:4px 0;font-size:inherit;color:inherit"
    return (
        f"<table style='{style}'><thead><tr style='background:none'>{head}</tr></thead>"
        f"<tbody>{''.join(lines)}</tbody></table>"
    )


def folded(title: str, content: str) -> str:
    """Content that is shown when its title is clicked."""
    style = "cursor:pointer;opacity:0.8"
    return f"<details><summary style='{style}'>{escaped(title)}</summary>{content}</details>"


def paragraph(text: str, *, good: bool | None = None) -> str:
    """A line of text; with a mark before it where it is good news or bad."""
    mark = ""
    if good is not None:
        sign, colour = ("✓", _GOOD) if good else ("✗", _BAD)
        mark = f"<b style='color:{colour}'>{sign}</b> "
    return f"<div style='margin:2px 0'>{mark}{escaped(text)}</div>"


def card(title: str, *contents: str, good: bool | None = None) -> str:
    """A title and what belongs to it."""
    mark = ""
    if good is not None:
        sign, colour = ("✓", _GOOD) if good else ("✗", _BAD)
        mark = f"<span style='color:{colour}'>{sign}</span> "
    head = f"<div style='font-weight:600;margin:2px 0 4px'>{mark}{escaped(title)}</div>"
    style = f"border-left:3px solid {_LINE.rpartition(' ')[2]};padding:2px 0 2px 12px"
    return f"<div style='{style};margin:4px 0'>{head}{''.join(contents)}</div>"
