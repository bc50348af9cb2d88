"""Checkpoints while a run goes on, every so many seconds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from time import perf_counter

from ..core.errors import FileError
from ..core.seconds import Seconds
from .checkpoint import Checkpoint


class Checkpointing:
    """Writes where a run stands to a file, again and again.

    The first must succeed, so that a wrong name is found out before the run. A later one that
    cannot be written, as on a full disk, is reported, and the run goes on: the last one that could
    be written stays in place.
    """

    def __init__(
        self,
        path: Path,
        every: float,
        made: Callable[[], Checkpoint],
        say: Callable[[str], None],
        clock: Seconds,
    ) -> None:
        self._path, self._every, self._made, self._say = path, every, made, say
        self._clock, self._at = clock, 0.0
        self._failed = False
        self._write()

    def look(self) -> None:
        """Write one if it is due."""
        if perf_counter() >= self._due:
            self._try()

    def end(self) -> None:
        """Write the last one."""
        self._try()
        if self._failed:
            last = self._clock.at(self._at)
            self._say(f"the run went on without checkpoints; {self._path} stands at {last}")

    def _try(self) -> None:
        try:
            self._write()
        except FileError as error:
            if not self._failed:
                self._say(f"{error}; the run goes on")
            self._failed = True
            self._due = perf_counter() + self._every

    def _write(self) -> None:
        found = self._made()
        found.write(self._path)
        self._at, self._failed = found.position.time, False
        self._due = perf_counter() + self._every
