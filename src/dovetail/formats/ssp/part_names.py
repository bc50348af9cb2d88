"""The names that elements get as parts."""

from __future__ import annotations

import re

from .flattening import Path


def cleaned(name: str) -> str:
    """A name without dots and outer blanks."""
    return re.sub(r"\.", "_", name).strip() or "part"


def part_name(path: Path, taken: set[str]) -> str:
    """`axle/wheel`: the names of elements without dots, and never twice."""
    wanted = "/".join(map(cleaned, path[1:]))
    name, count = wanted, 2
    while name in taken:
        name, count = f"{wanted}_{count}", count + 1
    taken.add(name)
    return name
