"""Time derivatives of the outputs of a merged system."""

from __future__ import annotations

from math import ulp

import numpy as np

from ..assembly.segment import Position
from ..core.description import Description
from ..core.signals import Signals, Vector
from ..subsystems.derivatives import along, slope
from .coupled_equations import CoupledEquations
from .merged_equations import MergedEquations

_LATER = 1e-4  # by which time is moved, of the last window
_ROOM = 4  # times that must be free of events


class MergedDerivatives(MergedEquations):
    """Parts that together give y' = dg/dx x' + dg/du u' + dg/dt where they stand.

    By differences: central ones along states and inputs, where outputs are smooth. What time itself
    does is looked at on the side without an event: before one that is due, else ahead.
    """

    description: Description
    due: bool
    _derivatives = False  # of outputs, wanted
    _passed = 0.0  # how long the last run was

    def _with_derivatives(self, found: Signals, inputs: Signals) -> Signals:
        """These outputs with their derivatives, if wanted; `inputs` are those that made them.

        Afterwards all stands where it did.
        """
        if not self._derivatives:
            return found
        t, x, held = self.t, self.x, inputs.discrete
        du = (
            np.zeros(inputs.reals.size)
            if inputs.derivatives is None
            else np.nan_to_num(inputs.derivatives)
        )

        def values(x: Vector, u: Vector, time: float = t) -> Vector:
            return self.values(time, x, Signals(u, None, held)).reals

        def rates(_: float, x: Vector, u: Vector) -> Vector:
            return self.rates(t, x, Signals(u, None, held))

        derivatives = along(lambda _, x, u: values(x, u), rates, t, x, inputs.reals, du, 1)
        later = self._later()
        if later:
            derivatives += slope(lambda s: values(x, inputs.reals, t + s), later, ahead=True)
        values(x, inputs.reals)
        return Signals(found.reals, derivatives, found.discrete)

    def _derived_at_start(self, found: Signals, inputs: Signals, start: Position) -> Signals:
        """The same in initialization; FMUs cannot be asked then, but have an event at once."""
        if not self._derivatives:
            return found
        if not self.description.capabilities.can_derive_at_start:
            return Signals(found.reals, np.full(found.reals.size, np.nan), found.discrete)
        self.joined = CoupledEquations(self.assembly, self.player, start.coordination)
        try:
            self.joined.know(start.outputs)
            self.x = self.joined.state()
            return self._with_derivatives(found, inputs)
        finally:
            self.joined = None

    def _later(self) -> float:
        """How far to look, and on which side; 0 if there is no room on either."""
        move = _LATER * (self._passed or 1.0)
        smallest = 64 * ulp(self.t)
        if not self.due:
            ahead = self.assembly.next_event() - self.t
            if ahead > _ROOM * smallest:
                return min(move, ahead / _ROOM)
        return -move if self._passed > _ROOM * smallest else 0.0
