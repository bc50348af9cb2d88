"""What went wrong inside the kernel, as an error that names the part and the call."""

from __future__ import annotations

import ctypes as c
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, cast

import numpy as np

from ...core.errors import CannotRollBack, PartFailed
from ...core.signals import Vector
from ...core.window import Window
from ...subsystems.live import Live
from ..calls.instance import CallFailed
from ..parts.cosimulation import CoSimulation

_STAGES = {4: "saving its state", 5: "rolling back"}  # all others are parts of stepping
_WORDS = {1: "Set{real}", 2: "DoStep", 3: "Get{real}", 4: "Get{state}", 5: "Set{state}"}
_WORDS |= {8: "SetRealInputDerivatives", 9: "Set{real} inside a step"}
_EARLY, _DIFFERING, _INTERRUPTED, _DIFFERING_NEXT = 7, 10, 11, 12
REPEATING, LOST = 6, 15


class FailureFacts(NamedTuple):
    """Which member failed, at what stage, with which status, and how far it had come."""

    member: int  # below zero: none did
    stage: int
    status: int
    reached: float

    @property
    def is_call(self) -> bool:
        """Whether a call of the FMU failed."""
        return self.stage not in (REPEATING, _EARLY, LOST) and not self.is_differing

    @property
    def is_differing(self) -> bool:
        """Whether a step that was repeated gave another answer."""
        return self.stage in (_DIFFERING, _DIFFERING_NEXT)

    @property
    def is_next(self) -> bool:
        """Whether it was the one after it that did."""
        return self.stage == _DIFFERING_NEXT

    @property
    def is_interrupted(self) -> bool:
        """Whether Ctrl-C came before its turn; it has not been called."""
        return self.stage == _INTERRUPTED


def facts(kernel: Any, batch: Any) -> FailureFacts:
    """What the kernel says of its last failure."""
    numbers, reached = [c.c_int32() for _ in range(3)], c.c_double()
    kernel.dt_failure(batch, *(c.byref(v) for v in numbers), c.byref(reached))
    member, stage, status = (v.value for v in numbers)
    return FailureFacts(member, stage, status, reached.value)


def failure(
    found: FailureFacts, name: str, part: CoSimulation, window: Window
) -> PartFailed | CannotRollBack:
    """The error for it; the part takes note of a call that failed."""
    if found.stage == REPEATING:
        return CannotRollBack(name, window)
    doing = _STAGES.get(found.stage, "stepping")
    if found.stage == _EARLY:
        reason = part.stopped_early(found.reached, terminate=bool(found.status))
        return PartFailed(name, doing, window.start, reason)
    instance = part.instance
    instance.note_failure(found.status)
    real = "Float64" if instance.version == 3 else "Real"
    word = instance.prefix + _WORDS[found.stage].format(real=real, state=instance.state_word)
    called = CallFailed(word, found.status, instance.log.take())
    return part.failure(doing, called, window.start)


def not_finite(
    lives: Sequence[Live], members: Iterable[Any], outputs: Vector, window: Window
) -> PartFailed:
    """The error for an output that is NaN or infinite, among those of all parts."""
    bad = int(np.flatnonzero(~np.isfinite(outputs))[0])
    ends = [(m.out_at, m.out_at + m.n_out) for m in members]
    index = next(i for i, (first, last) in enumerate(ends) if first <= bad < last)
    live, place, value = lives[index], bad - ends[index][0], outputs[bad]
    names = [s for v in live.description.outputs if v.is_real for s in v.scalars()]
    reason = f"it returned {value} for its output '{names[place]}'"
    return PartFailed(live.name, "advancing", window.stop, reason)


def not_the_same(found: FailureFacts, live: Live, outputs: int, window: Window) -> CannotRollBack:
    """The error for a step that gave something else when it was repeated, or the one after it.

    The part takes note of it.

    `outputs`: where the kernel has what came out the second time, and behind it the first, what
    it was before, and what came out of the next step.
    """
    reals = [s for v in live.description.outputs if v.is_real for s in v.scalars()]
    kept = (c.c_double * (4 * len(reals))).from_address(outputs)
    first = kept[(3 if found.is_next else 1) * len(reals) + found.status]
    told = CannotRollBack.afterwards if found.is_next else CannotRollBack.twice
    error = told(live.name, window, reals[found.status], first, found.reached)
    cast(CoSimulation, live.subsystem).doubt_rollback(error.found)
    return error
