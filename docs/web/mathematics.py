"""Formulas of the pages become MathML when the site is built.

Browsers draw MathML by themselves, so a page needs no script and no network for its formulas.
`pymdownx.arithmatex` finds them, in pages and in docstrings: `$x$` in a line, `$$` around a formula
of its own. The font, STIX Two Math, is the one inside the package ziamath: few systems have a font
with the measures that MathML asks for.
"""

from __future__ import annotations

import importlib.util
import logging
import re
from html import unescape
from itertools import cycle
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert
from mkdocs.structure.files import File, Files

log = logging.getLogger("mkdocs.hooks.mathematics")  # a warning here ends a strict build

_FORMULA = re.compile(
    r'<(?P<tag>span|div) class="arithmatex">'
    r"\\(?:\((?P<inline>.*?)\\\)|\[(?P<block>.*?)\\\])</(?P=tag)>",
    re.S,
)


def on_files(files: Files, config: Any, **_: Any) -> Files:
    """Add the font of the formulas to the site."""
    home = importlib.util.find_spec("ziamath")
    if home is None or home.origin is None:
        log.warning("the package ziamath, which has the font of the formulas, is not installed")
        return files
    font = Path(home.origin).parent / "fonts" / "STIXTwoMath-Regular.ttf"
    files.append(File.generated(config, "web/STIXTwoMath.ttf", abs_src_path=str(font)))
    return files


def on_page_content(html: str, page: Any, **_: Any) -> str:
    """Put MathML in the place of every formula of a page."""
    return _FORMULA.sub(lambda found: _mathml(found, page.file.src_uri), html)


def _mathml(found: re.Match[str], page: str) -> str:
    inline = found["inline"] is not None
    source = unescape(found["inline"] if inline else found["block"]).strip()
    try:
        text = convert(source, display="inline" if inline else "block")
    except Exception as error:
        log.warning(f"{page}: the formula {source!r} cannot be read: {error!r}")
        return found[0]
    if "\\" in text:  # a command that the converter does not know is left as it is
        log.warning(f"{page}: the formula {source!r} has an unknown command: {text}")
    text = _spaced(text)
    return text if inline else f'<div class="formula">{text}</div>'


_BAR = re.compile(r"<mo>(&#x0007C;)</mo>")
_SIGN = re.compile(r"(?<=</mo>)<mo>(&#x02212;)</mo>")  # behind another operator


def _spaced(text: str) -> str:
    """Say which bars open and which close, and that a minus behind an operator is a sign."""
    sides = cycle(("prefix", "postfix"))
    text = _BAR.sub(lambda bar: f'<mo form="{next(sides)}" stretchy="false">{bar[1]}</mo>', text)
    return _SIGN.sub(_sign, text)


def _sign(minus: re.Match[str]) -> str:
    closed = minus.string[: minus.start()].endswith(("&#x00029;</mo>", "&#x0007C;</mo>"))
    return minus[0] if closed else f'<mo form="prefix">{minus[1]}</mo>'
