"""One live subsystem of an assembly: counted, timed, its failures named."""
# Over 250 lines: every call of a part, each with its failure under the name of the part.

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import wraps
from math import isfinite
from time import perf_counter
from typing import Any, TypeVar, cast

import numpy as np

from ..core.description import Description
from ..core.errors import CapabilityError, PartFailed, RunError, Shortfall
from ..core.signals import Signals, Waveform
from ..core.values import Values
from ..core.window import Window
from .live_posts import LivePosts
from .repeated_events import RepeatedEvents
from .sampling import substeps
from .subsystem import (
    EventDriven,
    Linearizable,
    Linearization,
    Reached,
    Relinearizable,
    Restorable,
    Serializable,
    Subsystem,
    SupportsEventTimes,
    SupportsEventUpdate,
    SupportsLateOutputs,
    SupportsManyOutputs,
    SupportsSwitching,
    Tunable,
)

Method = TypeVar("Method", bound=Callable[..., Any])


def _named(doing: str) -> Callable[[Method], Method]:
    """Makes what goes wrong in a method the failure of this part, while it was `doing` that."""

    def around(method: Method) -> Method:
        @wraps(method)
        def called(self: Live, *given: Any, **options: Any) -> Any:
            try:
                return method(self, *given, **options)
            except RunError:
                raise
            except Exception as error:
                raise self.failed(doing, self.time, error) from error

        return cast(Method, called)

    return around


