"""Messages and progress of a run."""

from __future__ import annotations

import sys

from ..core.calendar import Calendar
from ..observe.live.plot import LivePlot, LiveRequest
from ..observe.progress import Progress
from ..results.recorders import Recorder
from .pace import Pace


class Announcer:
    """Messages, a bar that moves, and a warning where the run will hardly reach its end."""

    def __init__(self, title: str, calendar: Calendar, *, quiet: bool) -> None:
        self.messages: list[str] = []
        self._title, self._calendar, self._quiet = title, calendar, quiet
        self._progress: Progress | None = None

    def say(self, message: str) -> None:
        """Keep a message, and show it unless all is to be quiet."""
        self.messages.append(message)
        if not self._quiet:
            print(f"dovetail: {message}", file=sys.stderr)

    def watch(
        self,
        start: float,
        stop: float,
        recorder: Recorder,
        live: LiveRequest = False,
        *,
        shown: bool | None,
    ) -> Recorder:
        """Show how far the run has come, and its rows while they are recorded; the recorder."""
        plot, taken = LivePlot.of(live), False
        if plot is not None:
            from ..observe.live.choosing import watching
            from ..observe.live.view import LiveTitle

            title = LiveTitle(self._title, (start, stop), self._calendar)
            recorder, taken = watching(recorder, plot, title, self.say)
        shown = False if self._quiet or taken else shown
        self._progress = Progress(start, stop, self._title, self._calendar, shown=shown)
        return recorder

    def moved(self, time: float, windows: int, pace: Pace) -> None:
        """The run has reached `time`."""
        assert self._progress is not None
        self._progress.moved(time, windows)
        slow = pace.message()
        if slow:
            self.say(slow)

    def close(self) -> None:
        """Take the bar away."""
        if self._progress is not None:
            self._progress.close()
