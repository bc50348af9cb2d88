"""Time derivatives of the outputs of a model-exchange FMU."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.signals import Signals, Vector
from ...subsystems.derivatives import slope
from .equations import FmuEquations, is_smooth

if TYPE_CHECKING:
    from ..model import Fmu

_SHARE = 1e-3  # by which states and inputs are moved, of their size
_LATER = 1e-4  # by which time is, of the last window


class OutputDerivatives(FmuEquations):
    """An FMU that gives y' = dg/dx x' + dg/du u' + dg/dt where it stands.

    The first two by one directional derivative; by differences of fourth order, where the FMU
    gives none. What time itself does comes by differences, and is exactly zero where outputs do
    not depend on it. Outputs that change at events only have derivatives of zero.
    """

    def __init__(self, name: str, model: Fmu) -> None:
        super().__init__(name, model)
        self._derivatives = False  # of outputs, wanted
        self._size = 1e-3  # of the last window

    def _with_derivatives(self, found: Signals, rates: Vector | None) -> Signals:
        """These outputs with their derivatives, if those are wanted; unknown during an event."""
        if not self._derivatives:
            return found
        derivatives = np.full(found.reals.size, np.nan)
        if self.mode == "continuous":
            derivatives[:] = 0.0
            derivatives[self._movable.places] = self._derivatives_here(rates)
            self._stand()
        return Signals(found.reals, derivatives, found.discrete)

    def _derivatives_here(self, rates: Vector | None) -> Vector:
        t, x, u, movable = self.t, self.x, self.u.reals, self._movable
        du = np.zeros(u.size)
        if rates is not None:
            du[movable.inputs_at] = np.nan_to_num(rates[movable.inputs_at])
        self._hand(self._smooth_inputs, u, ())
        dx = self.evaluation.rates(t, x).copy()

        def values(time: float, state: Vector, inputs: Vector) -> Vector:
            self._hand(self._smooth_inputs, inputs, ())
            self.evaluation.stand(time, state)
            found: Vector = self._got().reals[movable.places]
            return found

        moved = slope(lambda s: values(t + s, x, u), _LATER * self._size, ahead=True)
        if self._jacobian.is_exact and movable.plain:
            self._stand()
            seed = np.concatenate([dx, du[movable.inputs_at]])
            return moved + self._jacobian.along(seed, movable.inputs, movable.outputs)
        nominal = 1.0 if self.nominal is None else self.nominal
        sizes = np.maximum(np.abs(x), 1e-3 * nominal), np.maximum(np.abs(u), 1e-3)
        fastest = np.abs(np.concatenate([dx, du])) / np.concatenate(sizes)
        if not fastest.any():
            return moved
        h = _SHARE / float(fastest.max())
        return moved + slope(lambda s: values(t, x + s * dx, u + s * du), h)

    @cached_property
    def _movable(self) -> _Movable:
        return _Movable(self.model, self._smooth_inputs)


class _Movable:
    """Outputs and inputs that may move between events."""

    def __init__(self, model: Fmu, channels: list[Any]) -> None:
        reals = [v for v in model.outputs if v.is_float]
        sizes = np.array([model.size_of(v) for v in reals], dtype=int)
        smooth = np.array([is_smooth(v) for v in reals], dtype=bool)
        self.outputs = [v for v in reals if is_smooth(v)]
        self.places = np.flatnonzero(np.repeat(smooth, sizes))
        self.inputs = [v for v in model.inputs if is_smooth(v)]
        places = [c.places for c in channels]
        self.inputs_at: Any = np.sort(np.concatenate([np.zeros(0, dtype=np.intp), *places]))
        self.plain = all(v.type == "Float64" for v in (*self.outputs, *self.inputs))