class Live(LivePosts):
    """One subsystem under its name. Whatever goes wrong inside comes out as `PartFailed`.

    Where derivatives are wanted and the subsystem does not give them, they come from its
    linearization; where it has none, they are NaN: not known.
    """

    def __init__(self, name: str, subsystem: Subsystem) -> None:
        self.name = name
        self.subsystem = subsystem
        self.description: Description = subsystem.description
        self.capabilities = self.description.capabilities
        LivePosts.__init__(self, subsystem)
        self.time = 0.0
        self.evaluations, self.seconds = 0, 0.0
        self.ending = False  # it asks to end the simulation after this window
        self.beyond = 0  # steps that went beyond an event and could not be rolled back
        self.derivatives, self.substeps = False, 1
        self.estimated = False  # an estimator adds derivatives that it does not give
        self.last: Signals | None = None  # its last outputs
        self._linearized: Linearization | None = None  # here; forgotten when anything moves
        self._retuned = False
        self.last_step: tuple[Window, Waveform, Reached] | None = None
        self._events, self._events_before = 0, 0  # that it was asked about: so far, before its step
        self.repeated, self._tells_late = RepeatedEvents(), cast("bool | None", None)

    @_named("starting")
    def initialize(self, start: float, values: Values, *, derivatives: bool) -> None:
        """Take the values and enter initialization."""
        self.time, self.derivatives, self._linearized = start, derivatives, None
        self.subsystem.initialize(start, values, derivatives=derivatives)

    def begin_anew(self, start: float) -> None:
        """Another run of the same subsystem: nothing is known of the last one."""
        self.time, self.last, self.last_step = start, None, None
        self.evaluations, self.seconds, self.ending, self.beyond = 0, 0.0, False, 0
        self._linearized, self._retuned = None, False
        self.repeated = RepeatedEvents()

    @_named("starting")
    def begin(self) -> None:
        """Leave initialization."""
        self.subsystem.begin()

    @_named("starting")
    def late_outputs(self) -> Signals | None:
        """Outputs right after initialization, where they may be new."""
        if self._tells_late is None:  # found out once: a study asks in each of its runs
            self._tells_late = isinstance(self.subsystem, SupportsLateOutputs)
        if not self._tells_late:
            return None
        outputs = cast(SupportsLateOutputs, self.subsystem).late_outputs()
        return None if outputs is None else self.finite(outputs, "starting", self.time)

    def outputs(self, inputs: Signals, order: int = 0) -> Signals:
        """Outputs now, or their time derivatives, without moving in time."""
        self._linearized = None
        try:
            outputs = self.subsystem.outputs(inputs, order)
        except RunError:
            raise
        except Exception as error:
            raise self.failed("giving its outputs", self.time, error) from error
        self.finite(outputs, "giving its outputs", self.time)
        if order:
            return outputs
        self.last = outputs
        return self._with_derivatives(outputs, inputs.derivatives, later=self._knows(outputs))

    def outputs_at(self, inputs: Sequence[Signals], order: int) -> list[Signals]:
        """What `outputs` gives for each of these inputs."""
        alone = len(inputs) < 2 or (order == 0 and self.derivatives)
        if alone or not isinstance(self.subsystem, SupportsManyOutputs):
            return [self.outputs(given, order) for given in inputs]
        self._linearized = None
        found = [self.finite(f, "giving its outputs", self.time) for f in self._many(inputs, order)]
        self.last = self.last if order else found[-1]
        return found

    @_named("giving its outputs")
    def _many(self, inputs: Sequence[Signals], order: int) -> Sequence[Signals]:
        return cast(SupportsManyOutputs, self.subsystem).outputs_at(inputs, order)

    def advance(self, window: Window, inputs: Waveform) -> Reached:
        """Step over `window`, or up to an event in it; in substeps where it must."""
        self.evaluations += 1
        self._linearized, self._retuned = None, False
        begin, inputs = perf_counter(), self._taken(window, inputs)
        try:
            if self.substeps == 1:
                reached = self.subsystem.advance(window, inputs)
            else:
                reached = self._advance_in_substeps(window, inputs)
            if self.derivatives:
                reached = self._unsure(reached, inputs)
        except RunError:
            raise
        except Exception as error:
            raise self.failed("advancing", window.start, error) from error
        finally:
            self.seconds += self.took(perf_counter() - begin)
        self.finite(reached.outputs, "advancing", reached.time)
        self.repeated.note(window, inputs, reached)
        self.time, self.last = reached.time, reached.outputs
        self.last_step, self._events_before = (window, inputs, reached), self._events
        self.ending = reached.ending
        if self.derivatives and not self._is_complete(reached.outputs.derivatives):
            rates = inputs.at(reached.time - window.start).derivatives
            outputs = self._with_derivatives(reached.outputs, rates, later=self.estimated)
            return Reached(reached.time, outputs, reached.event, reached.ending, reached.late)
        return reached

    def event(self, inputs: Signals) -> Signals:
        """The outputs right of an event."""
        self._linearized, self._events = None, self._events + 1
        try:
            if self.capabilities.has_events:
                outputs = cast(EventDriven, self.subsystem).event(inputs)
            else:
                outputs = self.subsystem.outputs(inputs)
        except RunError:
            raise
        except Exception as error:
            raise self.failed("handling an event", self.time, error) from error
        self.last = self.finite(outputs, "handling an event", self.time)
        return self._with_derivatives(outputs, inputs.derivatives, later=self._knows(outputs))

    @_named("handling an event")
    def update(self) -> bool:
        """Make the jump at an event final; whether there was anything to make."""
        part = cast(SupportsEventUpdate, self.subsystem)
        updated = part.update()
        self.ending = self.ending or part.ending
        return updated

    @_named("changing its parameters")
    def tune(self, values: Values) -> None:
        """Go on with these parameters."""
        self._linearized, self._retuned = None, True
        cast(Tunable, self.subsystem).tune(values)

    @_named("looking for events")
    def switches(self, inputs: Signals) -> bool:
        """Whether these inputs make it jump where it stands."""
        return cast(SupportsSwitching, self.subsystem).switches(inputs)

    @_named("announcing its next event")
    def next_event(self) -> float:
        """The time of its next event."""
        return cast(SupportsEventTimes, self.subsystem).next_event()

    def stand(self, time: float, outputs: Signals) -> None:
        """Native windows have led it there."""
        self.time, self.last, self.last_step = time, outputs, None
        self._linearized, self._retuned = None, False

    @_named("saving its state")
    def snapshot(self) -> Any:
        """A handle on the present state."""
        state = cast(Restorable, self.subsystem).snapshot()
        return self.time, self.last, self._retuned, state, self._events

    def step_from(self, snapshot: Any) -> tuple[Window, Waveform, Reached] | None:
        """Its last step, if that began there, with no event in between."""
        step = self.last_step if self._events_before == snapshot[-1] else None
        return step if step and step[0].start == snapshot[0] else None

    @_named("rolling back")
    def restore(self, snapshot: Any) -> None:
        """Return to a state taken earlier."""
        self.time, self.last, self._retuned, state, _ = snapshot
        self._linearized = None
        cast(Restorable, self.subsystem).restore(state)

    @_named("rolling back")
    def repeat(self, window: Window, inputs: Waveform) -> Reached:
        """The step of `advance` once more, to see how it ends: neither counted nor timed."""
        inputs = self._taken(window, inputs)
        advance = self.subsystem.advance if self.substeps == 1 else self._advance_in_substeps
        return advance(window, inputs)

    @_named("linearizing")
    def linearize(self) -> Linearization:
        """The linearization where the last step ended."""
        if self._linearized is None:
            self._linearized = cast(Linearizable, self.subsystem).linearize()
        return self._linearized

    @_named("linearizing")
    def relinearize(self, known: Linearization) -> Linearization:
        """Where the last step ended, with matrices that are known; all of it, if it must be."""
        if self._linearized is not None or not isinstance(self.subsystem, Relinearizable):
            return self.linearize()
        return self.subsystem.relinearize(known)

    def dump(self) -> bytes:
        """The present state as bytes."""
        if not self.capabilities.can_serialize:
            told = "cannot serialize its state", "run without checkpoints, or replace the part"
            raise CapabilityError("A checkpoint", [Shortfall(self.name, *told)])
        return self._dumped()

    @_named("writing its state")
    def _dumped(self) -> bytes:
        return cast(Serializable, self.subsystem).dump()

    @_named("reading its state")
    def load(self, time: float, state: bytes) -> None:
        """Take over a state that was dumped."""
        self.time, self._linearized, self._retuned = time, None, False
        cast(Serializable, self.subsystem).load(state)

    def _taken(self, window: Window, inputs: Waveform) -> Waveform:
        flat = inputs.flattened(self._tunable) if inputs.order and self._tunes else inputs
        return self.repeated.curves(window, flat)

    def _advance_in_substeps(self, window: Window, inputs: Waveform) -> Reached:
        order = self.capabilities.input_order
        for step, wave in substeps(window, inputs, self.substeps, order):
            reached = self.subsystem.advance(step, wave)
            if reached.time < step.stop or reached.event:
                break
        if reached.event and reached.time <= step.start:
            # thrown by the value held over a substep: somewhere in it, or in the one before
            return replace(reached, late=True)
        return reached

    def finite(self, outputs: Signals, doing: str, time: float) -> Signals:
        """These outputs; PartFailed if one of them is no number."""
        reals = outputs.reals
        if not isfinite(reals.sum()) and not np.all(np.isfinite(reals)):
            names = [s for v in self.description.outputs if v.is_real for s in v.scalars()]
            k = int(np.flatnonzero(~np.isfinite(reals))[0])
            what = f"it returned {reals[k]} for its output '{names[k]}'"
            raise PartFailed(self.name, doing, time, what)
        return outputs

    def failed(self, doing: str, time: float, error: Exception) -> PartFailed:
        """The failure of this part, from what its code raised."""
        return PartFailed(self.name, doing, time, f"{type(error).__name__}: {error}")
