"""What a co-simulation FMU is given before a step."""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.signals import Discrete, Waveform
from ...core.values import Values
from ...core.window import Window
from ..calls.abi.types import FATAL, OK
from ..calls.fmi3 import Fmi3
from ..calls.instance import CallFailed
from ..calls.intermediate import InputFollower
from .tuner import ChangedParameters, Tuner

if TYPE_CHECKING:
    from ..model import Fmu
    from .part import FmuPart
    from .reporting import Reporter


class StepInputs:
    """Inputs, how they move over the step, parameters that are connected or were changed."""

    def __init__(self, part: FmuPart, model: Fmu, reporter: Reporter | None) -> None:
        self._part, self._instance, self._model = part, part.instance, model
        self.channels, _ = part._channels(model.inputs, wanted=lambda v: v.causality == "input")
        self.tuner = Tuner(part, model) if model.tunes else None
        self._changed = ChangedParameters(part)
        self._highest = part.most_derivatives  # order that it takes
        self._follower: InputFollower | None = None
        if isinstance(part.instance, Fmi3) and (model.follows_curves or model.reported):
            asked = next((c for c in self.channels if c.is_real and model.follows_curves), None)
            nothing = np.zeros(0, dtype=np.uint32), 0
            inputs = nothing if asked is None else (asked.references, asked.places.size)
            self._follower = InputFollower(part.instance, *inputs, reporter)
            part.instance.follower = self._follower

    def write(self, reals: Any, discrete: Sequence[Discrete]) -> None:
        """Set everything."""
        if self._changed.wanted:
            self._changed.write()
        self._part._hand(self.channels, reals, discrete)
        if self.tuner is not None:
            self.tuner.write(reals, discrete)

    def write_curves(self, window: Window, inputs: Waveform) -> None:
        """What real inputs do over a step, beside their values at its start."""
        a = inputs.coefficients
        if self._follower is not None:
            self._follower.along(inputs, window.start)
        if self._model.follows_curves:
            return
        moving = self._part.description.capabilities.input_order != 0 or a[:, 1:].any()
        for order in range(1, min(a.shape[1], self._highest + 1) if moving else 1):
            try:
                self._write_derivatives(order, factorial(order) * a[:, order])
            except CallFailed as error:
                if error.status == FATAL:
                    raise
                self._highest = order - 1  # it takes fewer than it says: lower ones are left
                self._instance.failed = OK
                self._part.note_refusal(order, window.start + 1.5 * window.size)
                break

    def _write_derivatives(self, order: int, values: Any) -> None:
        for channel in self.channels:
            if channel.kind == "Float64":
                some = values[channel.places]
                self._instance.set_input_derivatives(channel.references, order, some)

    def end(self, start: float, reached: float) -> None:
        """The step succeeded, up to there."""
        if self._follower is not None:
            self._follower.end(start, reached)

    def change(self, values: Values) -> None:
        """Parameters to set before the next step."""
        self._changed.wanted = {**self._changed.wanted, **values}

    def write_changes(self) -> None:
        """Set those at once."""
        self._changed.write()

    def memory(self) -> Any:
        """What the FMU has of the parameters."""
        return None if self.tuner is None else self.tuner.known, self._changed.known

    def recall(self, memory: Any) -> None:
        """It has these again."""
        connected, self._changed.known = memory
        if self.tuner is not None:
            self.tuner.known = connected
