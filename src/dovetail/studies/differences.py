"""Derivatives of signals by parameters: differences of runs over the same windows.

Two runs whose windows differ also differ by the errors of their windows, which may be more than
what a small change of a parameter does. Over common windows these errors are the same, and
cancel. Windows of one size are common by themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np

from ..core.errors import RunError
from ..core.signals import Vector
from .outcome import RunOutcome
from .probes import Probe, ProbePool

_STEP = 1e-3  # of a value: far above what integrators miss, far below what bends curves
_CENTRAL = 4.0  # times that, where both sides are used
_SMALL = 1e-2  # of the range: the least size of a value that is counted in steps of itself

Ends = tuple[float, ...]


class NoDerivative(RunError):
    """The runs beside one failed, whichever way a value was changed."""


@dataclass(frozen=True, slots=True)
class FreeValue:
    """A value that is free: its name and its limits."""

    name: str
    low: float
    high: float

    def offsets(self, value: float, *, central: bool) -> list[float]:
        """How far neighbours are away, the preferred one first; none is beyond a limit."""
        span, size = self.high - self.low, abs(value)
        if isfinite(span):
            signed = self.low < 0 < self.high
            size = span if signed else min(max(size, _SMALL * span), span)
        step = _STEP * (_CENTRAL if central else 1.0) * (size or 1.0)
        return [s for s in (step, -step) if self.low <= value + s <= self.high]


@dataclass(frozen=True, slots=True, eq=False)
class Differences:
    """Runs at values, and what they change by; `common`: windows have to be made common."""

    pool: ProbePool
    free: tuple[FreeValue, ...]
    conditions: int
    common: bool

    def base(self, values: Vector) -> list[RunOutcome]:
        """The runs with these values, one for each condition."""
        named = self._named(values)
        return self.pool.outcomes([Probe(k, k, named) for k in range(self.conditions)])

    def derivatives(
        self, values: Vector, base: Sequence[RunOutcome], *, central: bool = False
    ) -> list[Vector]:
        """For each condition: by free value, signal and time.

        Forward, or backward at an upper limit or where the forward run fails; `central`: both.
        """
        ends = [one.ends if self.common else () for one in base]
        offsets = [
            f.offsets(v, central=central) for f, v in zip(self.free, values.tolist(), strict=True)
        ]
        some = [found[: 1 + central] for found in offsets]
        asked = [(c, -1, 0.0) for c in range(self.conditions) if self.common]
        asked += [
            (c, p, offset)
            for c in range(self.conditions)
            for p, near in enumerate(some)
            for offset in near
        ]
        known = dict(zip(asked, self._runs(values, ends, asked), strict=True))
        again = [
            (c, p, offsets[p][-1])
            for c, p, offset in asked
            if p >= 0 and not known[c, p, offset].done and offset != offsets[p][-1]
        ]
        known |= dict(zip(again, self._runs(values, ends, again), strict=True))
        if not self.common:
            known |= {(c, -1, 0.0): one for c, one in enumerate(base)}
        places = range(len(self.free))
        return [
            np.array([self._row(known, values, (c, p)) for p in places])
            for c in range(self.conditions)
        ]

    def _row(
        self,
        known: dict[tuple[int, int, float], RunOutcome],
        values: Vector,
        place: tuple[int, int],
    ) -> Vector:
        """One derivative: between the outermost runs that reached their end."""
        c, p = place
        sides = {offset: one for (k, q, offset), one in known.items() if (k, q) == (c, p)}
        sides[0.0] = known[c, -1, 0.0]
        ran = sorted(offset for offset, one in sides.items() if one.done)
        if len(ran) < 2:
            name = self.free[p].name
            reason = next(one.reason for one in sides.values() if not one.done)
            raise NoDerivative(f"runs beside {name}={values[p]:g} fail: {reason}")
        low, high = sides[ran[0]].signals, sides[ran[-1]].signals
        assert low is not None and high is not None
        row: Vector = (high - low) / (ran[-1] - ran[0])
        return row

    def _runs(
        self, values: Vector, ends: Sequence[Ends], asked: Sequence[tuple[int, int, float]]
    ) -> list[RunOutcome]:
        probes = []
        for number, (c, p, offset) in enumerate(asked):
            near = values.copy()
            if p >= 0:
                near[p] += offset
            probes.append(Probe(number, c, self._named(near), ends[c]))
        return self.pool.outcomes(probes)

    def _named(self, values: Vector) -> tuple[tuple[str, float], ...]:
        return tuple((f.name, float(v)) for f, v in zip(self.free, values, strict=True))
