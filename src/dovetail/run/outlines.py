"""What whole runs in one call have in common, where parts begin in a way that native code knows."""

from __future__ import annotations

from math import inf

from ..assembly.assembly import Assembly
from ..core.signals import Vector
from ..core.window import Grid
from ..subsystems.batch import WindowRange
from ..subsystems.whole_runs import RunOutline
from .fused_run import FusedRun, along

_MANY = 1 << 62  # windows: as many as there are


def outline_of(assembly: Assembly, fused: FusedRun, grid: Grid, lines: Vector) -> RunOutline | None:
    """Of runs over this grid; None where the start is more than asking one part after another.

    `lines`: room for the rows of a run.
    """
    components = assembly.structure.instant
    if any(component.cyclic for component in components) or assembly.next_event() < inf:
        return None
    stretches = stretches_of(grid)
    if 1 + sum(stretch.count for stretch in stretches) > len(lines):
        return None
    return RunOutline(
        grid.origin,
        [i for component in components for i in component.parts],
        assembly.blank.reals,
        stretches,
        lines,
        fused.memory,
        fused.is_held,
    )


def stretches_of(grid: Grid) -> list[WindowRange]:
    """The windows of a run, in the stretches that a run asks for one after another."""
    found, time = list[WindowRange](), grid.origin
    while time < grid.stop:
        stretch = along(grid, time, _MANY)
        found.append(stretch)
        time = stretch.window(stretch.count - 1).stop
    return found
