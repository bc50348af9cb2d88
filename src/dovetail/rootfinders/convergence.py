"""Whether an iteration has come to rest: one test for root finders, sweeps and events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from ..core.signals import Signals, Tolerance, Vector

_LAP = 8  # evaluations, or as many as there are unknowns: an error may go around a cycle once
_GROWTH, _BURST = 1e3, 1e9  # times the residuals of the first lap, and within it those before


@dataclass(frozen=True, slots=True)
class ConvergenceTest:
    """Whether an iteration has come to rest.

    What still moves is divided by rtol |value| + atol, and 1 is just within tolerance; discrete
    values must be equal; what is not finite is infinitely far off. The norm is that of the
    tolerance. `rms`, the mean of MasterSim's notes, for iterations over a window: the number of
    wires must not decide. `max` where every single value must hold: start values, events and
    algebraic loops, and methods whose article bounds each residual (IFOSMONDI).

    Two things are compared. A root finder looks at a residual, through a `Gauge` that also knows
    a point that ran away. Sweeps and events look at two iterates, which is all they have.
    """

    tolerance: Tolerance = Tolerance()

    def measure(self, change: Vector, reference: Vector) -> float:
        """The size of a change; infinite where a value is not finite."""
        return self.tolerance.measure(change, reference)

    def gauge(self) -> Gauge:
        """For the residuals of one search."""
        return Gauge(self)

    def compare(self, old: Signals, new: Signals) -> Agreement:
        """Two iterates; derivatives count where both have them."""
        error, derivatives = self.measure(new.reals - old.reals, old.reals), 0.0
        if old.derivatives is not None and new.derivatives is not None:
            derivatives = self.measure(new.derivatives - old.derivatives, old.derivatives)
        return Agreement(self, old, new, max(error, derivatives), derivatives > error)

    def worst(self, change: Vector, reference: Vector) -> int:
        """Which value is farthest beyond the tolerance."""
        weight = np.abs(reference) * self.tolerance.rtol + self.tolerance.atol
        return int(np.argmax(np.abs(change) / weight))


@dataclass(frozen=True, slots=True, eq=False)
class Agreement:
    """How far two iterates agree; `bends`: derivatives are worse than values."""

    test: ConvergenceTest
    old: Signals
    new: Signals
    error: float
    bends: bool

    @property
    def converged(self) -> bool:
        """Whether nothing changes any more."""
        return self.error <= 1 and self.old.discrete == self.new.discrete

    def complaint(self, reals: Sequence[str], discrete: Sequence[str]) -> str:
        """What changes most, by these names of the values compared."""
        if self.error <= 1:
            pairs = zip(discrete, self.old.discrete, self.new.discrete, strict=True)
            return f"'{next(name for name, a, b in pairs if a != b)}' still flips"
        old, new, what = self.old.reals, self.new.reals, ""
        if self.bends and self.old.derivatives is not None and self.new.derivatives is not None:
            old, new, what = self.old.derivatives, self.new.derivatives, "the derivative of "
        name = reals[self.test.worst(new - old, old)]
        return f"{what}'{name}' still changes by {self.error:.2g} times the tolerance"


class Gauge:
    """Measures residuals along a search, and knows a point that ran away.

    Residuals are weighted with |z|: far out, any bounded residual looks small. A point far from
    where the search began, with a residual not much smaller than there, is no root. A search
    `diverges` where a residual is far above all of the first lap. Within a lap it may rise: what
    is off by a micrometre in one sweep is off by newtons in the next, behind a spring.

    Native twin: `native/iterated.c`.
    """

    __slots__ = ("_count", "_first", "_peak", "_test", "diverges")

    def __init__(self, test: ConvergenceTest) -> None:
        self._test = test
        self._first: tuple[float, float] | None = None
        self._count, self._peak = 0, 0.0  # residuals so far, and the largest of the first lap
        self.diverges = False

    def measure(self, r: Vector, z: Vector) -> float:
        """The size of a residual: 1 is just within tolerance; infinite where it is hopeless."""
        size, place = _largest(r), _largest(z)
        if self._first is None:
            self._first = size, place
        inside = self._count < min(z.size, _LAP)
        most = inf if self._count == 0 else (_BURST if inside else _GROWTH) * self._peak
        self.diverges = not size <= most
        self._peak = max(self._peak, size) if inside else self._peak
        self._count += 1
        error = self._test.measure(r, z)
        first, begin = self._first
        far = place > 1e3 * (begin + first)
        return inf if error <= 1 and far and size > 0.1 * first else error


def _largest(v: Vector) -> float:
    return float(np.max(np.abs(v), initial=0.0))
