"""How far a run has come, shown while it runs."""

from __future__ import annotations

import sys
from time import perf_counter
from typing import Any

from ..core.harmless import harmless_line
from ..core.notebook import in_notebook
from ..core.seconds import Seconds


class Progress:
    """A bar with remaining time: on standard error if that is a terminal, or in a notebook.

    It appears only after half a second: short runs stay quiet.
    """

    def __init__(
        self,
        start: float,
        stop: float,
        title: str,
        clock: Seconds = Seconds(),
        *,
        shown: bool | None = None,
        unit: str = "windows",
    ) -> None:
        self._unit = unit
        self._shown = sys.stderr.isatty() or in_notebook() if shown is None else shown
        self._clock = clock
        self._start, self._stop, self._title = start, stop, title
        self._next = perf_counter() + 0.5 if self._shown else float("inf")
        self._bar: Any = None
        self._task: Any = None
        self._waits = False  # the bar says for whom one waits

    def moved(self, time: float, windows: int) -> None:
        """The run has reached `time`."""
        now = perf_counter()
        if now < self._next:
            return
        self._next = now + 0.1
        if self._bar is None:
            self._open()
        at = self._clock.at(time)
        self._bar.update(self._task, completed=time - self._start, windows=windows, at=at)
        if self._waits:
            self._waits = False
            self._bar.update(self._task, description=harmless_line(self._title))

    def waits(self, text: str) -> bool:
        """Say for whom the run waits, until it goes on; whether there is a bar to say it."""
        if not self._shown:
            return False
        if self._bar is None:
            self._open()
        self._waits = True
        self._bar.update(self._task, description=harmless_line(f"{self._title}: {text}"))
        return True

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
        self._next = float("inf")

    def _open(self) -> None:
        if in_notebook():
            from .notebook_bar import NotebookBar

            self._bar = NotebookBar(self._title, self._stop - self._start)
            self._bar.start()
            return
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        self._bar = Bar(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn(f"{{task.fields[at]}}, {{task.fields[windows]}} {self._unit}"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._bar.start()
        span = self._stop - self._start
        at = self._clock.at(self._start)
        self._task = self._bar.add_task(harmless_line(self._title), total=span, windows=0, at=at)
