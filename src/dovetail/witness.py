"""Watches a run and says at the end how far it can be believed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .assembly import Assembly
from .leg import Leg
from .misses import Misses
from .signals import Vector
from .statistics import Statistics
from .verdict import Verdict


class Witness:
    """Compares, at each window's end, what the inputs were with what their sources gave there."""

    def __init__(self, assembly: Assembly, sources: Mapping[str, str]) -> None:
        self._assembly, self._sources = assembly, sources
        n = len(assembly.structure.layout.inputs.reals)
        self.worst, self.when = np.zeros(n), np.full(n, np.nan)
        self.low, self.high = np.full(n, np.inf), np.full(n, -np.inf)
        self.misses = Misses(assembly)

    def see(self, leg: Leg, inputs: Vector) -> None:
        """Take note of one window; `inputs` are those that the outputs at its end make."""
        self.misses.see(leg)
        if inputs.size == 0:
            return
        mismatch = np.abs(inputs - leg.trial.inputs.reals(leg.window.size))
        worse = mismatch > self.worst
        if worse.any():
            self.worst[worse], self.when[worse] = mismatch[worse], leg.window.stop
        np.minimum(self.low, inputs, out=self.low)
        np.maximum(self.high, inputs, out=self.high)

    def verdict(self, statistics: Statistics, *, finished: bool) -> Verdict:
        """What there is to say."""
        doubtful = statistics.iteration_limit_reached
        notes = []
        if doubtful:
            notes.append(f"{doubtful} windows were accepted at the limit of iterations.")
        for name, times in statistics.beyond_by_part.items():
            notes.append(
                f"'{name}' cannot go back and had stepped beyond an event {times} times: it felt "
                "the event late, and the others saw it interpolated."
            )
        told = self.misses.estimates()
        names = self._assembly.structure.layout.inputs.reals
        connected = np.array([name in self._sources for name in names], dtype=bool)
        spread = self.high - self.low
        share = np.where(connected & (spread > 0), self.worst / np.where(spread > 0, spread, 1), 0)
        if not np.any(share > 0):
            return Verdict(finished, doubtful == 0, 0.0, None, None, tuple(notes), told)
        k = int(np.argmax(share))
        weakest = f"{self._sources[names[k]]} -> {names[k]}"
        mismatch, when = float(share[k]), float(self.when[k])
        return Verdict(finished, doubtful == 0, mismatch, weakest, when, tuple(notes), told)

    def dump(self) -> tuple[Any, ...]:
        """What was seen so far, as a value."""
        return self.worst, self.when, self.low, self.high, self.misses.dump()

    def load(self, seen: tuple[Any, ...]) -> None:
        """Go on from what was seen earlier."""
        self.worst, self.when, self.low, self.high, misses = seen
        self.misses.load(misses)
