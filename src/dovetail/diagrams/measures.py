"""How large blocks are, and where their pins sit."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from .chart import Block
from .lettering import width_of

TITLE, NAME, KIND, PIN, SMALL = 15.0, 13.0, 10.5, 11.0, 10.0  # sizes of letters
HEADER, ROW, FOOT, PAD = 42.0, 18.0, 8.0, 12.0
JUNCTION = 16.0
LEAST, MOST = 96.0, 260.0  # width of a block


@dataclass(frozen=True, slots=True)
class Size:
    """Width and height of a block."""

    width: float
    height: float


def size_of(block: Block) -> Size:
    """The room that a block needs for its text."""
    if block.is_junction:
        return Size(JUNCTION, JUNCTION)
    title = width_of(block.name, NAME, bold=True) + (20.0 if block.cycle is not None else 0.0)
    kind = width_of(block.kind, KIND)
    left = max((width_of(p.name, PIN) for p in block.left), default=0.0)
    right = max((width_of(p.name, PIN) for p in block.right), default=0.0)
    left = max(left, width_of(more(block.hidden_left), SMALL))
    right = max(right, width_of(more(block.hidden_right), SMALL))
    pins = left + right + (18.0 if left and right else 0.0)
    width = min(MOST, max(LEAST, title + 2 * PAD, kind + 2 * PAD, pins + 2 * PAD))
    return Size(float(ceil(width)), HEADER + ROW * block.rows + (FOOT if block.rows else 0.0))


def pin_offset(block: Block, number: int) -> float:
    """How far below the top of a block one of its pins is."""
    if block.is_junction:
        return JUNCTION / 2
    return HEADER + ROW * (number + 0.5)


def more(count: int) -> str:
    """How many are not drawn; nothing for none."""
    return f"+ {count} more" if count else ""
