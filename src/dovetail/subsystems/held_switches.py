"""Switches that a held input throws: they wait for the end of the window.

An input that is held over a window has the value of its end, or one that is only tried out. Where
it carries a zero crossing to the other side before anything has moved, nothing has happened at
that time yet. The crossing waits: over this window it counts as if it were on the side it is armed
on, and at the window's end, where the value belongs, there is an event for all to see.
"""

from __future__ import annotations

from collections.abc import Collection

Signs = tuple[int, ...]


def masked(signs: Signs, waiting: Collection[int]) -> Signs:
    """The sides that an integrator is to take for granted."""
    return tuple(-s if k in waiting else s for k, s in enumerate(signs)) if waiting else signs


def unmasked(found: Signs, armed: Signs, waiting: Collection[int]) -> Signs:
    """The sides after a run: those that wait are armed as they were."""
    return tuple(armed[k] if k in waiting else s for k, s in enumerate(found)) if waiting else found


def others(crossed: Collection[int], waiting: Collection[int]) -> tuple[int, ...]:
    """What has crossed, but for those that came back to where they are armed."""
    return tuple(k for k in crossed if k not in waiting)
