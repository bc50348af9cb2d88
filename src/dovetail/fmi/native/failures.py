"""What went wrong inside the kernel, as an error that names the part and the call."""

from __future__ import annotations

import ctypes as c
from typing import Any, NamedTuple

from ...core.errors import CannotRollBack, PartFailed
from ...core.window import Window
from ...subsystems.live import Live
from ..calls.instance import CallFailed
from ..parts.cosimulation import CoSimulation

_STAGES = {4: "saving its state", 5: "rolling back"}  # all others are parts of stepping
_WORDS = {1: "Set{real}", 2: "DoStep", 3: "Get{real}", 4: "Get{state}", 5: "Set{state}"}
_WORDS |= {8: "SetRealInputDerivatives", 9: "Set{real} inside a step"}
_REPEATING, _EARLY = 6, 7


class FailureFacts(NamedTuple):
    """Which member failed, at what stage, with which status, and how far it had come."""

    member: int  # below zero: none did
    stage: int
    status: int
    reached: float

    @property
    def is_call(self) -> bool:
        """Whether a call of the FMU failed."""
        return self.stage not in (_REPEATING, _EARLY)


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
    if found.stage == _REPEATING:
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


def not_finite(live: Live, place: int, value: float, window: Window) -> PartFailed:
    """The error for an output that is NaN or infinite; `place` among the reals of its part."""
    names = [s for v in live.description.outputs if v.is_real for s in v.scalars()]
    reason = f"it returned {value} for its output '{names[place]}'"
    return PartFailed(live.name, "advancing", window.stop, reason)
