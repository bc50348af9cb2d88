"""Whether a part that says it can roll back does."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from ..core.errors import CannotRollBack, PartFailed
from ..core.signals import Vector, Waveform
from ..core.window import Window
from ..subsystems.live import Live
from ..subsystems.subsystem import Reached, SupportsRollbackCheck

EVERY = 1000  # rollbacks between two checks
Step = tuple[Window, Waveform, Reached]
_NEAR, _SHARE = 1e-6, 1e-2  # of a value, and of how far it moved: what solvers inside may differ


class RollbackCheck:
    """Repeats a step from the state it began in: it must give the same, and so must the next one.

    At the first rollback, at the first one after an event, and at every 1,000th. An honest part is
    left where it was, so that a run is the same to the bit. Some FMUs give the same and lose what
    the next step needs; so one more step is made before anything is restored, and again after it
    was. Native members are checked in native/member.c.
    """

    def __init__(self, subsystem: Live) -> None:
        self._subsystem = subsystem
        part = subsystem.subsystem
        self._wanted = isinstance(part, SupportsRollbackCheck) and part.checks_rollback
        self._until, self._restarted = 0, False

    def restart(self) -> None:
        """There was an event: the first one is a reason to look again."""
        if not self._restarted:
            self._until, self._restarted = 0, True

    def restore(self, step: Step | None, start: Any) -> None:
        """Roll back; `step`: the last one that was made, if it began in that state."""
        part = self._subsystem
        due = step is not None and self._is_due()
        following = _Following(part, *step) if step is not None and due else None
        part.restore(start)
        if step is None or following is None:
            return
        try:
            self._compare(step)
            if following.outputs is not None:
                part.restore(start)
                self._compare(step)
                following.compare()
        except CannotRollBack as error:
            cast(SupportsRollbackCheck, part.subsystem).doubt_rollback(error.found)
            raise
        part.restore(start)

    def passes(self) -> bool:
        """Whether the next rollback need not be looked at; counts it then."""
        if self._wanted and self._until == 0:
            return False
        return not self._is_due()

    def _is_due(self) -> bool:
        """Whether to look now; counts the rollback."""
        if not self._wanted:
            return False
        due = self._until == 0
        self._until = EVERY - 1 if due else self._until - 1
        return due

    def _compare(self, step: Step) -> None:
        """Repeat a step from where it began."""
        part, (window, inputs, first) = self._subsystem, step
        before = None if part.last is None else part.last.reals
        again = part.repeat(window, inputs)
        if again.time != first.time:
            found = f"ended at t = {again.time:g} s instead of {first.time:g} s"
            raise CannotRollBack(part.name, window, found)
        a, b = first.outputs.reals, again.outputs.reals
        places = np.flatnonzero(differing(a, b, before))
        if places.size:
            k = int(places[0])
            raise CannotRollBack.twice(part.name, window, _names(part)[k], a[k], b[k])
        if first.outputs.discrete != again.outputs.discrete:
            raise CannotRollBack(part.name, window, "gave other discrete outputs")


class _Following:
    """The step after one that is repeated: first where nothing was restored, then again."""

    def __init__(self, part: Live, window: Window, inputs: Waveform, first: Reached) -> None:
        self._part, self._step, self._first = part, (window, inputs), first
        at = window.start + window.size
        self._window = Window(at, window.size, at + window.size)
        able = part.capabilities.can_restore and first.time == window.stop
        able = able and part.time == first.time and not (first.event or first.ending)
        self.outputs = self._made() if able else None  # None: there is no such step

    def compare(self) -> None:
        """Make it again."""
        assert self.outputs is not None
        a, again = self.outputs, self._made()
        b = np.full(a.size, np.nan) if again is None else again  # it could before
        places = np.flatnonzero(differing(a, b, self._first.outputs.reals))
        if places.size:
            k = int(places[0])
            facts = self._part.name, self._step[0], _names(self._part)[k], a[k], b[k]
            raise CannotRollBack.afterwards(*facts)

    def _made(self) -> Vector | None:
        """Its outputs; None if it does not succeed, or ends at an event."""
        try:
            reached = self._part.repeat(self._window, self._step[1])
        except PartFailed:
            return None
        whole = reached.time == self._window.stop and not (reached.event or reached.ending)
        return reached.outputs.reals if whole else None


def _names(part: Live) -> list[str]:
    return [s for v in part.description.outputs if v.is_real for s in v.scalars()]


def differing(a: Vector, b: Vector, before: Vector | None) -> Any:
    """Where two answers to the same question differ by more than solvers inside may."""
    moved = np.zeros(a.size) if before is None else np.abs(a - before)
    with np.errstate(invalid="ignore"):
        apart = np.abs(a - b) > _NEAR * np.maximum(np.abs(a), np.abs(b)) + _SHARE * moved
    return apart & np.isfinite(a)
