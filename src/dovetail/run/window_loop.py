"""From window to window: natively where that was decided, from Python elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..assembly.native_decision import NativeDecision
from ..assembly.segment import Segment
from ..core.window import Window
from .fused_run import FusedRun
from .interrupts import Shield
from .journal import Journal
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


class WindowLoop:
    """Completes windows and records them. A failure leaves both as they were before it."""

    def __init__(
        self, stepper: Stepper, journal: Journal, shield: Shield, native: NativeDecision
    ) -> None:
        self._stepper, self._journal, self._shield = stepper, journal, shield
        self._fused: FusedRun | None = None
        self._undecided = False  # the last call left a window to Python
        if native.schedule is not None:
            given = native.schedule, journal.selection, journal.witness
            self._fused = FusedRun(stepper, *given)

    def one(self) -> Sequence[Segment]:
        """One window, and how it went."""
        fused = self._natively()
        return self._from_python() if fused is None else (fused.segment(),)

    def step(self) -> Step:
        """One window, with what was recorded of it."""
        fused = self._natively()
        if fused is not None:
            return Step(fused.last, False, fused.values())
        segments = self._from_python()
        window, here = segments[0].window, self._stepper.position
        if len(segments) > 1:
            window = Window(window.start, sum(g.window.size for g in segments), here.time)
        ticks = segments[-1].ticks
        shown = here if ticks is None else replace(here, outputs=ticks)
        return Step(window, segments[-1].event, self._journal.values(shown))

    def many(self) -> None:
        """As many windows as one call makes.

        A window that was left undecided is made by the next call: a part may have asked to end
        the run before it.
        """
        fused = self._fused
        if fused is None or fused.is_stuck or self._undecided:
            self._from_python()
            return
        with self._shield:  # a call lasts a fraction of a second
            fused.windows(self._journal.recording)
        self._undecided = fused.undecided

    def _natively(self) -> FusedRun | None:
        """One window in native code; None where Python has to make it."""
        fused = self._fused
        if fused is None or fused.is_stuck:
            return None
        with self._shield:
            done = fused.window(self._journal.recording)
        return fused if done else None

    def _from_python(self) -> Sequence[Segment]:
        self._undecided = False
        segments = self._stepper.advance()
        with self._shield:
            self._journal.see(segments, self._stepper.improved)
        return segments
