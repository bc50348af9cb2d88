"""From window to window: natively where that was decided, from Python elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..assembly.native_decision import NativeDecision
from ..assembly.segment import Segment
from ..controllers.fixed_step import keeps_to_lines
from ..core.window import Window
from .checkpoint import taken_up
from .controlled_run import ControlledRun
from .copies import by_one_process
from .fused_run import FusedRun
from .interrupts import Shield
from .journal import Journal
from .lock_step_run import LockStepRun
from .stepping import Stepper


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One window that was completed."""

    window: Window
    event: bool
    values: dict[str, Any]

    @property
    def time(self) -> float:
        """Where the run stands now."""
        return self.window.stop

    def __getitem__(self, name: str) -> Any:
        return self.values[name]


Observer = Callable[[Sequence[Segment]], None]


class WindowLoop:
    """Completes windows and records them. A failure leaves both as they were before it.

    An `observer` sees every window while its parts stand at its end; windows are then made one at
    a time.
    """

    observer: Observer | None = None

    def __init__(
        self,
        stepper: Stepper,
        journal: Journal,
        shield: Shield,
        native: NativeDecision,
        *,
        resumed: bool = False,
    ) -> None:
        self._resumed = resumed  # and no window was completed since
        self._stepper, self._journal, self._shield = stepper, journal, shield
        self._fused: FusedRun | None = None
        self._controlled: ControlledRun | None = None
        self._undecided = False  # the last call left a window to Python
        self._beside: LockStepRun | None = None
        if native.lock_step is not None:
            self._beside = LockStepRun(stepper, native.lock_step, journal)
        if native.schedule is not None:
            given = native.schedule, journal.selection, journal.witness, journal.ledger
            self._fused = FusedRun(stepper, *given)
            self._controlled = ControlledRun.of(stepper, *given)
            if self._controlled is not None and not keeps_to_lines(stepper.controller):
                self._fused = self._controlled

    @by_one_process
    def one(self) -> Sequence[Segment]:
        """One window, and how it went."""
        fused = self._natively()
        segments = self._from_python() if fused is None else (fused.segment(),)
        if self.observer is not None:
            self.observer(segments)
        return segments

    @by_one_process
    def step(self) -> Step:
        """One window, with what was recorded of it."""
        if self.observer is None and (fused := self._natively()) is not None:
            return Step(fused.last, False, fused.values())
        segments = self._from_python() if self.observer is None else self.one()
        window, here = segments[0].window, self._stepper.position
        if len(segments) > 1:
            window = Window(window.start, sum(g.window.size for g in segments), here.time)
        ticks = segments[-1].ticks
        shown = here if ticks is None else replace(here, outputs=ticks)
        return Step(window, segments[-1].event, self._journal.values(shown))

    @by_one_process
    def many(self) -> None:
        """As many windows as one call makes.

        A window that was left undecided is made by the next call: a part may have asked to end
        the run before it.
        """
        fused = self._fused
        if self.observer is not None:
            self.one()
            return
        if self._beside is not None and self._beside.is_possible:
            if not self._beside.windows(self._shield):
                self._from_python()
            return
        if fused is not None and self._stepper.is_watched:
            fused = self._controlled
        if fused is None or self._undecided or fused.is_stuck or fused.rests():
            self._from_python()
            return
        with self._shield:  # a call lasts a fraction of a second
            fused.windows(self._journal.recording)
        self._undecided = fused.undecided

    def _natively(self) -> FusedRun | None:
        """One window in native code; None where Python has to make it."""
        fused = self._fused
        if fused is None or not self._may_be_native(fused):
            return None
        with self._shield:
            done = fused.window(self._journal.recording)
        return fused if done else None

    def _may_be_native(self, fused: FusedRun) -> bool:
        return not (fused.is_stuck or self._stepper.is_watched or fused.rests())

    def _from_python(self) -> Sequence[Segment]:
        if self._resumed:  # what an algorithm remembers shows only when it is used
            self._resumed = False
            with taken_up():
                return self._from_python()
        self._undecided = False
        segments = self._stepper.advance()
        with self._shield:
            self._journal.see(segments, self._stepper.improved)
        self._stepper.assembly.committed()
        return segments
