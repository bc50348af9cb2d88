"""What is left of a file when wrong entries are taken out, with its lines.

A typo in one place must not hide what is wrong in another: the rest is read as if the wrong entry
were not there.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from .yaml_text import Place, Tree


def remainder(tree: Tree, gone: Collection[Place]) -> Tree:
    """The tree without some of its entries; lines stay those of the file."""
    lines: dict[Place, int] = {}

    def kept(data: Any, old: Place, new: Place) -> Any:
        if old in tree.lines:
            lines[new] = tree.lines[old]
        if isinstance(data, dict):
            left = [key for key in data if (*old, key) not in gone]
            return {key: kept(data[key], (*old, key), (*new, key)) for key in left}
        if isinstance(data, list):
            rest = [k for k in range(len(data)) if (*old, k) not in gone]
            return [kept(data[k], (*old, k), (*new, n)) for n, k in enumerate(rest)]
        return data

    return Tree(kept(tree.data, (), ()), lines, tree.doubles)


def present(tree: Tree, place: Place) -> Place:
    """The entry of the file that a place is in: itself, or the nearest one around it."""
    data = tree.data
    found: Place = ()
    for step in place:
        inside = isinstance(data, dict) and step in data
        listed = isinstance(data, list) and isinstance(step, int) and step < len(data)
        if not (inside or listed):
            break
        data, found = data[step], (*found, step)
    return found
