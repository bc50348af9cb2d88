"""Rows along a grid of times, not one for every window."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import floor
from typing import Any

import numpy as np

from ...core.errors import OptionError
from ...core.options import check_method, check_number, check_truth
from ...core.signals import Discrete, Vector
from .base import Column, RecordedTable, Recorder, Recording, SupportsIntermediate
from .memory import Memory

_SLACK = 1e-6  # of the distance between lines: nearer than that is on a line


@dataclass(frozen=True, slots=True)
class Sampling:
    """Keeps the first row, then the first one on or behind each line of a grid, and the last.

    Lines are `every` seconds apart, counted from the first row. Times are compared with a
    tolerance, so that no row is lost to rounding. With `interpolate` rows lie on the lines
    themselves, linear between the ends of the window around them. With `events` both rows of every
    event are kept as well, wherever they lie.
    """

    every: float
    recorder: Recorder = field(default=Memory())
    interpolate: bool = False
    events: bool = False

    def __post_init__(self) -> None:
        check_number("every", self.every, above=0)
        check_truth("interpolate", self.interpolate)
        check_truth("events", self.events)
        check_method("recorder", self.recorder, "open", "dv.Memory()")

    def open(self, columns: Sequence[Column]) -> SamplingRecording:
        """Begin a recording."""
        return SamplingRecording(self, self.recorder.open(columns))

    def reopen(self, columns: Sequence[Column], position: Mapping[str, Any]) -> SamplingRecording:
        """Go on from a checkpoint."""
        if "sampled" not in position:
            what = "resume with the recorder that the run had"
            raise OptionError(f"the checkpoint knows of no sampled rows; {what}")
        inner = self.recorder.reopen(columns, position["inner"])
        recording = SamplingRecording(self, inner)
        recording.origin, recording.line, recording.last, recording.kept = position["sampled"]
        return recording


Row = tuple[float, Vector, tuple[Discrete, ...]]


class SamplingRecording:
    """Rows that pass, and the newest one, in case it is the last."""

    def __init__(self, options: Sampling, inner: Recording) -> None:
        self.options, self.inner = options, inner
        self.origin: float | None = None
        self.line = 0  # the number of the next line
        self.last: Row | None = None
        self.kept = False  # whether the last row is in the recording already

    @property
    def rows(self) -> int:
        """How many rows it has so far."""
        return self.inner.rows

    def row(self, time: float, reals: Vector, discrete: tuple[Discrete, ...]) -> None:
        """Keep one row, if it is its turn."""
        every = self.options.every
        if self.origin is None:
            self.origin, self.line = time, 1
            self._keep(time, reals, discrete)
        elif self.options.events and self.last is not None and self.last[0] == time:
            if not self.kept:
                self.inner.row(*self.last)
            self._keep(time, reals, discrete)
        elif self.options.interpolate:
            self._fill(time, reals, discrete)
        elif time >= self._at(self.line) - _SLACK * every or self._same_time(time):
            self._keep(time, reals, discrete)
            self.line = max(self.line, floor((time - self.origin) / every + _SLACK) + 1)
        else:
            self.kept = False
        self.last = (time, reals.copy(), discrete)

    def block(self, times: Vector, reals: Vector, discrete: tuple[Discrete, ...] = ()) -> None:
        """Keep those of many rows whose turn it is."""
        for time, line in zip(times.tolist(), reals, strict=True):
            self.row(time, line, discrete)

    def position(self) -> dict[str, Any]:
        """Where the recording stands."""
        state = (self.origin, self.line, self.last, self.kept)
        return {"inner": self.inner.position(), "sampled": state}

    def show(self, inside: Mapping[str, RecordedTable]) -> None:
        """Handed on as it is."""
        if isinstance(self.inner, SupportsIntermediate):
            self.inner.show(inside)

    def close(self, facts: Mapping[str, Any]) -> RecordedTable:
        """The last row is always kept."""
        if self.last is not None and not self.kept:
            self.inner.row(*self.last)
        return self.inner.close({**facts, "sampled": self.options.every})

    def _at(self, line: int) -> float:
        assert self.origin is not None
        return self.origin + line * self.options.every

    def _same_time(self, time: float) -> bool:
        """Right of an event whose left row was kept."""
        return self.kept and self.last is not None and self.last[0] == time

    def _keep(self, time: float, reals: Vector, discrete: tuple[Discrete, ...]) -> None:
        self.inner.row(time, reals, discrete)
        self.kept = True

    def _fill(self, time: float, reals: Vector, discrete: tuple[Discrete, ...]) -> None:
        """Rows on all lines up to this time."""
        assert self.last is not None
        begin, values, held = self.last
        slack = _SLACK * self.options.every
        kept = self._same_time(time)
        if kept:
            self._keep(time, reals, discrete)
        while (at := self._at(self.line)) <= time + slack:
            if at >= time - slack:
                self._keep(time, reals, discrete)
                kept = True
            else:
                share = (at - begin) / (time - begin)
                self.inner.row(at, np.asarray(values + share * (reals - values)), held)
            self.line += 1
        self.kept = kept
