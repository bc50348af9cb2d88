"""Watches the rows of a run as they are recorded, and has them shown now and then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Protocol

import numpy as np

from ...core.seconds import Seconds
from ...core.signals import Discrete, Vector
from ...results.recorders.base import Column
from .envelope import Envelope
from .frame import LiveFrame, panels_of

FIRST = 0.3  # seconds of waiting until something is shown
EVERY = 0.15  # between two pictures at the least
SHARE = 40  # times what a picture costs lie between two of them: some 3 % of the run
_MANY = 1024  # rows that wait at the most


class Screen(Protocol):
    """Where a live plot is shown."""

    @property
    def takes_terminal(self) -> bool:
        """Whether it draws where a bar of progress would."""

    def show(self, frame: LiveFrame) -> None:
        """Draw, in the place of what was drawn before."""

    def close(self, frame: LiveFrame | None) -> None:
        """Draw for the last time, and leave it there; None if nothing was seen."""


@dataclass(frozen=True, slots=True)
class LiveTitle:
    """What stands over a live plot: the system, its times, and how they are written."""

    system: str
    span: tuple[float, float]
    clock: Seconds = Seconds()


class LiveView:
    """The rows so far, and a screen."""

    def __init__(
        self, columns: Sequence[Column], watched: Sequence[Column], title: LiveTitle, screen: Screen
    ) -> None:
        self._title, self._screen = title, screen
        self._columns = [c for c in watched if c.is_real] + [c for c in watched if not c.is_real]
        reals = [c.name for c in columns if c.is_real]
        others = [c.name for c in columns if not c.is_real]
        self._reals = np.array([reals.index(c.name) for c in self._columns if c.is_real], int)
        self._others = [others.index(c.name) for c in self._columns if not c.is_real]
        self._envelope = Envelope(len(self._columns))
        self._times: list[float] = []
        self._rows: list[Vector] = []
        self._discrete: list[tuple[Discrete, ...]] = []
        self._last: float | None = None
        self._next, self._opened = perf_counter() + FIRST, False

    def row(self, time: float, reals: Vector, discrete: tuple[Discrete, ...]) -> None:
        """One row, which nobody changes afterwards."""
        self._times.append(time)
        self._rows.append(reals)
        self._discrete.append(discrete)
        if perf_counter() >= self._next:
            self._show()
        elif len(self._times) >= _MANY:
            self._take_in()

    def block(self, times: Vector, reals: Vector, discrete: tuple[Discrete, ...]) -> None:
        """Many rows at once."""
        if not len(times):
            return
        self._take_in()
        values = [reals[:, self._reals]]
        if self._others:
            held = np.array([[float(discrete[k]) for k in self._others]])
            values.append(np.repeat(held, len(times), axis=0))
        self._envelope.add(times, np.concatenate(values, axis=1))
        self._last = float(times[-1])
        if perf_counter() >= self._next:
            self._show()

    def close(self) -> None:
        """The last picture."""
        self._take_in()
        self._screen.close(None if self._last is None else self._frame(self._last))

    def _take_in(self) -> None:
        if not self._times:
            return
        values: list[Any] = [np.array(self._rows)[:, self._reals]]
        if self._others:
            rows = [[float(row[k]) for k in self._others] for row in self._discrete]
            values.append(np.array(rows))
        self._envelope.add(np.array(self._times), np.concatenate(values, axis=1))
        self._last = self._times[-1]
        self._times, self._rows, self._discrete = [], [], []

    def _show(self) -> None:
        begin = perf_counter()
        self._take_in()
        if self._last is not None:
            self._screen.show(self._frame(self._last))
        cost = perf_counter() - begin
        pause = SHARE * cost if self._opened else 0.0  # to open a screen takes longer, but once
        self._next, self._opened = begin + cost + max(EVERY, pause), True

    def _frame(self, time: float) -> LiveFrame:
        title = self._title
        panels = panels_of(self._columns, self._envelope)
        return LiveFrame(title.system, title.span, time, panels, title.clock)
