"""A run as it is steered: paused, a window at a time, as fast as the clock, back to a mark."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..core.errors import DovetailError, OptionError
from ..run.session import Session
from .control import Line, Wishes
from .plain import plain

_BETWEEN = 0.1  # s between two reports
_PATIENCE = 5.0  # s that a part may take to come to an end when a run is stopped
_MOST = 20  # marks of a run
_BEHIND = 0.05  # s by which a run may be late before it is told


@dataclass(frozen=True, slots=True)
class RunMark:
    """Where a run stood: it can go on from there again."""

    number: int
    time: float
    path: Path


class RunMarks:
    """Checkpoints of one run, in a folder that goes with its process."""

    def __init__(self, folder: Path, known: Mapping[str, float]) -> None:
        self._folder = folder
        self._kept = [RunMark(int(n), t, folder / f"{n}.checkpoint") for n, t in known.items()]
        self._count = max((m.number for m in self._kept), default=0)

    def keep(self, session: Session) -> None:
        """Where it stands now; the oldest goes, if there are too many."""
        self._count += 1
        mark = RunMark(self._count, session.time, self._folder / f"{self._count}.checkpoint")
        session.checkpoint(mark.path)
        self._kept.append(mark)
        if len(self._kept) > _MOST:
            self._kept.pop(0).path.unlink(missing_ok=True)

    def known(self, number: int) -> RunMark:
        """The mark of this number."""
        found = next((m for m in self._kept if m.number == number), None)
        if found is None:
            raise OptionError(f"there is no mark {number} in this run")
        return found

    def told(self) -> list[dict[str, Any]]:
        """All of them, as the page lists them."""
        return [{"number": m.number, "time": plain(m.time)} for m in self._kept]


class ClockPace:
    """Holds a run back, so that it is as fast as the clock, or so many times as fast."""

    def __init__(self) -> None:
        self._factor: float | None = None
        self._from = (0.0, 0.0)  # of the run, of the clock

    def ahead(self, time_of_run: float, factor: float) -> float:
        """By how many seconds the run is ahead of the clock; below zero it is late."""
        now = time.monotonic()
        if factor != self._factor:
            self._factor, self._from = factor, (time_of_run, now)
        began, clock = self._from
        return (time_of_run - began) / factor - (now - clock)

    def forget(self) -> None:
        """Begin to count anew, as after a pause."""
        self._factor = None


class Driver:
    """Does with a session what its user wishes, and tells how far it is."""

    def __init__(
        self, line: Line, wishes: Wishes, folder: Path, known: Mapping[str, float]
    ) -> None:
        self._line, self._wishes = line, wishes
        self._marks, self._pace = RunMarks(folder, known), ClockPace()
        self._told = time.monotonic()
        self._late = 0.0

    def first(self, number: int | None) -> RunMark | None:
        """The mark that a run begins at, if it does not begin at its start."""
        return None if number is None else self._marks.known(number)

    def drive(self, session: Session) -> RunMark | None:
        """To the end, or to where it is stopped; the mark to go back to, if that is wished."""
        wishes = self._wishes
        while not (session.finished or wishes.is_stopped):
            self._change(session)
            for asked in wishes.asked():
                if asked["what"] == "mark":
                    self._mark(session)
                    continue
                try:
                    return self._marks.known(int(asked["to"]))
                except DovetailError as error:
                    self._line.say("unmarked", text=str(error), marks=self._marks.told())
            self._go(session)
            self._tell(session)
        if wishes.is_stopped:
            ending = threading.Timer(_PATIENCE, os._exit, (1,))
            ending.daemon = True
            ending.start()
        return None

    def back(self, session: Session) -> None:
        """It stands at a mark again, paused: say so."""
        self._wishes.pause()
        self._pace.forget()
        self._line.say("rewound", time=session.time, windows=session.counts.windows,
                       marks=self._marks.told())  # fmt: skip

    def _go(self, session: Session) -> None:
        wishes, factor = self._wishes, self._wishes.pace
        if wishes.is_paused:
            self._pace.forget()
            if wishes.take_step():
                session.advance()
                self._told = 0.0
        elif factor is None:
            self._late = 0.0
            session.proceed()
        else:
            ahead = self._pace.ahead(session.time, factor)
            self._late = max(0.0, -ahead)
            if ahead > 0.0:
                wishes.rest(min(ahead, _BETWEEN))
            else:
                session.advance()

    def _change(self, session: Session) -> None:
        for name, value in self._wishes.changes():
            try:
                session.set(name, value)
                self._line.say("changed", name=name, value=plain(value))
            except DovetailError as error:
                self._line.say("unchanged", name=name, text=str(error))

    def _mark(self, session: Session) -> None:
        try:
            self._marks.keep(session)
            self._line.say("marked", marks=self._marks.told(), unmarked="")
        except DovetailError as error:
            self._line.say("unmarked", text=str(error), marks=self._marks.told())

    def _tell(self, session: Session) -> None:
        now = time.monotonic()
        if now - self._told > _BETWEEN:
            self._told = now
            late = self._late if self._late > _BEHIND else 0.0
            self._line.say("at", time=session.time, windows=session.counts.windows,
                           paused=self._wishes.is_paused, late=late)  # fmt: skip
