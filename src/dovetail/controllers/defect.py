"""Windows sized by how far estimates missed, without going back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import ClassVar

import numpy as np

from ..given import check_truth
from ..leg import Leg
from ..signals import Tolerance, Vector, Waveform
from ..window import Window
from .base import Accept, Branch, Decision, GiveUp, Retry
from .limits import check_sizes, check_tolerances


@dataclass(frozen=True, slots=True, eq=False)
class Before:
    """Inputs over the last window, and its size."""

    inputs: Waveform
    size: float


@dataclass(frozen=True, slots=True)
class Defect:
    """Windows sized by what estimates missed of the genuine steps, and cubics of the inputs.

    One evaluation per window, and no part has to go back: a window that was committed stands. So
    the next one is also kept below the size at which the change of the linearizations lets
    half the tolerance be missed (`foresee`). Works with parts that are not estimated too: of
    those it sees only how well the last window's inputs, extended, foretold this one's.

    The first window is there to look: it should be small. From what is seen in it the second may
    be a hundred times as long, later ones grow up to fivefold.
    """

    rtol: float = 1e-5
    atol: float = 1e-6
    first_size: float = 1e-4
    min_size: float = 0.0
    max_size: float = inf
    foresee: bool = True

    rejects: ClassVar[bool] = False
    varies: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_sizes(self.first_size, self.min_size, self.max_size)
        check_tolerances(self.rtol, self.atol)
        check_truth("foresee", self.foresee)

    def plan(self, window: Window, state: Before | None) -> tuple[Branch, ...]:
        """One branch of one window."""
        return ((window,),)

    def judge(
        self, window: Window, branches: Sequence[Sequence[Leg]], state: Before | None
    ) -> Decision:
        """Accept, retry what was not committed, or give up."""
        leg = branches[-1][-1]
        if leg.trial.failure:
            size = window.size / 4
            if size >= self.min_size and window.start + size > window.start:
                return Retry(size, "convergence")
            return GiveUp(leg.trial.failure)
        size = leg.window.size
        if leg.event:  # all begins anew
            return Accept(max(min(size, self.first_size), self.min_size))
        factor = 100.0 if state is None else 5.0
        bent, columns = self._bent(leg, state), leg.trial.inputs.order + 1
        for error, order in ((self._missed(leg), 3), (bent, columns)):
            if error > 0:
                factor = min(factor, max(0.9 / error ** (1 / order), 0.1))
        size = min(size * factor, self._foreseen(leg), self.max_size)
        return Accept(max(size, self.min_size), Before(leg.trial.inputs, leg.window.size))

    def _missed(self, leg: Leg) -> float:
        """The largest defect of any estimate: 1 is just within tolerance."""
        tolerance = Tolerance(self.rtol, self.atol, "max")
        found = leg.assessments.values()
        return max((tolerance.measure(a.defect, a.outputs) for a in found), default=0.0)

    def _bent(self, leg: Leg, before: Before | None) -> float:
        """What polynomials of this order cannot follow of the inputs.

        The last window's, extended to the end of this one, miss by (h + g)^2 h^2 / 24 times the
        fourth derivative for cubics; between its own ends the cubic of this one by h^4 / 384.
        """
        if before is None or leg.trial.inputs.order != before.inputs.order:
            return 0.0
        h, g, order = leg.window.size, before.size, leg.trial.inputs.order
        end = leg.trial.inputs.reals(h)
        off: Vector = before.inputs.reals(g + h) - end
        if order == 3:
            off = off * h**2 / (16 * (h + g) ** 2)
        elif order == 1:
            off = off * h / (4 * (h + g))
        return Tolerance(self.rtol, self.atol, "max").measure(off, end)

    def _foreseen(self, leg: Leg) -> float:
        """The size at which estimates may miss by half the tolerance."""
        if not self.foresee:
            return inf
        limit = inf
        for found in leg.assessments.values():
            if found.growth is not None and found.growth.size:
                allowed = (self.rtol * np.abs(found.outputs) + self.atol) / 2
                with np.errstate(divide="ignore"):
                    limit = min(limit, float(np.min(allowed / found.growth)) ** (1 / 3))
        return limit
