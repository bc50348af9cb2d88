"""Time derivatives of outputs that a live subsystem does not give itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..core.description import Capabilities, Description
from ..core.signals import Signals, Vector, Waveform
from .subsystem import Linearization, Reached

Flags = NDArray[np.bool_]


class LiveDerivatives(ABC):
    """Derivatives that the subsystem does not give: from its linearization, or NaN."""

    description: Description
    capabilities: Capabilities
    derivatives: bool  # wanted: answers come with time derivatives
    substeps: int  # of a window, for inputs that it cannot follow
    _retuned: bool  # since its last step: its answer there says little about now

    @abstractmethod
    def linearize(self) -> Linearization:
        """The linearization where the last step ended."""

    @property
    def tells_derivatives(self) -> bool:
        """Whether it gives derivatives of all its outputs, also while its inputs move."""
        blind = self.substeps > 1 or not self.capabilities.knows_input_slopes
        return self.capabilities.can_tell_derivatives and not (blind and self._blind.any())

    def standing(self, inputs: Signals, outputs: Signals) -> Signals:
        """The outputs of its last step, for inputs that jump where it cannot be asked.

        With a linearization, what that makes of the jump; without one derivatives are unknown now.
        """
        if outputs.derivatives is None or not outputs.reals.size:
            return outputs
        if self._retuned or not self.capabilities.can_linearize:
            return Signals(outputs.reals, np.full(outputs.reals.size, np.nan), outputs.discrete)
        lin = self.linearize()
        jump, rates = inputs.reals - lin.u, np.zeros(lin.u.size)
        if jump[self._held].any():  # inputs that a linearization knows nothing of
            return Signals(outputs.reals, np.full(outputs.reals.size, np.nan), outputs.discrete)
        if inputs.derivatives is not None:
            rates = np.nan_to_num(inputs.derivatives)
        derivatives = lin.C @ (lin.dx + lin.B @ jump) + lin.D @ rates
        return Signals(lin.y + lin.D @ jump, derivatives, outputs.discrete)

    def _unsure(self, reached: Reached, inputs: Waveform) -> Reached:
        """Without derivatives that do not count in how the inputs move: the part cannot know it."""
        found = reached.outputs
        held = self.substeps > 1 or not self.capabilities.knows_input_slopes
        if found.derivatives is None or not (held and inputs.order and self._blind.any()):
            return reached
        derivatives = np.where(self._blind, np.nan, found.derivatives)
        outputs = Signals(found.reals, derivatives, found.discrete)
        return Reached(reached.time, outputs, reached.event, reached.ending, reached.late)

    @cached_property
    def _blind(self) -> Vector:
        """Outputs with direct feedthrough."""
        d = self.description
        real = {v.name for v in d.inputs if v.is_real}
        flags = [[bool(d.depends(v.name) & real)] * v.size for v in d.outputs if v.is_real]
        return np.array([flag for same in flags for flag in same], dtype=bool)

    @cached_property
    def _held(self) -> Flags:
        """Real inputs that change at events only."""
        return np.logical_or(self._flags("discrete"), self._tunable)

    @cached_property
    def _tunable(self) -> Flags:
        """Parameters that are real inputs: constant over a window, whatever the others do."""
        return self._flags("tunable")

    @cached_property
    def _tunes(self) -> bool:
        return bool(self._tunable.any())

    def _flags(self, variability: str) -> Flags:
        real = [v for v in self.description.inputs if v.is_real]
        flags = [[v.variability == variability] * v.size for v in real]
        return np.array([flag for same in flags for flag in same], dtype=bool)

    def _knows(self, outputs: Signals) -> bool:
        """Whether it gives all that can be known while time stands still: NaN during events."""
        return outputs.derivatives is not None and self.capabilities.can_evaluate_now

    def _is_complete(self, derivatives: Vector | None) -> bool:
        return derivatives is not None and not np.isnan(derivatives).any()

    def _with_derivatives(
        self, outputs: Signals, rates: Vector | None, *, later: bool = False
    ) -> Signals:
        """The outputs with their derivatives, if wanted and not given by the subsystem."""
        given = outputs.derivatives
        if not self.derivatives or self._is_complete(given) or not outputs.reals.size:
            return outputs
        if self.capabilities.can_linearize and not later:
            lin = self.linearize()
            derivatives = lin.C @ lin.dx + (0.0 if rates is None else lin.D @ np.nan_to_num(rates))
        else:
            derivatives = np.full(outputs.reals.size, np.nan)
        if given is not None:
            derivatives = np.where(np.isnan(given), derivatives, given)
        return Signals(outputs.reals, derivatives, outputs.discrete)
