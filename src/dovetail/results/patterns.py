"""Variables chosen by patterns: `prey.*`, `tank.level, pump.?`, `mesh.x[1,2]`, `der(x, 2)`."""

from __future__ import annotations

import re
from collections.abc import Iterable

Names = str | Iterable[str]  # one pattern, or several


def split(patterns: str | Iterable[str]) -> list[str]:
    """Single patterns from comma lists; a comma inside brackets belongs to a name."""
    texts = [patterns] if isinstance(patterns, str) else patterns
    parts = (part.strip() for text in texts for part in re.split(r",(?![^\[\]()]*[\])])", text))
    return [part for part in parts if part]


def matching(pattern: str, names: Iterable[str]) -> list[str]:
    """The names that one pattern means: `*` is any text, `?` any character, all else itself."""
    wild = re.escape(pattern).replace(r"\*", ".*").replace(r"\?", ".")
    return [name for name in names if re.fullmatch(wild, name, re.DOTALL)]


def chosen(patterns: str | Iterable[str], names: Iterable[str]) -> list[str]:
    """The names that any of the patterns means, in their own order."""
    names = list(names)
    wanted = {name for pattern in split(patterns) for name in matching(pattern, names)}
    return [name for name in names if name in wanted]
