"""Predicting a part's outputs without stepping it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ..core.signals import Signals, Vector, Waveform
from ..core.window import Window
from ..subsystems.live import Live
from ..subsystems.subsystem import Reached
from .direct import OneStep
from .response import Motion, Response


@dataclass(frozen=True, slots=True, eq=False)
class Assessment:
    """How good a forecast was, once the genuine step is made.

    `outputs`: the genuine ones; `defect`: those minus what was predicted. `growth`: by as much the
    next forecast may miss, divided by the third power of its window's size; None where that
    cannot be known.
    `trusted`: the forecast was used, and not the last outputs in its place.
    """

    outputs: Vector
    defect: Vector
    growth: Vector | None = None
    trusted: bool = True


class Forecast(Protocol):
    """Predicts one subsystem, window after window; what it learns of them lives here."""

    def open(self, window: Window) -> None:
        """The subsystem stands at this window's start."""

    def shorten(self, window: Window) -> None:
        """The window ends earlier."""

    def response(self, columns: int) -> Response:
        """Outputs at the window's end, for inputs with so many coefficients each."""

    def learn(self, inputs: Waveform, reached: Reached) -> Reached:
        """These inputs led there: the same, with derivatives if only the forecast can give them."""

    @property
    def clueless(self) -> bool:
        """Whether it knows nothing better than that all stays as it is."""

    @property
    def assessment(self) -> Assessment | None:
        """Of the last window that was completed; None if there is nothing to say."""

    def restart(self) -> None:
        """Forget what was learned before an event."""

    def dump(self) -> Any:
        """What was learned, as a value."""

    def load(self, learned: Any) -> None:
        """Take over what was learned elsewhere, or earlier."""


class ForecastRehearsal:
    """A rehearsal that asks a forecast, and steps for real once, at commit.

    One that went ahead of an event, because it had stepped, gives what it seems to be until the
    others have caught up; nothing is predicted then. Where the forecast has no clue, a part that
    is asked in its turn answers by its one genuine step, whatever it is asked after that: then
    coupling is explicit, in the order in which the algorithm asks.
    """

    estimates = True

    def restore(self, start: Any) -> None:
        """Back, by whatever it can."""
        self.subsystem.restore(start)

    def __init__(self, subsystem: Live, forecast: Forecast) -> None:
        self.subsystem, self.forecast = subsystem, forecast
        self._genuine = OneStep(subsystem)
        self._response: Response | None = None
        self._discrete: tuple[Any, ...] = ()  # of the last genuine step
        self._ahead = False
        self._plunged = False  # stepped when first asked: whatever is asked now, it is there

    def open(self, window: Window) -> None:
        """Start rehearsing `window` from where the subsystem stands."""
        self._genuine.open(window)
        self._ahead, self._plunged = self._genuine.is_ahead, False
        if not self._ahead:
            self.forecast.open(window)
        self._response = None

    def shorten(self, window: Window) -> None:
        """The window ends earlier; a step that ended just there is kept."""
        self._genuine.shorten(window)
        self.forecast.shorten(window)
        self._response = None

    def response(self, columns: int) -> Response:
        """The forecast of this window, for inputs with so many coefficients each."""
        if self._ahead:
            return self._memory(columns)
        if self._response is None or self._response.values.shape[2] < columns:
            self._response = self.forecast.response(columns)
        return self._response

    def outputs(self, inputs: Waveform) -> Reached:
        """The forecast; the genuine outputs once they are there."""
        if self._genuine.taken is not None:
            return self.commit(inputs)
        if self.forecast.clueless and not self._ahead:
            self._plunged = True
            return self.commit(inputs)
        found = self.response(inputs.order + 1).at(inputs)
        derivatives = found.derivatives if self.subsystem.derivatives else None
        return Reached(self._genuine.window.stop, Signals(found.reals, derivatives, self._discrete))

    def sensitivity(self, inputs: Waveform, directions: Sequence[Waveform]) -> list[Signals]:
        """What moving the inputs by each direction adds to the outputs; exact for a forecast."""
        response = self.response(max((d.order for d in directions), default=0) + 1)
        return [response.change(d) for d in directions]

    def commit(self, inputs: Waveform) -> Reached:
        """Make these the inputs that happened: the one genuine step."""
        taken = self._genuine.taken
        first = taken is None
        reached = self._genuine.commit(taken[0] if taken and self._plunged else inputs)
        if first and self._ahead:
            self.forecast.restart()
        elif first:
            reached = self.forecast.learn(inputs, reached)
            self._genuine.learn(reached)
        self._discrete = reached.outputs.discrete
        return reached

    def prepare(self, inputs: Waveform, *, genuine: bool, may_be_cut: bool) -> None:
        """The genuine step is on its way."""
        if genuine and not self._ahead and self._genuine.taken is None:
            self._genuine.prepare(inputs, genuine=True, may_be_cut=may_be_cut)

    def prepare_sensitivity(self, inputs: Waveform, directions: Sequence[Waveform]) -> None:
        """The forecast knows it."""

    def recall(self) -> None:
        """It cannot be: it has stepped."""
        self._genuine.recall()

    @property
    def kept(self) -> Waveform | None:
        """The inputs it has stepped with, where it stepped before they were decided."""
        taken = self._genuine.taken
        return taken[0] if taken is not None and self._plunged else None

    def abandon(self) -> None:
        """Nothing has moved, unless it was committed."""
        self._genuine.abandon()

    @property
    def assessment(self) -> Assessment | None:
        """How good the last forecast was."""
        return self.forecast.assessment

    def restart(self) -> None:
        """Forget what was learned before an event."""
        self.forecast.restart()

    def dump(self) -> Any:
        """What was learned, as a value."""
        return self.forecast.dump(), self._genuine.dump(), self._discrete

    def load(self, learned: Any) -> None:
        """Take over what was learned elsewhere, or earlier."""
        known, steps, self._discrete = learned
        self.forecast.load(known)
        self._genuine.load(steps)

    def _memory(self, columns: int) -> Response:
        """What it seems to be at the window's end, or is where it stands, whatever the inputs."""
        seen = self._genuine.expected().outputs
        inputs = sum(v.size for v in self.subsystem.description.inputs if v.is_real)
        none = np.zeros((seen.reals.size, inputs, columns))
        derivatives = (
            np.zeros(seen.reals.size)
            if seen.derivatives is None
            else np.nan_to_num(seen.derivatives)
        )
        return Response(none, none, Motion(seen.reals, derivatives))
