"""The rows of a run that goes on, read from where it writes them: the run does nothing for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..core.description import Kind
from ..core.errors import DovetailError
from ..results.files.remains import Remains
from ..results.reading import read
from ..results.recorders.base import TIME, Column
from ..results.result import Result
from .curves import BUCKETS, Curves, Numbers, thinned
from .plain import plain

_MOST_SIGNALS = 5000  # that are followed while a run goes on


class RunFeed:
    """Follows the file of a run; `path` is what it becomes in the end."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.curves: Curves | None = None
        self.units: dict[str, str] = {}
        self.kinds: dict[str, str] = {}  # of signals that are no reals
        self.last: dict[str, Any] = {}
        self.is_broken = ""

    @property
    def rows(self) -> int:
        """How many rows were seen so far."""
        return 0 if self.curves is None else self.curves.rows

    def look(self) -> bool:
        """Take in what is new; whether there was any."""
        try:
            remains = Remains(self.path)
        except (DovetailError, OSError):
            return False  # not begun yet, or over
        if self.curves is None:
            shown = [c for c in remains.columns if c.kind not in (Kind.STRING, Kind.BINARY)]
            shown = shown[:_MOST_SIGNALS]
            self.units = {c.name: c.unit for c in shown if c.unit}
            self.kinds = _kinds(shown)
            self.curves = Curves([c.name for c in shown])
        found, curves = False, self.curves
        try:
            for group in remains.since(curves.rows):
                if len(group[TIME]):
                    columns = {n: np.asarray(group[n], float) for n in curves.names}
                    curves.add(np.asarray(group[TIME], float), _beside(columns, len(group[TIME])))
                    self.last = {n: plain(float(c[-1])) for n, c in columns.items()}
                    found = True
        except (DovetailError, OSError) as error:
            self.is_broken = str(error)
        return found

    def shown(self, names: list[str]) -> tuple[Numbers, Numbers]:
        """What a plot shows of these signals so far."""
        if self.curves is None:
            return np.zeros(0), np.zeros((0, 0))
        return self.curves.shown([n for n in names if n in self.curves.names])


def recorded(path: Path) -> Result:
    """What a run has written: its file, or the rows so far."""
    return read(path) if path.exists() else read(path.with_name(path.name + ".rows"))


def is_number(table: Result, name: str) -> bool:
    """Whether a recording has this signal, and numbers for it."""
    return name in table and table.column(name).kind not in (Kind.STRING, Kind.BINARY)


def part_of(
    path: Path, names: list[str], begin: float, end: float, buckets: int = BUCKETS,
    *, whole_rows: bool = False,
) -> tuple[Numbers, Numbers]:  # fmt: skip
    """A stretch of a recording as a plot of so many buckets shows it: exact, if rows are few.

    With `whole_rows` values of one time stay together, for x-y plots: of many rows every n-th.
    Signals that were not recorded, and texts, are NaN.
    """
    table = recorded(path)
    time = np.asarray(table.time, float)
    first = max(0, int(np.searchsorted(time, begin, "left")) - 1)
    last = int(np.searchsorted(time, end, "right")) + 1
    times = time[first:last]
    columns = [
        np.asarray(table[n][first:last], float)
        if is_number(table, n)
        else np.full(len(times), np.nan)
        for n in names
    ]
    lines = np.stack(columns) if columns else np.zeros((0, len(times)))
    if whole_rows:
        every = max(1, -(-len(times) // (2 * buckets)))
        return times[::every], lines[:, ::every].copy()
    return thinned(times, lines, buckets)


def finished_feed(path: Path) -> RunFeed:
    """The feed of a run whose file is complete."""
    table, feed = read(path), RunFeed(path)
    shown = [c for c in map(table.column, table) if c.kind not in (Kind.STRING, Kind.BINARY)]
    shown = shown[:_MOST_SIGNALS]
    feed.units = {c.name: c.unit for c in shown if c.unit}
    feed.kinds = _kinds(shown)
    feed.curves = Curves([c.name for c in shown])
    time, step = np.asarray(table.time, float), 2**16
    columns = {c.name: np.asarray(table[c.name], float) for c in shown}
    for k in range(0, len(time), step):
        moments = time[k : k + step]
        chunk = {name: column[k : k + step] for name, column in columns.items()}
        feed.curves.add(moments, _beside(chunk, len(moments)))
    feed.last = {n: plain(float(c[-1])) for n, c in columns.items() if len(c)}
    return feed


def _kinds(columns: Sequence[Column]) -> dict[str, str]:
    return {c.name: str(c.kind) for c in columns if not c.is_real}


def _beside(columns: Mapping[str, Numbers], rows: int) -> Numbers:
    """Columns as one array, a line for each row."""
    return np.stack(list(columns.values()), axis=1) if columns else np.zeros((rows, 0))
