"""Sentences of a bearable length, whatever was given: long values are told by how they begin.

A message quotes what somebody has written, and that may be a whole file.
"""

from __future__ import annotations

import re

QUOTED, SHOWN = 160, 80  # letters of a quoted value; and of one that is longer
WORD = 1000  # letters without a blank: some paths are long
LINE, HEAD, TAIL = 2000, 1400, 500  # letters of a line; of a longer one, from its beginning and end
_VALUE = re.compile(rf"(?<!\w)(?P<mark>['\"])(?P<value>(?:(?!(?P=mark)).){{{QUOTED},}})(?P=mark)")
_WORD = re.compile(rf"\S{{{WORD},}}")


def bearable(text: str) -> str:
    """The text with long quoted values cut, and lines that are longer still without their middle.

    What a sentence says at its end, the way out, stays.
    """
    if len(text) <= QUOTED:
        return text
    return "\n".join(map(_line, text.split("\n")))


def _line(text: str) -> str:
    if len(text) > QUOTED:
        text = _WORD.sub(_broken, _VALUE.sub(_cut, text))
    if len(text) <= LINE:
        return text
    return f"{text[:HEAD]} ... ({len(text) - HEAD - TAIL} letters) ... {text[-TAIL:]}"


def _cut(found: re.Match[str]) -> str:
    mark, value = found["mark"], found["value"]
    return f"{mark}{value[:SHOWN]}...{mark} ({len(value)} letters)"


def _broken(found: re.Match[str]) -> str:
    return f"{found[0][:SHOWN]}...{found[0][-SHOWN:]}"
