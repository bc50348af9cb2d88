"""A co-simulation FMU of FMI 3 that takes part in events."""
# Over 250 lines: one kind of part, with every mode that it goes through.

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.errors import PartFailed
from ...core.signals import Discrete, Signals, Vector, Waveform
from ...core.values import Values, signals
from ...core.window import Window
from ...subsystems.known_events import end_of
from ...subsystems.subsystem import Reached
from ..calls.access import Channel
from ..calls.fmi3 import Fmi3
from .clocked_variables import ClockedVariables
from .clockwork import Clockwork
from .cosimulation import CoSimulation
from .lending import Standing, Undisturbed
from .part import named

if TYPE_CHECKING:
    from ..model import Fmu

_ROUNDS = 100  # of an event that concerns no other part


class EventfulCoSimulation(CoSimulation):
    """One live FMU with event mode.

    A step ends at its events: those it finds, those it announced, and the ticks of its clocks.
    At an event of anybody it enters event mode if an input has changed, and stays there until
    time moves on. Clocked variables are touched only while one of their clocks is active.
    """

    instance: Fmi3

    def __init__(self, name: str, model: Fmu) -> None:
        super().__init__(name, model)
        self._clocked = ClockedVariables(self.instance, model, self._channels)
        self._clockwork = Clockwork(self.instance, model.clocks, model.intervals)
        self._in_event_mode = False
        self._due = False  # it has an event, or something was set in event mode: to be updated
        self._stood = -inf  # where it last had an event before it could move
        self._now = 0.0  # its time, or that of the event which is there but for rounding
        self._announced = inf
        self._given: tuple[Vector, tuple[Discrete, ...]] | None = None
        self._answer = signals(self.description.outputs, {})
        self.ending = False

    def initialize(self, start: float, values: Values, *, derivatives: bool = False) -> None:
        """Instantiate, set what was given, enter initialization."""
        self._now = start
        super().initialize(start, values, derivatives=derivatives)

    @named("giving its outputs")
    def outputs(self, inputs: Signals, order: int = 0) -> Signals:
        """Outputs for these inputs, while the search for start values goes on."""
        self._answer = self._clocked.started(super().outputs(inputs, order), self._answer)
        return self._answer

    @named("starting")
    def begin(self) -> None:
        """Leave initialization, into event mode."""
        self._clockwork.start(self._now)
        self._leave_initialization()
        self._in_event_mode = self._due = True

    def late_outputs(self) -> Signals | None:
        """Its first event gives it."""
        return None

    def next_event(self) -> float:
        """When it has to be asked again."""
        return self._now if self._due else min(self._announced, self._clockwork.next)

    @named("handling an event")
    def event(self, inputs: Signals) -> Signals:
        """Outputs for these inputs, in event mode if anything is new."""
        ticking = [*self._clockwork.due(self._now), *self._clocked.triggered(inputs.discrete)]
        if self._due or ticking or self._is_new(inputs.reals, inputs.discrete):
            self._enter_event_mode()
        if self._in_event_mode:
            if self._clocked.activate(ticking):
                self._due = True
            self._put(inputs.reals, inputs.discrete)
            self._answer = self._read()
        return self._answer

    @named("handling an event")
    def update(self) -> bool:
        """Take over the discrete states, if there are new ones."""
        if not (self._in_event_mode and self._due):
            return False
        updated = self.instance.update_discrete_states()
        self._clockwork.ticked(self._clocked.active)
        self._clockwork.renew(self._clocked.active, self._now)
        self._clocked.deactivate()
        self._announced = updated.next_event
        self.ending = self.ending or updated.terminate
        soon = min(self._announced, self._clockwork.next)
        self._due = updated.again or soon <= self._now
        return True

    @named("changing its parameters")
    def tune(self, values: Values) -> None:
        """Set these parameters, in event mode."""
        self._enter_event_mode()
        self.give_parameters(values)
        self._due = True

    @named("stepping")
    def advance(self, window: Window, inputs: Waveform) -> Reached:
        """Step to the window's end, or to an event before it."""
        before = self._given
        # what may change at an event only waits for the one at the end of the window
        jumps = self._is_new(np.zeros(0), inputs.discrete)
        waits = jumps or self._tunes(inputs.coefficients[:, 0])
        instant = min(self._announced, self._clockwork.next)
        stop, known_ahead = end_of(window, instant)
        self._leave_event_mode()
        for _ in range(_ROUNDS):
            reached = self._step(Window.between(window.start, stop), inputs)
            if reached.time > window.start:
                break
            if self._stood != window.start:  # for all to see, once
                self._stood, self._due = window.start, True
                return Reached(window.start, self._answer, True)
            if before is not None and not waits and self._anticipates(inputs, before[0]):
                # no other part is affected here: it waits for the end of the window
                waits, inputs = True, Waveform.hold(Signals(before[0], None, inputs.discrete))
            self._alone(inputs)
        else:
            what = "its events at the start of a step do not end"
            raise PartFailed(self.name, "stepping", window.start, what)
        there = known_ahead and reached.time == stop
        self._now = instant if there else reached.time
        late = waits and reached.time >= window.stop
        self._due = reached.event or there or late
        self._answer, ending = reached.outputs, reached.ending or self.ending
        return Reached(reached.time, reached.outputs, self._due, ending, late)

    def _step(self, window: Window, inputs: Waveform) -> Reached:
        a, self._time = inputs.coefficients, window.start
        self._put(a[:, 0], inputs.discrete)
        self._step_inputs.write_curves(window, inputs)
        stepped = self.instance.step(window.start, window.size)
        self._step_inputs.end(window.start, stepped.time)
        complete = stepped.time >= window.start + window.size * (1 - 1e-9)
        if not complete and not (self.instance.early_return or stepped.event):
            reason = self.stopped_early(stepped.time, terminate=stepped.terminate)
            raise PartFailed(self.name, "stepping", window.start, reason)
        time = window.stop if complete else stepped.time
        self._ended_with = inputs.reals(window.size if complete else time - window.start)
        if inputs.order and self._given is not None:  # it has moved on along the curves since
            self._given = np.full(a.shape[0], np.nan), self._given[1]
        if not time > window.start:
            return Reached(window.start, self._answer, True)
        return Reached(time, self._read(), stepped.event, stepped.terminate)

    def _anticipates(self, inputs: Waveform, before: Vector) -> bool:
        """Whether inputs are held that it does not have yet where the window starts."""
        known = not np.isnan(before).any()
        return inputs.order == 0 and known and not np.array_equal(inputs.reals(0.0), before)

    def _alone(self, inputs: Waveform) -> None:
        """An event at the start of a step that cannot reach other parts any more."""
        self._enter_event_mode()
        self._due = True
        for _ in range(_ROUNDS):
            self._put(inputs.coefficients[:, 0], inputs.discrete)
            self.update()
            if not self._due:
                self._leave_event_mode()
                return
        raise PartFailed(self.name, "stepping", self._now, "its events do not end")

    def _enter_event_mode(self) -> None:
        if not self._in_event_mode:
            self.instance.call("EnterEventMode")
            self._in_event_mode = self._due = True

    def _leave_event_mode(self) -> None:
        if self._in_event_mode:
            self.instance.call("EnterStepMode")
            self._in_event_mode = False

    @property
    def discrete_channels(self) -> list[Channel]:
        """Outputs that are no reals."""
        return [c for c in self._outputs if not c.is_real]

    @named("saving its state")
    def lend(self) -> Standing | None:
        """Let native windows have it where it stands, if nothing is due."""
        if self._due:
            return None
        super().lend()
        given = None if self._given is None else self._given[0]
        soon = min(self._announced, self._clockwork.next)
        return Standing(given, soon, self._answer.discrete)

    def take_back(self, ran: Undisturbed) -> bool:
        """Have it again, behind windows in which nothing has happened; whether it asks to end."""
        super().take_back(ran)
        if ran.given.size:
            self._given = ran.given, () if self._given is None else self._given[1]
        self._now, self._answer = ran.time, ran.outputs
        return self.ending

    @named("handling an event")
    def _settle(self) -> None:
        """Back to step mode: states are saved and brought back only there."""
        if self._in_event_mode:
            if self._due:
                self.update()
            self._leave_event_mode()

    def _is_new(self, reals: Vector, discrete: Sequence[Discrete]) -> bool:
        """Whether inputs differ from those the FMU has; without reals, only discrete ones."""
        if self._given is None:
            return bool(reals.size or self._clocked.plain(discrete))
        known, held = self._given
        if self._clocked.plain(discrete) != held:
            return True
        return reals.size > 0 and (not np.array_equal(reals, known) or self._tunes(reals))

    def _tunes(self, reals: Vector) -> bool:
        """Whether a parameter changes, which it does in event mode only."""
        tuner = self._step_inputs.tuner
        return tuner is not None and tuner.moved(reals)

    def _put(self, reals: Vector, discrete: Sequence[Discrete]) -> None:
        """Set inputs that are not clocked, and clocked ones whose clock is active."""
        self._ended_with = reals
        if self._is_new(reals, discrete):
            free = self._in_event_mode or self._given is None
            self._hand([c for c in self._inputs if c.is_real or free], reals, discrete)
            if self._step_inputs.tuner is not None and free:
                self._step_inputs.tuner.write(reals, discrete)
            held = self._given is not None and not self._in_event_mode
            plain = self._given[1] if held and self._given else self._clocked.plain(discrete)
            self._given = reals.copy(), plain
            self._due = self._due or self._in_event_mode
        self._clocked.write(reals, discrete)

    def _knows_derivatives(self) -> bool:
        return self.instance.running and not self._in_event_mode

    def _read(self) -> Signals:
        found, held = super()._read(), self._answer
        if not self._clocked.any:
            return found
        return self._clocked.read(found, held, active=self._in_event_mode)

    def _memory(self) -> Any:
        given = None if self._given is None else (self._given[0], self._given[1])
        clocks = self._clockwork.snapshot()
        kept = self._now, self._announced, self._due, given, self._answer, clocks, self.ending
        return *kept, self._stood

    def _remember(self, memory: Any) -> None:
        self._now, self._announced, self._due, given, self._answer, clocks = memory[:6]
        self.ending, self._stood = memory[6:]
        self._given = None if given is None else (given[0], tuple(given[1]))
        self._clockwork.restore(clocks)
