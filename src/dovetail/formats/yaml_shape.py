"""A file as the schema sees it: what has the right shape, and everything that has not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from .problems import sentences
from .schema import DrawingEntry
from .yaml_remainder import present, remainder
from .yaml_text import Place, Tree

_ROUNDS = 5  # of taking wrong entries out


@dataclass(frozen=True, slots=True)
class Shape:
    """What a file says, as far as it has the right shape.

    `entry` is None if nothing is left to look at; `found` are lines with a sentence each; `tree`
    has the lines of `entry`, and `whole` is the file as it was written.
    """

    entry: DrawingEntry | None
    found: list[tuple[int, str]]
    tree: Tree
    whole: Tree

    def lost(self, place: Place) -> set[str]:
        """The parts of a system that are written in the file but could not be read."""
        return _parts(self.whole, place) - _parts(self.tree, place)


def shaped(tree: Tree) -> Shape:
    """The shape of a file. Wrong entries are taken out, so that the rest can be looked at."""
    found = [(line, f"'{key}' is there twice.") for line, key in tree.doubles]
    left, touched = tree, set[Place]()
    for _ in range(_ROUNDS):
        try:
            return Shape(DrawingEntry.model_validate(left.data), found, left, tree)
        except ValidationError as error:
            gone = set[Place]()
            for place, sentence in sentences(error, DrawingEntry):
                around = present(left, place)
                if not any(t[: len(place)] == place for t in touched):  # else it follows from that
                    found.append((left.line(place), sentence))
                gone.add(around)
        if not isinstance(left.data, dict):
            break
        left = _without(left, gone)
        touched |= gone
    return Shape(None, found, left, tree)


def _without(tree: Tree, gone: set[Place]) -> Tree:
    """The tree without these entries; without parts, nothing can be said of connections."""
    left = remainder(tree, gone - {()})
    if "parts" not in left.data:
        left = remainder(left, {("connections",), ("junctions",)})
    return Tree({"parts": {}, **left.data, "dovetail": 1}, left.lines, left.doubles)


def _parts(tree: Tree, place: Place) -> set[str]:
    data: Any = tree.data
    for step in (*place, "parts"):
        data = data.get(step) if isinstance(data, dict) else None
    return set(data) if isinstance(data, dict) else set()
