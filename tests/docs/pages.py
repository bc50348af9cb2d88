"""The pages of the documentation, cut into the pieces that can be tried.

A fence says what it is by its first word: `python` is executed, `console` is typed into a shell,
`text` right behind one of them is what it must print. `title="name"` makes it a file of that name.
A comment `<!-- not executed -->` before a fence, with a reason if there is one, exempts it, and
`<!-- executed where pyfmi is installed -->` exempts it where that library is not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
EXEMPT = "<!-- not executed"

_FENCE = re.compile(
    r"^(?P<indent> *)```(?P<info>[^\n`]*)\n(?P<text>.*?)^(?P=indent)```[ ]*$", re.M | re.S
)
_WHERE = re.compile(r"<!-- executed where (\w+) is installed -->")
_HEADING = re.compile(r"^#+ (.+)$", re.M)
_TITLE = re.compile(r'title="([^"]+)"')


@dataclass(frozen=True)
class Block:
    """One fence: its language, its text, and the first line of that text in the page."""

    language: str
    text: str
    line: int
    title: str | None
    exempt: bool
    heading: str  # the nearest one above
    follows: bool  # nothing but blank lines between the fence before and this one


def pages() -> list[Path]:
    """README and everything under docs."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@cache
def blocks(page: Path) -> tuple[Block, ...]:
    """All fences of a page, in order."""
    source, found, end, heading = page.read_text(encoding="utf-8"), [], 0, ""
    for fence in _FENCE.finditer(source):
        before = source[end : fence.start()].strip()
        heading = (_HEADING.findall(before) or [heading])[-1]
        title = _TITLE.search(fence["info"])
        cut = len(fence["indent"])
        lines = [line[cut:] for line in fence["text"].splitlines()]
        found.append(
            Block(
                (fence["info"].split() or [""])[0],
                "\n".join(lines) + "\n",
                source[: fence.start()].count("\n") + 2,
                title[1] if title else None,
                _is_exempt(before.rpartition("\n")[2]),
                heading,
                not before and bool(found),
            )
        )
        end = fence.end()
    return tuple(found)


def _is_exempt(comment: str) -> bool:
    needed = _WHERE.fullmatch(comment)
    return comment.startswith(EXEMPT) or (needed is not None and find_spec(needed[1]) is None)


def prose(page: Path) -> str:
    """A page without its code."""
    text = _FENCE.sub("", page.read_text(encoding="utf-8"))
    return re.sub(r"`[^`\n]*`", "", text)
