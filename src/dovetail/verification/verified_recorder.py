"""A recorder that lets the verdict wait for a companion, and says what it showed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.signals import Discrete, Vector
from ..results.recorders.base import Column, RecordedTable, Recorder, Recording
from ..results.recorders.watched import WatchedRecording
from .companion import Trajectory
from .verification import Verification
from .window_ends import WindowEnds

_BYTES = 1 << 24  # of rows that are kept to be compared


@dataclass(frozen=True, slots=True, eq=False)
class VerifiedRecorder:
    """Any recorder; before it is closed, what was recorded is compared with the companion's."""

    recorder: Recorder
    verification: Verification

    def open(self, columns: Sequence[Column]) -> VerifiedRecording:
        """Begin a recording."""
        return VerifiedRecording(self.recorder.open(columns), columns, self.verification)

    def reopen(self, columns: Sequence[Column], position: Mapping[str, Any]) -> Recording:
        """Go on from a checkpoint: the rows before it are not at hand, so nothing is compared."""
        return self.recorder.reopen(columns, position)


class VerifiedRecording(WatchedRecording):
    """Passes rows on, and keeps as many of them as are needed to compare."""

    def __init__(
        self, inner: Recording, columns: Sequence[Column], verification: Verification
    ) -> None:
        self._names = [c.name for c in columns if c.is_real]
        self._rows = KeptRows(1 + len(self._names), ends=verification.ends)
        super().__init__(inner, self._rows.width, self._rows)
        self._verification = verification

    def close(self, facts: Mapping[str, Any]) -> RecordedTable:
        """End the recording, with a verdict that knows what the companion showed."""
        lines = self._rows.lines()
        values = {name: lines[:, 1 + k] for k, name in enumerate(self._names)}
        known = self._verification.amended(facts, Trajectory(lines[:, 0], values))
        return super().close(known)


class KeptRows:
    """Rows, all of them as long as they fit; then every second, every fourth and so on.

    Rows beside an event are kept in any case.
    """

    def __init__(
        self, width: int, most_bytes: int = _BYTES, ends: WindowEnds | None = None
    ) -> None:
        self._ends = ends
        self.width, self._most = width, max(most_bytes // (8 * width), 64)
        self._chunks: list[Vector] = []
        self._count = 0
        self._limit = self._most

    def row(self, time: float, reals: Vector, discrete: tuple[Discrete, ...]) -> None:
        """One row."""
        if self._ends is not None:
            self._ends.row(time, reals, discrete)
        self.add(np.concatenate(([time], reals))[None])

    def block(self, times: Vector, reals: Vector, discrete: tuple[Discrete, ...]) -> None:
        """Many rows at once."""
        if self._ends is not None:
            self._ends.block(times, reals, discrete)
        self.add(np.column_stack([times, reals]))

    def add(self, lines: Vector) -> None:
        """Some more."""
        self._chunks.append(lines)
        self._count += len(lines)
        if self._count > self._limit:
            self._thin()

    def lines(self) -> Vector:
        """What was kept: time first."""
        if len(self._chunks) != 1:
            self._chunks = [np.concatenate([np.empty((0, self.width)), *self._chunks])]
        return self._chunks[0]

    def _thin(self) -> None:
        lines = self.lines()
        beside = np.zeros(len(lines), dtype=bool)
        jumps = np.flatnonzero(np.diff(lines[:, 0]) <= 0)
        beside[jumps] = beside[jumps + 1] = True
        beside[::2] = beside[-1] = True
        self._chunks = [lines[beside]]
        self._count = len(self._chunks[0])
        self._limit = max(self._most, 2 * self._count)
