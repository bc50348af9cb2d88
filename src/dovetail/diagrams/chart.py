"""What a block diagram shows: blocks with pins, and the links between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

PinKind = Literal["signal", "tuned", "power"]
PinPlace = tuple[int, int]  # a block, and the number of a pin on one of its sides


@dataclass(frozen=True, slots=True)
class Pin:
    """Where a link meets a block: an input or output, a tuned parameter, or a power port."""

    name: str
    kind: PinKind = "signal"
    is_linked: bool = True


@dataclass(frozen=True, slots=True)
class Block:
    """A part, or a junction of power ports.

    Inputs are on the left, outputs on the right. A power port is where its link leads to.
    `hidden_left` and `hidden_right` count inputs and outputs that are not drawn.
    """

    name: str
    kind: str = ""
    left: tuple[Pin, ...] = ()
    right: tuple[Pin, ...] = ()
    hidden_left: int = 0
    hidden_right: int = 0
    cycle: int | None = None  # its number among the cycles
    is_junction: bool = False
    is_nested: bool = False
    details: str = ""  # shown when the mouse rests on it

    @property
    def rows(self) -> int:
        """How many lines its pins take, with those that say how many are not drawn."""
        left = len(self.left) + bool(self.hidden_left)
        return max(left, len(self.right) + bool(self.hidden_right))


@dataclass(frozen=True, slots=True)
class Link:
    """From a pin on the right of a block to one on the left of another, or of the same."""

    source: PinPlace
    target: PinPlace
    label: str = ""
    cycle: int | None = None
    is_bond: bool = False  # of a junction: without a direction
    details: str = ""


@dataclass(frozen=True, slots=True)
class Chart:
    """All of it. `cycles` gives the number of parts in each cycle."""

    title: str
    blocks: tuple[Block, ...] = ()
    links: tuple[Link, ...] = ()
    cycles: tuple[int, ...] = ()

    def separated(self) -> list[Sequence[int]]:
        """Groups of blocks that no link joins, each in order; the largest first."""
        leader = list(range(len(self.blocks)))

        def found(k: int) -> int:
            while leader[k] != k:
                leader[k] = leader[leader[k]]
                k = leader[k]
            return k

        for link in self.links:
            a, b = sorted((found(link.source[0]), found(link.target[0])))
            leader[b] = a
        groups: dict[int, list[int]] = {}
        for k in range(len(self.blocks)):
            groups.setdefault(found(k), []).append(k)
        return sorted(groups.values(), key=lambda group: -len(group))
