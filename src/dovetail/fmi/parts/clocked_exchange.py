"""A model-exchange FMU with clocks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.signals import Signals
from ...core.values import signals
from .clocked_variables import ClockedVariables
from .clockwork import Clockwork
from .modelexchange import ModelExchange
from .part import named

if TYPE_CHECKING:
    from ..model import Fmu

_SLACK = 1e-9  # nearer than this, relatively, is the same time


class ClockedExchange(ModelExchange):
    """One live model-exchange FMU whose clocks tick in its event mode.

    Ticks of clocks that keep their own time are time events. Clocked variables are touched only
    while one of their clocks is active; between ticks a clocked input may change unnoticed.
    """

    def __init__(self, name: str, model: Fmu) -> None:
        super().__init__(name, model)
        self._clocked = ClockedVariables(self.instance, model, self._channels)  # type: ignore[arg-type]
        self._clockwork = Clockwork(self.instance, model.clocks, model.intervals)  # type: ignore[arg-type]
        self._shown = signals(self.description.outputs, {})
        self._instant = 0.0  # the time of the event, which may be a rounding ahead of the part's
        asleep = self._clocked.clocked_reals
        self._held_reals = np.setdiff1d(self._held_reals, asleep)
        self._awake_reals = np.setdiff1d(np.arange(self._in_sizes[0]), asleep)

    @named("starting")
    def begin(self) -> None:
        """Leave initialization, with the intervals of all clocks asked."""
        self._instant = self.t
        self._clockwork.start(self.t)
        super().begin()

    def _enter(self) -> None:
        near = self.t < self.next_time <= self.t + _SLACK * max(abs(self.t), 1.0)
        self._instant = self.next_time if near and self.due else self.t
        super()._enter()

    def _tried(self, inputs: Signals) -> Signals:
        super()._tried(inputs)
        if self.mode != "event":
            return self._got()
        due = self._clockwork.due(self._instant)
        if self._clocked.activate([*due, *self._clocked.triggered(inputs.discrete)]):
            self.stirred = True
        self._clocked.write(inputs.reals, inputs.discrete)
        return self._got()

    def _updated(self) -> bool:
        due = self._clockwork.due(self._instant) if self.mode == "event" else []
        if due and not self._clocked.active and self._clocked.activate(due):
            self.stirred = True  # it was not asked, as when a run goes on from a checkpoint
        return super()._updated()

    def _take_update(self, update: Any) -> None:
        super()._take_update(update)
        ticked = self._clocked.active
        self._clockwork.ticked(ticked)
        self._clockwork.renew(ticked, self._instant)
        self._clocked.deactivate()
        self.next_time = min(update.next_time, self._clockwork.next)
        self.stirred = self.stirred or bool(self._clockwork.due(self._instant))

    def _got(self) -> Signals:
        if self.mode == "initialization":
            found = self._clocked.started(super()._got(), self._shown)
        else:
            found = self._clocked.read(super()._got(), self._shown, active=self.mode == "event")
        self._shown = found
        return found

    def _jumps(self, inputs: Signals) -> bool:
        return self._differs(inputs) or self._moved(inputs, self._held_reals)

    def _equal(self, inputs: Signals) -> bool:
        return not (self._differs(inputs) or self._moved(inputs, self._awake_reals))

    def _differs(self, inputs: Signals) -> bool:
        """Whether a discrete input changes that no clock governs, or a clock ticks."""
        plain, seen = self._clocked.plain, self._clocked.triggered
        changed = plain(inputs.discrete) != plain(self.u.discrete)
        return changed or seen(inputs.discrete) != seen(self.u.discrete)

    def _moved(self, inputs: Signals, places: Any) -> bool:
        return not np.array_equal(inputs.reals[places], self.u.reals[places])

    def _memory(self) -> Any:
        return self._shown, self._instant, self._clockwork.snapshot()

    def _remember(self, memory: Any) -> None:
        self._shown, self._instant, clocks = memory
        self._clockwork.restore(clocks)
