"""Equations of parts without states."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.description import Variable
from ..core.signals import Signals, Vector


class NoStates:
    """The half of `Equations` that is empty where there is nothing to integrate."""

    states: tuple[Variable, ...] = ()
    signs: tuple[int, ...] = ()

    @property
    def pattern(self) -> Any:
        """No rates, no states."""
        from scipy.sparse import csc_array

        return csc_array((0, 0), dtype=bool)

    def state(self) -> Vector:
        """Nothing."""
        return np.zeros(0)

    def rates(self, time: float, state: Vector, inputs: Signals) -> Vector:
        """Nothing."""
        return np.zeros(0)

    def crossings(self, time: float, state: Vector, inputs: Signals) -> Vector:
        """Nothing."""
        return np.zeros(0)

    def jacobian(self, time: float, state: Vector, inputs: Signals) -> Any:
        """Nothing by nothing."""
        from scipy.sparse import csc_array

        return csc_array((0, 0))

    def completed(self, time: float, state: Vector, inputs: Signals) -> bool:
        """Steps of an integrator are no events."""
        return False
