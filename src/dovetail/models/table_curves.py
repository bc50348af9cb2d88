"""The real columns of a table as curves over time: held, linear or cubic between rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import floor
from typing import Any

import numpy as np

from ..core.errors import ModelError, did_you_mean
from ..core.signals import Vector
from .pchip import pchip_derivatives

INTERPOLATIONS = ("linear", "hold", "cubic")
OUTSIDE = ("hold", "linear", "periodic", "error")
_ALSO = {"previous": "hold", "constant": "hold", "pchip": "cubic"}


@dataclass(frozen=True, eq=False)
class TableCurves:
    """Columns of a matrix over increasing times, one interpolation each."""

    times: Vector
    matrix: Vector
    ways: tuple[str, ...]
    outside: str

    @cached_property
    def held(self) -> Any:
        """Which columns are held."""
        return np.array([way == "hold" for way in self.ways], dtype=bool)

    @cached_property
    def cubic(self) -> Any:
        """Which columns are cubic; None if there is none."""
        found = np.array([way == "cubic" for way in self.ways], dtype=bool)
        return found if found.any() else None

    @cached_property
    def derivatives(self) -> Vector:
        """The derivatives of cubic columns at the rows."""
        return pchip_derivatives(self.times, self.matrix)

    @cached_property
    def period(self) -> float:
        """How long the data last."""
        return float(self.times[-1] - self.times[0])

    def row(self, time: float) -> tuple[int, float]:
        """The row before or at a time, -1 before the first, and what repetition adds to times."""
        t = self.times
        if self.outside != "periodic":
            return int(np.searchsorted(t, time, side="right")) - 1, 0.0
        first, last = t.item(0), t.size - 1
        cycle = floor((time - first) / self.period)
        while time < first + cycle * self.period:
            cycle -= 1
        while time >= first + (cycle + 1) * self.period:
            cycle += 1
        add = cycle * self.period
        k = min(max(int(np.searchsorted(t, time - add, side="right")) - 1, 0), last)
        while k > 0 and (t.item(k) + add > time or t.item(k) == t.item(last)):
            k -= 1
        while k + 1 < last and t.item(k + 1) + add <= time and t.item(k + 1) < t.item(last):
            k += 1
        return k, add

    def values(self, time: float) -> Vector:
        """All columns at a time."""
        k, add = self.row(time)
        t, y = self.times, self.matrix
        if k < 0 or k >= t.size - 1:
            return self._beyond(time, 0 if k < 0 else t.size - 1)
        share = (time - (t[k] + add)) / (t[k + 1] - t[k])
        linear = y[k] + share * (y[k + 1] - y[k])
        found: Vector = np.where(self.held, y[k], linear)
        if self.cubic is None:
            return found
        h, left, right = t[k + 1] - t[k], self.derivatives[k], self.derivatives[k + 1]
        rest = 1 - share
        bent = rest * rest * ((1 + 2 * share) * y[k] + share * h * left)
        bent += share * share * ((1 + 2 * rest) * y[k + 1] - rest * h * right)
        return np.where(self.cubic, bent, found)

    def rates(self, time: float) -> Vector:
        """Their time derivatives, to the right of that time."""
        k, add = self.row(time)
        t, y = self.times, self.matrix
        if k < 0 or k >= t.size - 1:
            return self.end_rates(0 if k < 0 else t.size - 1)
        h = t[k + 1] - t[k]
        slope = (y[k + 1] - y[k]) / h
        found: Vector = np.where(self.held, 0.0, slope)
        if self.cubic is None:
            return found
        share = (time - (t[k] + add)) / h
        left, right = self.derivatives[k], self.derivatives[k + 1]
        bent: Vector = 6 * share * (1 - share) * slope
        bent = bent + (1 - share) * (1 - 3 * share) * left + share * (3 * share - 2) * right
        return np.where(self.cubic, bent, found)

    def _beyond(self, time: float, end: int) -> Vector:
        if self.outside != "linear":
            kept: Vector = self.matrix[end].copy()
            return kept
        found: Vector = self.matrix[end] + (time - self.times[end]) * self.end_rates(end)
        return found

    def end_rates(self, end: int) -> Vector:
        """The derivatives with which columns go on beyond the first or last row."""
        t, y = self.times, self.matrix
        inner = 1 if end == 0 else end - 1
        if self.outside != "linear" or t.size < 2 or t[inner] == t[end]:
            return np.zeros(y.shape[1])
        found: Vector = np.where(self.held, 0.0, (y[end] - y[inner]) / (t[end] - t[inner]))
        return found if self.cubic is None else np.where(self.cubic, self.derivatives[end], found)


def ways_of(names: Sequence[str], given: Any, hold: Sequence[str]) -> dict[str, str]:
    """The interpolation of each column, from one for all or a mapping, and columns to hold."""
    named = given if isinstance(given, Mapping) else dict.fromkeys(names, given)
    known_names, held = set(names), set(hold)
    for name, way in named.items():
        if name not in known_names:
            hint = did_you_mean(str(name), names)
            raise ModelError(f"interpolation names '{name}', which is no column.{hint}")
        if _ALSO.get(way, way) not in INTERPOLATIONS:
            known = ", ".join(INTERPOLATIONS)
            hint = did_you_mean(str(way), (*INTERPOLATIONS, *_ALSO))
            raise ModelError(f"interpolation must be one of {known}, not {way!r}.{hint}")
    found = {name: str(_ALSO.get(way, way)) for name, way in named.items()}
    return {name: "hold" if name in held else found.get(name, "linear") for name in names}
