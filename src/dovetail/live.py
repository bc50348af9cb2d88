"""One live subsystem of an assembly: counted, timed, its failures named."""

from __future__ import annotations

from math import isfinite
from time import perf_counter
from typing import Any, cast

import numpy as np

from .description import Description
from .errors import CapabilityError, PartFailed, RunError, Shortfall
from .signals import Signals, Waveform
from .subsystem import (
    EventDriven,
    Foreseeing,
    Linearizable,
    Linearization,
    Reached,
    Restorable,
    Serializable,
    Subsystem,
    Switching,
    Updating,
)
from .values import Values
from .window import Window


class Live:
    """One subsystem under its name. Whatever goes wrong inside comes out as `PartFailed`."""

    def __init__(self, name: str, subsystem: Subsystem) -> None:
        self.name = name
        self.subsystem = subsystem
        self.description: Description = subsystem.description
        self.capabilities = self.description.capabilities
        self.time = 0.0
        self.evaluations = 0
        self.seconds = 0.0
        self.ending = False  # it asks to end the simulation after this window
        self.beyond = 0  # steps that went beyond an event and could not be taken back

    def initialize(self, start: float, values: Values, *, slopes: bool) -> None:
        """Take the values and enter initialization."""
        self.time = start
        try:
            self.subsystem.initialize(start, values, slopes=slopes)
        except RunError:
            raise
        except Exception as error:
            raise self._failed("starting", start, error) from error

    def begin(self) -> None:
        """Leave initialization."""
        try:
            self.subsystem.begin()
        except RunError:
            raise
        except Exception as error:
            raise self._failed("starting", self.time, error) from error

    def outputs(self, inputs: Signals, order: int = 0) -> Signals:
        """Outputs now, or their time derivatives, without moving in time."""
        try:
            outputs = self.subsystem.outputs(inputs, order)
        except RunError:
            raise
        except Exception as error:
            raise self._failed("telling its outputs", self.time, error) from error
        return self._finite(outputs, "telling its outputs", self.time)

    def advance(self, window: Window, inputs: Waveform) -> Reached:
        """Step over `window`, or up to an event in it."""
        self.evaluations += 1
        begin = perf_counter()
        try:
            reached = self.subsystem.advance(window, inputs)
        except RunError:
            raise
        except Exception as error:
            raise self._failed("advancing", window.start, error) from error
        finally:
            self.seconds += perf_counter() - begin
        self._finite(reached.outputs, "advancing", reached.time)
        self.time = reached.time
        self.ending = reached.ending
        return reached

    def event(self, inputs: Signals) -> Signals:
        """The outputs right of an event."""
        try:
            if self.capabilities.has_events:
                outputs = cast(EventDriven, self.subsystem).event(inputs)
            else:
                outputs = self.subsystem.outputs(inputs)
        except RunError:
            raise
        except Exception as error:
            raise self._failed("handling an event", self.time, error) from error
        return self._finite(outputs, "handling an event", self.time)

    def update(self) -> bool:
        """Make the jump at an event final; whether there was anything to make."""
        try:
            part = cast(Updating, self.subsystem)
            updated = part.update()
        except RunError:
            raise
        except Exception as error:
            raise self._failed("handling an event", self.time, error) from error
        self.ending = self.ending or part.ending
        return updated

    def switches(self, inputs: Signals) -> bool:
        """Whether these inputs make it jump where it stands."""
        try:
            return cast(Switching, self.subsystem).switches(inputs)
        except RunError:
            raise
        except Exception as error:
            raise self._failed("looking for events", self.time, error) from error

    def next_event(self) -> float:
        """The time of its next event."""
        try:
            return cast(Foreseeing, self.subsystem).next_event()
        except RunError:
            raise
        except Exception as error:
            raise self._failed("telling its next event", self.time, error) from error

    def snapshot(self) -> Any:
        """A handle on the present state."""
        try:
            return self.time, cast(Restorable, self.subsystem).snapshot()
        except RunError:
            raise
        except Exception as error:
            raise self._failed("saving its state", self.time, error) from error

    def restore(self, snapshot: Any) -> None:
        """Return to a state taken earlier."""
        self.time = snapshot[0]
        try:
            cast(Restorable, self.subsystem).restore(snapshot[1])
        except RunError:
            raise
        except Exception as error:
            raise self._failed("going back", self.time, error) from error

    def linearize(self) -> Linearization:
        """The linearization where the last step ended."""
        try:
            return cast(Linearizable, self.subsystem).linearize()
        except RunError:
            raise
        except Exception as error:
            raise self._failed("linearizing", self.time, error) from error

    def dump(self) -> bytes:
        """The present state as bytes."""
        if not self.capabilities.can_serialize:
            lacks = "cannot write its state down"
            remedy = "run without checkpoints, or replace the part"
            raise CapabilityError("A checkpoint", [Shortfall(self.name, lacks, remedy)])
        try:
            return cast(Serializable, self.subsystem).dump()
        except RunError:
            raise
        except Exception as error:
            raise self._failed("writing its state", self.time, error) from error

    def load(self, time: float, state: bytes) -> None:
        """Take over a state that was dumped."""
        self.time = time
        try:
            cast(Serializable, self.subsystem).load(state)
        except RunError:
            raise
        except Exception as error:
            raise self._failed("reading its state", self.time, error) from error

    def _finite(self, outputs: Signals, doing: str, time: float) -> Signals:
        reals = outputs.reals
        if not isfinite(reals.sum()) and not np.all(np.isfinite(reals)):
            names = [s for v in self.description.outputs if v.is_real for s in v.scalars()]
            k = int(np.flatnonzero(~np.isfinite(reals))[0])
            raise PartFailed(self.name, doing, time, f"its output '{names[k]}' became {reals[k]}")
        return outputs

    def _failed(self, doing: str, time: float, error: Exception) -> PartFailed:
        return PartFailed(self.name, doing, time, f"{type(error).__name__}: {error}")
