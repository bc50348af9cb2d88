"""Where a study is kept: one file of SQLite, in which a run is whole or not at all.

Signals lie beside the index, a block of numbers for each run. Files of columns for a thousand runs
each would be smaller by a little, and would need a way of their own to survive a kill.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np

from ..core.errors import FileError, RunError
from ..core.signals import Vector
from .outcome import RunOutcome

FILE = "study.db"
_FORMAT = 1
_EVERY = 0.2  # seconds between two writes to disk
_TABLES = """
CREATE TABLE IF NOT EXISTS about (name TEXT PRIMARY KEY, value TEXT);
CREATE TABLE IF NOT EXISTS signals (id INTEGER PRIMARY KEY, names TEXT UNIQUE);
CREATE TABLE IF NOT EXISTS runs (
  key TEXT PRIMARY KEY, status TEXT, verdict TEXT, error REAL, evaluations INTEGER,
  windows INTEGER, seconds REAL, reason TEXT, names INTEGER, numbers BLOB);
CREATE TABLE IF NOT EXISTS points (number INTEGER PRIMARY KEY, key TEXT);
"""
_FACTS = ("status", "verdict", "error", "evaluations", "windows", "seconds", "reason")


class StudyNotWritten(RunError):
    """What was computed can no longer be kept, as on a full disk; what was kept is there."""


class Store:
    """A folder with the runs of studies, by key, and the last study made of them."""

    def __init__(self, folder: Path, *, create: bool) -> None:
        self.folder, self.path = folder, folder / FILE
        self._lock: sqlite3.Connection | None = None
        self._names: dict[tuple[str, ...], int] = {}
        self._written = monotonic()
        if create:
            _make(folder)
        elif not self.path.is_file():
            raise FileError(folder, "there is no study here", "dv.sweep(..., store=...) makes one")
        with self._reading():
            self._db = sqlite3.connect(self.path, isolation_level=None)
            if create:
                self._db.execute("PRAGMA journal_mode=WAL")
                self._db.execute("PRAGMA synchronous=NORMAL")
                self._db.executescript(_TABLES)
            kept = self.about("format")
        if kept is None and create:
            self.tell("format", _FORMAT)
        elif kept != _FORMAT:
            what = f"this study has format {kept}, which this version cannot read"
            raise FileError(self.path, what, "give another folder")

    # writing --------------------------------------------------------------------------------------

    def take(self) -> None:
        """Nobody else may write from now on."""
        lock = sqlite3.connect(self.folder / "study.lock", timeout=0, isolation_level=None)
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError:
            lock.close()
            what = "another study is being made in this folder"
            raise FileError(self.folder, what, "wait for it, or give another folder") from None
        self._lock = lock

    def tell(self, name: str, value: Any) -> None:
        """Keep something about the study."""
        with self._writing():
            text = json.dumps(value)
            self._db.execute("INSERT OR REPLACE INTO about VALUES (?, ?)", (name, text))

    def number(self, keys: Iterable[str]) -> None:
        """Which run has which number in the study that is made now."""
        with self._writing():
            self._db.execute("BEGIN")
            self._db.execute("DELETE FROM points")
            self._db.executemany("INSERT INTO points VALUES (?, ?)", enumerate(keys))
            self._db.execute("COMMIT")

    def keep(self, key: str, outcome: RunOutcome) -> None:
        """One run; on disk within a fraction of a second, and whole."""
        with self._writing():
            if not self._db.in_transaction:
                self._db.execute("BEGIN")
                self._written = monotonic()
            names = self._id_of(outcome.names)
            numbers = None if outcome.signals is None else outcome.signals.tobytes()
            facts = outcome.facts()
            row = (key, *(facts[name] for name in _FACTS), names, numbers)
            self._db.execute(f"INSERT OR REPLACE INTO runs VALUES ({','.join('?' * 10)})", row)
            if monotonic() - self._written > _EVERY:
                self._db.execute("COMMIT")

    def commit(self) -> None:
        """All that was kept is on disk."""
        with self._writing():
            if self._db.in_transaction:
                self._db.execute("COMMIT")

    def settle(self) -> None:
        """All that was kept is on disk, and others may write."""
        try:
            self.commit()
        finally:
            if self._lock is not None:
                self._lock.close()
                self._lock = None

    def close(self) -> None:
        """No more is written or read."""
        try:
            self.settle()
        finally:
            self._db.close()

    def _id_of(self, names: tuple[str, ...]) -> int:
        if names not in self._names:
            text = json.dumps(names)
            self._db.execute("INSERT OR IGNORE INTO signals (names) VALUES (?)", (text,))
            found = self._db.execute("SELECT id FROM signals WHERE names = ?", (text,)).fetchone()
            self._names[names] = found[0]
        return self._names[names]

    # reading --------------------------------------------------------------------------------------

    def about(self, name: str) -> Any:
        """What was kept about the study, or None."""
        with self._reading():
            found = self._db.execute("SELECT value FROM about WHERE name = ?", (name,)).fetchone()
            return None if found is None else json.loads(found[0])

    def known(self) -> set[str]:
        """The keys of all runs that need not be made again."""
        with self._reading():
            done = "SELECT key FROM runs WHERE status IN ('done', 'failed', 'refused', 'crashed')"
            return {key for (key,) in self._db.execute(done)}

    def keys(self) -> list[str]:
        """By number, the keys of the study."""
        with self._reading():
            found = self._db.execute("SELECT key FROM points ORDER BY number")
            return [key for (key,) in found]

    def facts(self) -> list[tuple[Any, ...] | None]:
        """By number: status, verdict, error, evaluations, windows, seconds, reason."""
        chosen = ", ".join(f"runs.{name}" for name in _FACTS)
        joined = "FROM points LEFT JOIN runs ON points.key = runs.key ORDER BY points.number"
        with self._reading():
            rows = self._db.execute(f"SELECT runs.key, {chosen} {joined}")
            return [None if key is None else _with_nan(facts) for key, *facts in rows]

    def names(self) -> list[str]:
        """Every signal that any run of the study has."""
        with self._reading():
            rows = self._db.execute(
                "SELECT DISTINCT signals.id, signals.names FROM points JOIN runs ON "
                "points.key = runs.key JOIN signals ON runs.names = signals.id ORDER BY signals.id"
            )
            return list(dict.fromkeys(name for _, text in rows for name in json.loads(text)))

    def signals(
        self, wanted: Sequence[str], times: int, numbers: tuple[int, int] | None = None
    ) -> Iterator[tuple[int, Vector]]:
        """By number: a row of values for each wanted name, NaN where a run does not have it."""
        first, last = numbers or (0, 1 << 62)
        layouts = self._layouts(wanted)
        with self._reading():
            rows = self._db.execute(
                "SELECT points.number, runs.names, runs.numbers FROM points JOIN runs ON "
                "points.key = runs.key WHERE runs.numbers IS NOT NULL AND points.number >= ? AND "
                "points.number < ?",
                (first, last),
            )
            for number, layout, block in rows:
                here, count = layouts[layout]
                values = np.frombuffer(block, dtype=float).reshape(count, times)
                yield number, np.array([_row(values, k, times) for k in here])

    def _layouts(self, wanted: Sequence[str]) -> dict[int, tuple[list[int | None], int]]:
        with self._reading():
            rows = self._db.execute("SELECT id, names FROM signals").fetchall()
        found = {}
        for number, text in rows:
            names = json.loads(text)
            places = {name: k for k, name in enumerate(names)}
            found[number] = [places.get(name) for name in wanted], len(names)
        return found

    # what may go wrong ----------------------------------------------------------------------------

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            what = f"{self.path}: the study can no longer be written ({error})"
            way_out = "what was kept is there; make room and run the same call again"
            raise StudyNotWritten(f"{what}; {way_out}") from error

    @contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            raise FileError(self.path, f"the study cannot be read ({error})") from error
        except (sqlite3.Error, ValueError, KeyError, TypeError) as error:
            what = f"this is no study, or it is damaged ({error})"
            raise FileError(self.path, what, "give another folder") from error


def _row(values: Vector, k: int | None, times: int) -> Vector:
    return np.full(times, np.nan) if k is None else values[k]


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        what = f"no folder can be made here: {(error.strerror or str(error)).lower()}"
        raise FileError(folder, what, "give another place") from None


def _with_nan(facts: list[Any]) -> tuple[Any, ...]:
    """SQLite keeps NaN as nothing."""
    return tuple(float("nan") if fact is None else fact for fact in facts)
