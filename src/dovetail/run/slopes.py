"""Derivatives of outputs between native windows and those from Python."""

from __future__ import annotations

import numpy as np

from ..assembly.assembly import Assembly
from ..core.signals import Signals, Vector
from ..estimators.differences import DifferenceRehearsal
from ..subsystems.run_memory import OutputHistory


class SlopeState:
    """What native windows with cubic inputs go on from, and what they lead to.

    Parts that give no derivatives have them from their last outputs, which Python keeps part by
    part and native code for all: they must lie at the same times.
    """

    def __init__(self, assembly: Assembly) -> None:
        self._spans = [s.reals for s in assembly.outputs_of]
        self._watching = [
            (i, r) for i, r in enumerate(assembly.rehearsals) if isinstance(r, DifferenceRehearsal)
        ]
        n = len(assembly.structure.layout.outputs.reals)
        self.history = OutputHistory(np.zeros(n))
        self.known = False  # the run stands where native code can go on

    def catch_up(self, outputs: Signals) -> None:
        """Go on from where Python has led to."""
        history, n = self.history, outputs.reals.size
        self.known = outputs.derivatives is not None
        if outputs.derivatives is not None:
            history.slopes[:] = outputs.derivatives
        pasts = {i: r.dump()[0] for i, r in self._watching}
        times = {tuple(time for time, _ in past) for past in pasts.values()} or {()}
        self.known &= len(times) == 1 and (times != {()} or not pasts)
        history.times = times.pop()
        rows = [np.zeros(n) for _ in history.times]
        for i, past in pasts.items():
            for row, (_, values) in zip(rows, past, strict=False):
                row[self._spans[i]] = values
        history.values = tuple(rows)

    def handed_back(self) -> Vector:
        """Derivatives where native windows have led to; parts know now what came before."""
        times, values = self.history.times, self.history.values
        for i, rehearsal in self._watching:
            span, learned = self._spans[i], rehearsal.dump()[1]
            past = tuple((t, y[span].copy()) for t, y in zip(times, values, strict=True))
            rehearsal.load((past, learned))
        return self.history.slopes.copy()
