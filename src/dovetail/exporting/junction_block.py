"""What junctions of an export are, as bytes: `resources/junctions.bin`.

docs/design/exports.md is the same in words; `native/shim/junctions.c` reads it, with the same
fields in the same order.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..runplan.section import Reals, Whole
from .block import packed

MAGIC = b"DOVEJOIN"
VERSION = 1


@dataclass(frozen=True, slots=True, eq=False)
class JunctionBlock:
    """Groups of junctions: unknowns z feed u[target] = F z + shift, g = N y + D z + c vanishes."""

    names: tuple[str, ...]
    unknowns: Whole  # how many, group by group
    targets: Whole
    outputs: Whole
    time_scales: Reals  # NaN: twice the window
    asked: Reals  # that at the least
    presolves: Whole
    target: Whole  # inputs
    F: Reals  # row by row
    shift: Reals
    output: Whole
    owner: Whole  # the part of each output
    N: Reals
    D: Reals
    c: Reals
    nominal: Reals
    z: Reals  # at the start
    index: Whole  # of each row
    again: Whole  # parts that feel unknowns at once

    def written(self) -> bytes:
        """The block."""
        return packed(self, MAGIC, VERSION)
