"""An FMU for scheduled execution: its partitions run when their clocks tick."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any

from ...core.errors import PartFailed
from ...core.signals import Signals, Waveform
from ...core.values import Values, signals
from ...core.window import Window
from ...subsystems.known_events import end_of
from ...subsystems.subsystem import Reached
from ..calls.fmi3 import Fmi3
from ..calls.instance import CallFailed
from .clocked_variables import ClockedVariables
from .clockwork import Clockwork
from .cosimulation import CoSimulation
from .part import named

if TYPE_CHECKING:
    from ..model import Fmu


class ScheduledExecution(CoSimulation):
    """One live FMU whose model partitions are activated one by one, the most urgent first.

    Nothing happens between ticks. At a tick the inputs of the partition are set, it runs, and
    its outputs are read. Output clocks and countdowns that it announces meanwhile take effect at
    the same instant.
    """

    instance: Fmi3
    ending = False

    def __init__(self, name: str, model: Fmu) -> None:
        super().__init__(name, model)
        self._clocked = ClockedVariables(self.instance, model, self._channels)
        self._clockwork = Clockwork(self.instance, model.clocks, model.intervals)
        self._now = 0.0
        self._ticking: list[str] = []  # to be activated when all agree on the inputs
        self._seen = Signals(signals(self.description.inputs, {}).reals)
        self._answer = signals(self.description.outputs, {})
        self._last: dict[str, float] = {}  # when each clock ticked last
        self._trouble: CallFailed | None = None

    def initialize(self, start: float, values: Values, *, derivatives: bool = False) -> None:
        """Instantiate, set what was given, enter initialization."""
        self._now = start
        super().initialize(start, values, derivatives=derivatives)

    def _instantiate(self) -> None:
        self.instance.instantiate_scheduled(
            self.model.token,
            self.model.resources,
            logging=self.model.logging is True,
            clock_update=self._announced,
        )

    @named("giving its outputs")
    def outputs(self, inputs: Signals, order: int = 0) -> Signals:
        """Outputs for these inputs, while the search for start values goes on."""
        self._answer = self._clocked.started(super().outputs(inputs, order), self._answer)
        return self._answer

    @named("starting")
    def begin(self) -> None:
        """Leave initialization."""
        self._clockwork.start(self._now)
        self._leave_initialization()

    def late_outputs(self) -> Signals | None:
        """Its partitions give them."""
        return None

    def next_event(self) -> float:
        """The next tick."""
        return self._clockwork.next

    def advance(self, window: Window, inputs: Waveform) -> Reached:
        """Nothing happens up to the next tick."""
        instant = self._clockwork.next
        stop, there = end_of(window, instant)
        self._now = instant if there else stop
        return Reached(stop, self._answer, there)

    def event(self, inputs: Signals) -> Signals:
        """Take note of the inputs; partitions run when all agree on them."""
        self._seen = inputs
        self._ticking = [
            *self._clockwork.due(self._now),
            *self._clocked.triggered(inputs.discrete),
        ]
        return self._answer

    @named("running a partition")
    def update(self) -> bool:
        """Run the partitions whose clocks tick now."""
        ticking, self._ticking = self._clocked.by_priority(self._ticking), []
        silent = self._clocked.silenced(self._answer)
        changed = bool(ticking) or silent is not self._answer
        self._answer = silent
        for name in ticking:
            self._activate(name)
        return changed

    def _activate(self, name: str) -> None:
        if not self._now > self._last.get(name, -inf):
            what = f"its clock '{name}' ticks twice, which scheduled execution does not allow"
            raise PartFailed(self.name, "running a partition", self._now, what)
        self._last[name], self._clocked.active = self._now, [name]
        self._step_inputs.write(self._seen.reals, self._seen.discrete)
        self._clocked.write(self._seen.reals, self._seen.discrete)
        self._clockwork.ticked([name])
        self.instance.call("ActivateModelPartition", self._clocked.reference(name), self._now)
        if self._trouble is not None:
            raise self._trouble
        self._clockwork.renew([name], self._now)
        self._answer = self._clocked.read(super()._read(), self._answer, active=True)
        self._clocked.deactivate()

    def _announced(self) -> None:
        """The FMU calls back: an output clock ticks, or a countdown begins."""
        try:
            self._clocked.listen()
            self._clockwork.renew([], self._now)
        except CallFailed as error:  # nothing may be raised through the FMU
            self._trouble = error

    def _memory(self) -> Any:
        return self._now, self._answer, self._clockwork.snapshot(), dict(self._last)

    def _remember(self, memory: Any) -> None:
        self._now, self._answer, clocks, self._last = memory
        self._ticking = []
        self._clockwork.restore(clocks)
