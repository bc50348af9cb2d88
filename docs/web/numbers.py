"""Numbers do not break: at the sign of an exponent, before a unit, between thousands."""

from __future__ import annotations

import re
from typing import Any

_TAG = re.compile(r"(<[^>]+>)")
_LEFT_ALONE = ("code", "pre", "script", "style", "math", "svg")
_UNIT = r"%|(?:[numk]?s|µs|[mk]?m|m/s|k?Pa|g/s|k?g|[mk]?[VAW]|K|N|[kMG]B|\d{3})\b"
_GAP = re.compile(rf"(?<=\d) (?={_UNIT})")
_EXPONENT = re.compile(r"\d+(?:\.\d+)?e[-+]\d+")


def on_page_content(html: str, **_: Any) -> str:
    """Hold the numbers of a page together; code stays as it is."""
    pieces, inside = _TAG.split(html), 0
    for k, piece in enumerate(pieces):
        if piece.startswith("<"):
            name = re.match(r"</?([\w-]*)", piece)
            if name and name[1] in _LEFT_ALONE and not piece.endswith("/>"):
                inside += -1 if piece.startswith("</") else 1
        elif not inside:
            pieces[k] = _held_together(piece)
    return "".join(pieces)


def _held_together(text: str) -> str:
    text = _GAP.sub("\N{NO-BREAK SPACE}", text)
    return _EXPONENT.sub(lambda found: f'<span class="number">{found[0]}</span>', text)
