"""Watches how far forecasts of parts were from what the parts then did."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..assembly.assembly import Assembly
from ..assembly.segment import Segment
from ..results.verdict import Estimates


class Misses:
    """For each part that is predicted: the defects of its outputs, and the range these covered."""

    def __init__(self, assembly: Assembly) -> None:
        self._assembly = assembly
        self._spans = {i: assembly.outputs_of[i].reals for i in assembly.forecasts.predicted}
        n = len(assembly.structure.layout.outputs.reals)
        self.worst, self.total = np.zeros(n), np.zeros(n)
        self.low, self.high = np.full(n, np.inf), np.full(n, -np.inf)
        parts = len(assembly.subsystems)
        self.windows, self.trusted = np.zeros(parts), np.zeros(parts)

    def see(self, segment: Segment) -> None:
        """Take note of one window."""
        if not self._spans:
            return
        np.minimum(self.low, segment.outputs.reals, out=self.low)
        np.maximum(self.high, segment.outputs.reals, out=self.high)
        for i, found in segment.assessments.items():
            span, size = self._spans[i], np.abs(found.defect)
            self.worst[span] = np.maximum(self.worst[span], size)
            self.total[span] += size
            self.windows[i] += 1
            self.trusted[i] += found.trusted

    def estimates(self) -> dict[str, Estimates]:
        """What there is to say, by part; as shares of the range that an output covered."""
        spread = np.where(self.high > self.low, self.high - self.low, np.inf)
        found: dict[str, Estimates] = {}
        for i, span in self._spans.items():
            count = self.windows[i]
            if count and span.stop > span.start:
                shares = self.worst[span] / spread[span]
                found[self._assembly.subsystems[i].name] = Estimates(
                    float(np.max(shares)),
                    float(np.max(self.total[span] / spread[span]) / count),
                    float(self.trusted[i] / count),
                )
        return found

    def dump(self) -> tuple[Any, ...]:
        """What was seen so far, as a value."""
        return self.worst, self.total, self.low, self.high, self.windows, self.trusted

    def load(self, seen: tuple[Any, ...]) -> None:
        """Go on from what was seen earlier."""
        self.worst, self.total, self.low, self.high, self.windows, self.trusted = seen
