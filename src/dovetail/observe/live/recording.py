"""A recorder that lets a live plot see every row, and keeps it as another recorder does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...core.signals import Discrete, Vector
from ...results.recorders.base import (
    Column,
    RecordedTable,
    Recorder,
    Recording,
    SupportsIntermediate,
    SupportsLending,
)
from .plot import LivePlot
from .view import LiveTitle, LiveView, Screen


@dataclass(frozen=True, slots=True, eq=False)
class LiveRecorder:
    """`recorder`, watched. Rows, files and checkpoints are those of `recorder`."""

    recorder: Recorder
    plot: LivePlot
    title: LiveTitle
    screen: Screen

    def open(self, columns: Sequence[Column]) -> LiveRecording:
        """Begin a recording; what cannot be shown is refused before."""
        watched = self.plot.watched(columns)
        return self._around(self.recorder.open(columns), columns, watched)

    def reopen(self, columns: Sequence[Column], position: Mapping[str, Any]) -> LiveRecording:
        """Go on from a checkpoint; rows before it are not shown."""
        watched = self.plot.watched(columns)
        return self._around(self.recorder.reopen(columns, position), columns, watched)

    def _around(
        self, inner: Recording, columns: Sequence[Column], watched: Sequence[Column]
    ) -> LiveRecording:
        view = LiveView(columns, watched, self.title, self.screen)
        if isinstance(inner, SupportsLending):
            return LendingLiveRecording(inner, view)
        return LiveRecording(inner, view)


class LiveRecording:
    """Hands every row on, and lets the view see it."""

    def __init__(self, inner: Recording, view: LiveView) -> None:
        self.inner, self.view = inner, view

    @property
    def rows(self) -> int:
        """How many rows it has so far."""
        return self.inner.rows

    def row(self, time: float, reals: Vector, discrete: tuple[Discrete, ...]) -> None:
        """Keep one row."""
        self.inner.row(time, reals, discrete)
        self.view.row(time, reals, discrete)

    def block(self, times: Vector, reals: Vector, discrete: tuple[Discrete, ...] = ()) -> None:
        """Keep many rows at once."""
        self.inner.block(times, reals, discrete)
        self.view.block(times, reals, discrete)

    def position(self) -> dict[str, Any]:
        """Where the recording stands."""
        return self.inner.position()

    def show(self, inside: Mapping[str, RecordedTable]) -> None:
        """Handed on as it is."""
        if isinstance(self.inner, SupportsIntermediate):
            self.inner.show(inside)

    def close(self, facts: Mapping[str, Any]) -> RecordedTable:
        """End the recording, then the plot."""
        try:
            return self.inner.close(facts)
        finally:
            self.view.close()


class LendingLiveRecording(LiveRecording):
    """The same around memory that native code writes to."""

    inner: Any
    _lines: Vector

    def lend(self, rows: int) -> Vector:
        """Lines to write time and reals into."""
        self._lines = self.inner.lend(rows)
        return self._lines

    def keep(self, rows: int) -> None:
        """So many of them are filled."""
        self.inner.keep(rows)
        self.view.block(self._lines[:rows, 0], self._lines[:rows, 1:], ())
