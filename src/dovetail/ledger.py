"""What coupling creates or loses of power, bond by bond."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .bonds import Bond
from .coordinators.joined import Finding
from .leg import Leg

_POINTS = 512  # of each curve that is kept


class Ledger:
    """Adds up, window by window, what the ports of each bond take together.

    That should be nothing: a bond neither stores nor makes anything. Powers are taken at both
    ends of a window, with the inputs as they were applied, and the trapezoidal rule between. Of
    each junction with unknowns the largest g and s are kept as well.
    """

    def __init__(self, bonds: Sequence[Bond]) -> None:
        self.bonds = tuple(bonds)
        n = len(self.bonds)
        self.created, self.passed, self.rate = np.zeros(n), np.zeros(n), np.zeros(n)
        self._curve: list[list[float]] = []
        self._stride, self._seen, self._time = 1, 0, 0.0
        self._worst: dict[str, dict[str, Any]] = {}

    def see(self, leg: Leg, findings: Sequence[Finding]) -> None:
        """Take note of one window."""
        if self.bonds:
            self._add(leg)
        for f in findings:
            worst = self._worst.setdefault(
                f.group.name,
                {"index": list(f.index), "gap": 0.0, "when": 0.0, "sliding": 0.0, "unsolved": 0},
            )
            gap = float(np.max(np.abs(f.gap)))
            if gap > worst["gap"]:
                worst["gap"], worst["when"] = gap, leg.window.stop
            worst["sliding"] = max(worst["sliding"], float(np.max(np.abs(f.sliding))))
            worst["last"] = gap
            worst["unsolved"] += int(f.unsolved)

    def facts(self) -> dict[str, Any]:
        """Everything there is to tell, as JSON values."""
        rows = [*self._curve, self._row()] if self._seen else []
        return {
            "bonds": [
                {
                    "name": b.name,
                    "domain": b.domain.name,
                    "unit": b.domain.conserves,
                    "created": float(self.created[k]),
                    "passed": float(self.passed[k]),
                    "largest": float(self.rate[k]),
                }
                for k, b in enumerate(self.bonds)
            ],
            "time": [row[0] for row in rows],
            "created": [[row[1 + k] for row in rows] for k in range(len(self.bonds))],
            "junctions": [{"name": name, **facts} for name, facts in self._worst.items()],
        }

    def dump(self) -> dict[str, Any]:
        """What was seen so far, as a value."""
        return {
            "sums": [self.created, self.passed, self.rate],
            "curve": self._curve,
            "counts": [self._stride, self._seen],
            "worst": self._worst,
            "time": self._time,
        }

    def load(self, seen: dict[str, Any]) -> None:
        """Go on from what was seen earlier."""
        self.created, self.passed, self.rate = seen["sums"]
        self._curve, self._worst, self._time = seen["curve"], seen["worst"], seen["time"]
        self._stride, self._seen = seen["counts"]

    def _add(self, leg: Leg) -> None:
        wave, size = leg.trial.inputs, leg.window.size
        begin, end = wave.reals(0.0), wave.reals(size)
        for k, bond in enumerate(self.bonds):
            a = bond.taken(begin, leg.before.outputs.reals)
            b = bond.taken(end, leg.outputs.reals)
            self.created[k] += size / 2 * float(np.sum(a) + np.sum(b))
            self.passed[k] += size / 4 * float(np.sum(np.abs(a)) + np.sum(np.abs(b)))
            self.rate[k] = max(self.rate[k], abs(float(np.sum(b))))
        self._time = leg.window.stop
        if self._seen % self._stride == 0:
            self._curve.append(self._row())
            if len(self._curve) >= _POINTS:
                self._curve, self._stride = self._curve[::2], 2 * self._stride
        self._seen += 1

    def _row(self) -> list[float]:
        return [self._time, *self.created.tolist()]
