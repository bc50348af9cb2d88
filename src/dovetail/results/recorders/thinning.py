"""Rows that say nothing new are left out, within a bound."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...core.errors import OptionError
from ...core.options import check_method, check_number
from ...core.signals import Discrete, Vector
from .base import Column, RecordedTable, Recorder, Recording, SupportsIntermediate
from .memory import Memory

Row = tuple[float, Vector, tuple[Discrete, ...]]


@dataclass(frozen=True, slots=True)
class Thinning:
    """Leaves out rows that straight lines between the others represent as well.

    Guaranteed for every real variable of every row left out: the line between the rows around
    it is off by at most `atol` + `rtol` times the value. A swinging door for each variable; a row
    stays as soon as one of the doors closes, or a discrete value changes, or an event is there.
    The bound is written into the result, as `thinned` among its facts.
    """

    rtol: float = 1e-3
    atol: float = 1e-6
    recorder: Recorder = field(default=Memory())

    def __post_init__(self) -> None:
        check_number("rtol", self.rtol, least=0)
        check_number("atol", self.atol, least=0)
        if not self.rtol + self.atol > 0:
            raise OptionError("rtol and atol must not both be zero")
        check_method("recorder", self.recorder, "open", "dv.Memory()")

    def open(self, columns: Sequence[Column]) -> ThinningRecording:
        """Begin a recording."""
        return ThinningRecording(self, self.recorder.open(columns))

    def reopen(self, columns: Sequence[Column], position: Mapping[str, Any]) -> ThinningRecording:
        """Go on from a checkpoint."""
        if "thinned" not in position:
            what = "resume with the recorder that the run had"
            raise OptionError(f"the checkpoint knows of no thinned rows; {what}")
        recording = ThinningRecording(self, self.recorder.reopen(columns, position["inner"]))
        recording.restore(position["thinned"])
        return recording


class ThinningRecording:
    """The last row that was kept, the newest one, and the doors between them."""

    def __init__(self, options: Thinning, inner: Recording) -> None:
        self.options, self.inner = options, inner
        self.anchor: Row | None = None
        self.newest: Row | None = None  # not kept yet
        self.seen = 0
        self.low = self.high = np.zeros(0)  # slopes that still represent all rows left out

    @property
    def rows(self) -> int:
        """How many rows it has so far, the newest included."""
        return self.inner.rows + (self.newest is not None)

    def row(self, time: float, reals: Vector, discrete: tuple[Discrete, ...]) -> None:
        """Keep the row before, if lines through this one would not represent it."""
        self.seen += 1
        row = (time, reals.copy(), discrete)
        if self.anchor is None:
            self._keep(row)
            return
        if self.newest is None:
            before = self.anchor
        else:
            before = self.newest
            if time == before[0] or discrete != before[2] or not self._told(row):
                self._keep(before)
        if time == before[0]:  # right of an event: where the next lines begin
            self._keep(row)
            return
        if discrete != before[2]:  # a line must not run across a change
            self._keep(row)
            return
        self.newest = row
        self._swing(row)

    def block(self, times: Vector, reals: Vector, discrete: tuple[Discrete, ...] = ()) -> None:
        """Keep those of many rows that are needed."""
        for time, line in zip(times.tolist(), reals, strict=True):
            self.row(time, line, discrete)

    def position(self) -> dict[str, Any]:
        """Where the recording stands."""
        state = (self.anchor, self.newest, self.low, self.high, self.seen)
        return {"inner": self.inner.position(), "thinned": state}

    def restore(self, state: tuple[Any, ...]) -> None:
        """Go on from there."""
        self.anchor, self.newest, self.low, self.high, self.seen = state

    def show(self, inside: Mapping[str, RecordedTable]) -> None:
        """Handed on as it is."""
        if isinstance(self.inner, SupportsIntermediate):
            self.inner.show(inside)

    def close(self, facts: Mapping[str, Any]) -> RecordedTable:
        """The last row is always kept."""
        if self.newest is not None:
            self._keep(self.newest)
        o = self.options
        bound = f"off by at most {o.atol:g} + {o.rtol:g} |value| between rows"
        summary = {"rtol": o.rtol, "atol": o.atol, "bound": bound, "rows": self.seen}
        return self.inner.close({**facts, "thinned": summary})

    def _keep(self, row: Row) -> None:
        self.inner.row(*row)
        self.anchor, self.newest = row, None
        self.low = np.full(row[1].size, -np.inf)
        self.high = np.full(row[1].size, np.inf)

    def _told(self, row: Row) -> bool:
        """Whether the line from the last row kept to this one represents all rows between them."""
        assert self.anchor is not None
        slope = (row[1] - self.anchor[1]) / (row[0] - self.anchor[0])
        return bool(np.all((slope >= self.low) & (slope <= self.high)))

    def _swing(self, row: Row) -> None:
        """Close the doors as far as this row wants it."""
        assert self.anchor is not None
        time, values, _ = row
        bound = self.options.atol + self.options.rtol * np.abs(values)
        rise, size = values - self.anchor[1], time - self.anchor[0]
        np.maximum(self.low, (rise - bound) / size, out=self.low)
        np.minimum(self.high, (rise + bound) / size, out=self.high)
