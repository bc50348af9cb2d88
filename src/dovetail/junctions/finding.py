"""How a group of junctions stands."""

from __future__ import annotations

from dataclasses import dataclass

from ..core.signals import Vector
from ..topology.junction_groups import JunctionGroup


@dataclass(frozen=True, slots=True, eq=False)
class Finding:
    """How a group of junctions stands: g and s for each row, and whether it is solved."""

    group: JunctionGroup
    index: tuple[int, ...]
    gap: Vector
    sliding: Vector
    unsolved: bool
    time_scale: float
