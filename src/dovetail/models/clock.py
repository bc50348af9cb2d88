"""Clocks: signals that tick."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf, isfinite
from numbers import Real
from typing import Any

import numpy as np

from ..core.description import Capabilities, Description, Kind, Variable
from ..core.errors import ModelError
from ..core.model_page import ModelPage
from ..core.signals import Signals, Waveform
from ..core.values import Values
from ..core.window import Window
from ..subsystems.known_events import end_of
from ..subsystems.subsystem import Reached
from .python_part import PythonPart


@dataclass(frozen=True, eq=False, kw_only=True)
class Clock(ModelPage):
    """An output `tick` that ticks every `period` from `offset` on, or at given `times`.

    Connect it to the clock of a `Discrete`, or to a triggered clock of an FMU. Windows end
    where it ticks.
    """

    period: float | None = None
    offset: float = 0.0
    times: Sequence[float] = ()

    def __post_init__(self) -> None:
        if (self.period is None) == (len(self.times) == 0):
            raise ModelError("a Clock needs a period, or times; one of the two.")
        given = [self.offset, *self.times, *([] if self.period is None else [self.period])]
        for number in given:
            if not (isinstance(number, Real) and isfinite(number)):
                raise ModelError(f"the times of a Clock must be finite numbers, not {number!r}.")
        if self.period is not None and not self.period > 0:
            raise ModelError(f"the period must be above zero, not {self.period}.")
        if self.offset < 0:
            raise ModelError(f"the offset must not be below zero, but is {self.offset}.")

    @cached_property
    def description(self) -> Description:
        """The model seen from outside."""
        return Description(
            outputs=(Variable("tick", Kind.CLOCK),),
            feedthrough={"tick": frozenset()},
            capabilities=Capabilities(
                can_restore=True,
                can_serialize=True,
                can_evaluate_now=True,
                has_events=True,
                knows_next_event=True,
                can_tell_derivatives=True,
                input_order=None,
            ),
            kind="Clock",
        )

    def instantiate(self, name: str) -> _Clock:
        """A live part."""
        return _Clock(self)


class _Clock(PythonPart):
    ending = False

    def __init__(self, model: Clock) -> None:
        self.model, self.description = model, model.description
        self._times = sorted(set(map(float, model.times)))
        self._origin = self.t = 0.0
        self.ticks, self.due = 0, False

    def initialize(self, start: float, values: Values, *, derivatives: bool = False) -> None:
        """Set the hands."""
        self.t, self._origin = start, start + self.model.offset
        self.ticks, self.due = sum(t < start for t in self._times), False

    def begin(self) -> None:
        """A tick at the very start is due."""
        self.due = self.next_event() <= self.t

    def outputs(self, inputs: Signals, order: int = 0) -> Signals:
        """It ticks in an event only."""
        none = np.zeros(0)
        return Signals(none, none, (self.due,))

    def advance(self, window: Window, inputs: Waveform) -> Reached:
        """Wait for the next tick."""
        self.update()
        self.t, due = end_of(window, self.next_event())
        silent = Signals(np.zeros(0), np.zeros(0), (False,))
        self.due = due
        return Reached(self.t, silent, due)

    def next_event(self) -> float:
        """The next tick."""
        if self.model.period is not None:
            return self._origin + self.ticks * self.model.period
        return self._times[self.ticks] if self.ticks < len(self._times) else inf

    def event(self, inputs: Signals) -> Signals:
        """It ticks, if this is the time for it."""
        return self.outputs(inputs)

    def update(self) -> bool:
        """The tick is over."""
        ticked = self.due
        self.ticks, self.due = self.ticks + ticked, False
        return ticked

    def snapshot(self) -> Any:
        """A handle on the present state."""
        return self.t, self.ticks, self.due

    def restore(self, snapshot: Any) -> None:
        """Return to a state taken earlier."""
        self.t, self.ticks, self.due = snapshot
