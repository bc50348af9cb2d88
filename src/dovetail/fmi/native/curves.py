"""Inputs that follow curves, as the kernel's structures."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...subsystems.batch import InputHistory
from ..kernel import MAX_COLUMNS, NativeCurves


class Curves:
    """Room for the past of all inputs, and what each member can follow; no past: ramps."""

    def __init__(
        self, past: InputHistory | None, orders: Sequence[int | None], inputs: int
    ) -> None:
        self.past = past
        columns = 2 if past is None else past.order + 1
        self._values = np.zeros((columns, inputs))
        self._orders = np.array([-1 if k is None else k for k in orders], dtype=np.int32)
        self._projection = np.zeros((MAX_COLUMNS, MAX_COLUMNS, MAX_COLUMNS))
        for k, weights in enumerate(() if past is None else past.weights):
            self._projection[k, : weights.shape[0], : weights.shape[1]] = weights
        self.native = NativeCurves(columns=columns, ramps=past is None)
        self.native.values = self._values.ctypes.data
        self.native.order = self._orders.ctypes.data
        self.native.projection = self._projection.ctypes.data

    def load(self, size: float) -> None:
        """Take over the past, for windows of this size."""
        if self.past is None:
            return
        native, columns = self.native, self.native.columns
        powers = size ** np.arange(columns)  # as `flattened` has them
        native.powers[:columns] = powers.tolist()
        native.points = len(self.past.times)
        for k, (time, values) in enumerate(zip(self.past.times, self.past.values, strict=True)):
            native.times[k], native.rows[k] = time, k
            self._values[k] = values

    def keep(self) -> None:
        """Hand the past back, longer by the windows that went by."""
        if self.past is None:
            return
        native = self.native
        rows = native.rows[: native.points]
        self.past.times = tuple(native.times[: native.points])
        self.past.values = tuple(self._values[row].copy() for row in rows)
