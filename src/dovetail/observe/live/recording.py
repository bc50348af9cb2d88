"""A recorder that lets a live plot see every row, and keeps it as another recorder does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...results.recorders.base import Column, RecordedTable, Recorder, Recording
from ...results.recorders.watched import WatchedRecording
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
        return LiveRecording(inner, 1 + sum(c.is_real for c in columns), view)


class LiveRecording(WatchedRecording):
    """Hands every row on, and lets the view see it."""

    def __init__(self, inner: Recording, width: int, view: LiveView) -> None:
        super().__init__(inner, width, view)
        self.view = view

    def close(self, facts: Mapping[str, Any]) -> RecordedTable:
        """End the recording, then the plot."""
        try:
            return super().close(facts)
        finally:
            self.view.close()
