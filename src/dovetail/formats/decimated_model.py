"""A model that steps once in several windows, as simulators of the Open Simulation Platform may."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from ..core import codec
from ..core.description import Capabilities, Description
from ..core.errors import ModelError
from ..core.model_page import ModelPage
from ..core.signals import Signals, Waveform
from ..core.values import Values
from ..core.window import Window
from ..drawing.fingerprint import digest
from ..subsystems.repeatable import reason_of
from ..subsystems.subsystem import (
    Model,
    Reached,
    Restorable,
    Serializable,
    Subsystem,
    SupportsLateOutputs,
)


@dataclass(frozen=True, slots=True, eq=False)
class DecimatedModel(ModelPage):
    """Every `every` windows the model steps over all of them, with the inputs of the first.

    What it gives is seen where the last of them ends, and not before. Windows must have one size.
    """

    model: Model
    every: int

    @property
    def description(self) -> Description:
        """The model seen from outside: it holds its outputs, and has neither events nor slopes."""
        inner = self.model.description
        able = inner.capabilities
        kept = Capabilities(
            can_restore=able.can_restore,
            can_serialize=able.can_serialize,
            can_vary_size=False,
            can_ask_to_end=able.can_ask_to_end,
        )
        return replace(inner, capabilities=kept, kind=f"{inner.kind}, every {self.every} windows")

    @property
    def against_repeating(self) -> str:
        """Why a second instance may not run beside the first; empty if it may."""
        return reason_of(self.model)

    def fingerprint(self) -> str:
        """A text that changes with what it does."""
        return f"every {self.every} {digest(self.model)}"

    def instantiate(self, name: str) -> DecimatedPart:
        """A live part."""
        return DecimatedPart(self, self.model.instantiate(name))


class DecimatedPart:
    """It stands at the end of its own step, and is seen where the windows are."""

    def __init__(self, model: DecimatedModel, inner: Subsystem) -> None:
        self.description, self.inner, self.every = model.description, inner, model.every
        self.count, self.ending = 0, False
        self.shown = self.ahead = Signals(np.zeros(0))  # until it is asked

    def initialize(self, start: float, values: Values, *, derivatives: bool = False) -> None:
        """Take the values and enter initialization."""
        self.inner.initialize(start, values)

    def outputs(self, inputs: Signals, order: int = 0) -> Signals:
        """Outputs at the start."""
        self.shown = self.ahead = self.inner.outputs(inputs, order)
        return self.shown

    def begin(self) -> None:
        """Leave initialization."""
        self.inner.begin()

    def late_outputs(self) -> Signals | None:
        """Outputs right after `begin`, where those of the model are known only then."""
        if not isinstance(self.inner, SupportsLateOutputs):
            return None
        found = self.inner.late_outputs()
        if found is not None:
            self.shown = self.ahead = found
        return found

    def advance(self, window: Window, inputs: Waveform) -> Reached:
        """Step where its own step begins; show what it gave where that ends."""
        if self.count % self.every == 0:
            size = self.every * window.size
            step = Window(window.start, size, window.start + size)
            if self.every == 1:
                step = window
            reached = self.inner.advance(step, Waveform.hold(inputs.at(0.0)))
            if reached.time < step.stop:
                what = f"it ended its step at t = {reached.time:g} s, before t = {step.stop:g} s"
                raise ModelError(f"{what}; steps of its own cannot be cut.")
            self.ahead, self.ending = reached.outputs, reached.ending
        self.count += 1
        whole = self.count % self.every == 0
        if whole:
            self.shown = self.ahead
        return Reached(window.stop, self.shown, ending=self.ending and whole)

    def snapshot(self) -> Any:
        """A handle on the present state."""
        state = cast(Restorable, self.inner).snapshot()
        return state, self.count, self.shown, self.ahead, self.ending

    def restore(self, snapshot: Any) -> None:
        """Return to a state taken earlier."""
        state, self.count, self.shown, self.ahead, self.ending = snapshot
        cast(Restorable, self.inner).restore(state)

    def dump(self) -> bytes:
        """The present state as bytes."""
        state = cast(Serializable, self.inner).dump()
        return codec.encode((state, self.count, self.shown, self.ahead, self.ending))

    def load(self, state: bytes) -> None:
        """Take over a state that was dumped."""
        inner, self.count, self.shown, self.ahead, self.ending = codec.decode(state)
        cast(Serializable, self.inner).load(inner)

    def close(self) -> None:
        """Give back what is held."""
        self.inner.close()
