"""Messages and progress of a run."""

from __future__ import annotations

import sys

from ..core.calendar import Calendar
from ..core.harmless import harmless
from ..core.notebook import in_notebook
from ..hosts.waiting import FIRST
from ..observe.live.plot import LivePlot, LiveRequest
from ..observe.progress import Progress
from ..results.recorders import Recorder
from .pace import Pace

_SAID: set[tuple[str, str]] = set()  # notes of this process: the name of a drawing, and the text


def forget_notes() -> None:
    """Let notes be said again that were said in this process."""
    _SAID.clear()


class Announcer:
    """Messages, a bar that moves, and a warning where the run will hardly reach its end."""

    def __init__(self, title: str, calendar: Calendar, *, quiet: bool) -> None:
        self.messages: list[str] = []
        self._title, self._calendar, self._quiet = title, calendar, quiet
        self._progress: Progress | None = None
        self._waited = set[str]()  # for whom it was said

    def say(self, message: str) -> None:
        """Keep a message, and show it unless all is to be quiet.

        On standard error; in a notebook, which shows that in red, on standard output.
        """
        self.messages.append(message)
        if not self._quiet:
            stream = sys.stdout if in_notebook() else sys.stderr
            print(f"dovetail: {harmless(message)}", file=stream)

    def note(self, message: str) -> None:
        """A message about what was chosen for the user: kept, but said once for each drawing.

        A hundred runs of one drawing in a loop say it at the first.
        """
        key = self._title, message
        if key in _SAID:
            self.messages.append(message)
            return
        if not self._quiet:
            _SAID.add(key)
        self.say(message)

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

    def waiting(self, part: str, where: str, seconds: float) -> None:
        """A part elsewhere has not answered for so long: on the bar, or as a line.

        A line of the first second is there once for each part: it may always take that long.
        """
        text = f"waiting for {part}{' at ' * bool(where)}{where}, for {seconds:g} s so far"
        if self._quiet or (self._progress is not None and self._progress.waits(text)):
            return
        if seconds > FIRST or part not in self._waited:
            self._waited.add(part)
            print(f"dovetail: {harmless(text)}", file=sys.stderr)

    def close(self) -> None:
        """Take the bar away."""
        if self._progress is not None:
            self._progress.close()
