"""Inputs along a window as plain floats, for equations that are evaluated at many instants."""

from __future__ import annotations

from collections.abc import Callable

from .signals import Waveform

Moving = Callable[[float], list[float]]

_FEW = 12  # inputs: up to here a loop over floats is faster than NumPy


def moving(wave: Waveform) -> Moving:
    """Real values at a local time: those of `wave.reals`, to the bit, in a tenth of its time."""
    rows = wave.coefficients.tolist()
    if len(rows) <= _FEW:
        if wave.order == 1:
            return lambda t: [b * t + a for a, b in rows]
        if wave.order == 2:
            return lambda t: [(c * t + b) * t + a for a, b, c in rows]
        if wave.order == 3:
            return lambda t: [((d * t + c) * t + b) * t + a for a, b, c, d in rows]

    def along(t: float) -> list[float]:
        values: list[float] = wave.reals(t).tolist()
        return values

    return along
