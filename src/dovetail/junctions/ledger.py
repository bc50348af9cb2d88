"""What coupling creates or loses of power, bond by bond."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.signals import Vector
from ..core.typed import is_like
from .bonds import Bond
from .finding import Finding

if TYPE_CHECKING:
    from ..assembly.segment import Segment

_HEAD = 256  # windows at the start, all of which are kept of a curve
_POINTS = 512  # of what follows


class _Curve:
    """Rows over time: the first ones all, since there parts come together, then ever fewer."""

    def __init__(self, kept: list[list[float]] | None = None, counts: tuple[int, int] = (1, 0)):
        self.rows = [] if kept is None else kept
        self.stride, self.seen = counts

    def add(self, row: list[float]) -> None:
        """Take note of one more."""
        if self.seen < _HEAD or (self.seen - _HEAD) % self.stride == 0:
            self.rows.append(row)
            if len(self.rows) >= _HEAD + _POINTS:
                self.rows[_HEAD:] = self.rows[_HEAD::2]
                self.stride *= 2
        self.seen += 1

    def extend(self, count: int, row: Callable[[int], list[float]]) -> None:
        """Take note of so many, of which few are looked at."""
        k = 0
        while k < count:
            off = (self.seen - _HEAD) % self.stride if self.seen >= _HEAD else 0
            if off:
                skipped = min(self.stride - off, count - k)
                k, self.seen = k + skipped, self.seen + skipped
            else:
                self.add(row(k))
                k += 1

    def ending(self, row: list[float]) -> list[list[float]]:
        """All of it, down to this last row."""
        return [*self.rows, row] if self.rows and self.rows[-1][0] < row[0] else self.rows


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
        self._now = np.zeros(n)  # what is created at this moment, per second
        self._curve, self._gaps = _Curve(), _Curve()
        self._time, self._last = 0.0, list[float]()
        self._worst: dict[str, dict[str, Any]] = {}
        self._rows: list[tuple[str, str]] = []  # of junctions, with their units

    def open(self, time: float, findings: Sequence[Finding]) -> None:
        """Take note of the start."""
        self._time = time
        if self.bonds:
            self._curve.add(self._row())
        self._compared(time, findings)

    def see(self, segment: Segment, findings: Sequence[Finding]) -> None:
        """Take note of one window."""
        if self.bonds:
            self._add(segment)
        self._compared(segment.window.stop, findings)

    def follow(self, rows: Vector) -> None:
        """Take note of windows that native code has made, a row for each (`native/bonds.c`)."""
        size, n = rows[:, :1], len(self.bonds)
        both, moved, now = (rows[:, 2 + k :: 3] for k in range(3))
        created = np.add.accumulate(np.vstack([self.created, size / 2 * both]))[1:]
        passed = np.add.accumulate(np.vstack([self.passed, size / 4 * moved]))
        self.created, self.passed = created[-1].copy(), passed[-1].copy()
        self._now, self._time = now[-1].copy(), float(rows[-1, 1])
        self.rate = np.maximum(self.rate, np.abs(now).max(axis=0))
        seen = np.hstack([rows[:, 1:2], created, now])
        assert seen.shape[1] == 1 + 2 * n
        self._curve.extend(len(rows), lambda k: list(seen[k].tolist()))

    def _compared(self, time: float, findings: Sequence[Finding]) -> None:
        for f in findings:
            worst = self._worst.setdefault(
                f.group.name,
                {"index": list(f.index), "gap": 0.0, "when": 0.0, "sliding": 0.0, "unsolved": 0},
            )
            gap = float(np.max(np.abs(f.gap)))
            if gap > worst["gap"]:
                worst["gap"], worst["when"] = gap, time
            worst["index"], worst["last"] = list(f.index), gap
            worst["sliding"] = max(worst["sliding"], float(np.max(np.abs(f.sliding))))
            worst["unsolved"] += int(f.unsolved)
        if findings:
            groups = [f.group for f in findings]
            self._rows = [r for g in groups for r in zip(g.rows, g.units, strict=True)]
            gaps, sliding = [f.gap for f in findings], [f.sliding for f in findings]
            self._last = [time, *np.concatenate([*gaps, *sliding]).tolist()]
            self._gaps.add(self._last)

    def facts(self) -> dict[str, Any]:
        """All entries, as JSON values."""
        n, m = len(self.bonds), len(self._rows)
        rows, gaps = self._curve.ending(self._row()), self._gaps.ending(self._last)
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
            "created": [[row[1 + k] for row in rows] for k in range(n)],
            "rates": [[row[1 + n + k] for row in rows] for k in range(n)],
            "junctions": [{"name": name, **facts} for name, facts in self._worst.items()],
            "compared": {
                "rows": [list(row) for row in self._rows],
                "time": [row[0] for row in gaps],
                "gaps": [[row[1 + k] for row in gaps] for k in range(m)],
                "sliding": [[row[1 + m + k] for row in gaps] for k in range(m)],
            },
        }

    def dump(self) -> dict[str, Any]:
        """What was seen so far, as a value."""
        return {
            "sums": [self.created, self.passed, self.rate, self._now],
            "curves": [self._curve.rows, self._gaps.rows, self._last],
            "counts": [[c.stride, c.seen] for c in (self._curve, self._gaps)],
            "worst": self._worst,
            "rows": [list(row) for row in self._rows],
            "time": self._time,
        }

    def load(self, seen: dict[str, Any]) -> None:
        """Go on from what was seen earlier."""
        sums = tuple(seen["sums"])
        if not is_like(sums, (self.created, self.passed, self.rate, self._now)):
            raise ValueError("the sums of its ledger are not those of this run")
        self.created, self.passed, self.rate, self._now = sums
        created, gaps, self._last = seen["curves"]
        first, second = ((int(a), int(b)) for a, b in seen["counts"])
        self._curve, self._gaps = _Curve(created, first), _Curve(gaps, second)
        self._worst, self._time = seen["worst"], seen["time"]
        self._rows = [(row[0], row[1]) for row in seen["rows"]]

    def _add(self, segment: Segment) -> None:
        wave, size = segment.trial.inputs, segment.window.size
        begin, end = wave.reals(0.0), wave.reals(size)
        for k, bond in enumerate(self.bonds):
            a = bond.taken(begin, segment.before.outputs.reals)
            b = bond.taken(end, segment.outputs.reals)
            self.created[k] += size / 2 * float(np.sum(a) + np.sum(b))
            self.passed[k] += size / 4 * float(np.sum(np.abs(a)) + np.sum(np.abs(b)))
            self._now[k] = float(np.sum(b))
        self.rate = np.maximum(self.rate, np.abs(self._now))
        self._time = segment.window.stop
        self._curve.add(self._row())

    def _row(self) -> list[float]:
        return [self._time, *self.created.tolist(), *self._now.tolist()]
