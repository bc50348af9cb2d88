"""Which part of a split model takes care of which event."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

import numpy as np

from ..core.errors import ModelError
from ..core.signals import Signals, Vector
from ..subsystems.subsystem import SupportsEventTimes
from .hybrid_part import HybridPart

_MOVE = 1e-6  # by which a state is moved to see whether a crossing depends on it


def owners(
    part: Any,
    kind: str,
    time: float,
    state: Vector,
    inputs: Signals,
    groups: Mapping[str, Sequence[str]],
    names: Sequence[str],
) -> dict[str, tuple[int, ...]]:
    """The numbers of the zero crossings that each group watches.

    A crossing belongs to the group whose states its event moves, as tried out here; one that
    moves nothing, to the group that it depends on most. Values of other groups come in as
    inputs. An event that moves states of two groups cannot be split.
    """
    found: dict[str, list[int]] = {group: [] for group in groups}
    home = {s: group for group, own in groups.items() for s in own}
    at = part.crossings(time, state, inputs)
    next_event = part.next_event() if isinstance(part, SupportsEventTimes) else inf
    if (at.size or next_event < inf) and not isinstance(part, HybridPart):
        raise ModelError(
            f"this {kind} cannot be split: it has events of its own, and every part would hold a "
            "copy that does not get those of the others; use solver='mixed' instead."
        )
    tries = state, 1.1 * state + 0.1  # a jump may happen to lead to where it started
    if at.size:
        change = _change(part, time, state, inputs, at)
    for k in range(at.size):
        moved = [names[m] for x in tries for m in part.jumped(k, time, x, inputs)[1]]
        hosts = list(dict.fromkeys(home[name] for name in moved))
        if len(hosts) > 1:
            both = [next(name for name in moved if home[name] == w) for w in hosts[:2]]
            raise ModelError(
                f"this {kind} cannot be split in this way: event {k} moves '{both[0]}' of "
                f"'{hosts[0]}' and '{both[1]}' of '{hosts[1]}'; put states that jump together "
                "into one group, or use solver='mixed' instead."
            )
        place = int(np.argmax(change[k]))
        found[hosts[0] if hosts else home[names[place]]].append(k)
    return {group: tuple(numbers) for group, numbers in found.items()}


def _change(part: Any, time: float, state: Vector, inputs: Signals, at: Vector) -> Vector:
    """How much each crossing changes with each state."""
    change = np.zeros((at.size, state.size))
    for k in range(state.size):
        moved = state.copy()
        moved[k] += _MOVE * max(1.0, abs(moved[k]))
        change[:, k] = np.abs(part.crossings(time, moved, inputs) - at)
    return change
