"""FMUs whose inputs are cubics: lent to native windows, and taken back for those from Python."""

from __future__ import annotations

from collections.abc import Sequence

from ...core.errors import PartFailed
from ...core.signals import Signals, Vector
from ...core.window import Window
from ...runplan.plan import RunPlan
from ...subsystems.batch import BatchProgress, WindowRange
from ...subsystems.control import Control, ControlProgress
from ...subsystems.live import Live
from ...subsystems.run_memory import RunMemory
from .batch import FmuBatch
from .counters import Counters


class CubicBatch(FmuBatch):
    """Whole windows only: from Python each part is asked by itself, with derivatives.

    So it opens nothing and takes nothing back there. Parts are told where native windows have
    led them.
    """

    def __init__(self, members: Sequence[Live], plan: RunPlan) -> None:
        super().__init__(members, plan)
        self.members = frozenset()
        self._counters = Counters(self._members, self._lives, range(len(self._lives)))

    def mark(self) -> None:
        """Parts are marked one by one."""

    def open(self, window: Window) -> None:
        """They open it one by one."""

    def shorten(self, window: Window) -> None:
        """They shorten it one by one."""

    def abandon(self) -> None:
        """They go back one by one."""

    def run(self, memory: RunMemory, stretch: WindowRange, lines: Vector) -> BatchProgress:
        """Many windows in one call."""
        self._hand_over()
        ran = super().run(memory, stretch, lines)
        self._stand(memory, float(lines[ran.windows - 1, 0]) if ran.windows else None)
        self._go_back(ran.failure)
        return ran

    def control(self, memory: RunMemory, control: Control, lines: Vector) -> ControlProgress:
        """Windows that a controller sizes, in one call."""
        self._hand_over()
        ran = super().control(memory, control, lines)
        self._stand(memory, control.time if ran.rows else None)
        self._go_back(ran.failure)
        return ran

    def _hand_over(self) -> None:
        """Parameters that wait for a step are set: the next one is made elsewhere."""
        for part in self._parts:
            part.hand_over()

    def _stand(self, memory: RunMemory, time: float | None) -> None:
        """Tell parts where they are."""
        if time is None:
            return
        for native, live, part, span in zip(
            self._members, self._lives, self._parts, self._spans, strict=True
        ):
            held = () if live.last is None else live.last.discrete
            live.stand(time, Signals(memory.outputs[span].copy(), None, held))
            first = native.in_at
            part.stand(time, memory.inputs[first : first + native.n_in].copy())

    def _go_back(self, failure: PartFailed | BaseException | None) -> None:
        """After Ctrl-C members are where the window began."""
        if isinstance(failure, KeyboardInterrupt) and self._kernel.dt_abandon(self._batch):
            raise self._failure()
