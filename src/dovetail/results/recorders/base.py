"""What is kept of a run: columns, the recorder that fills them, the table they end up in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ...core.description import Kind
from ...core.errors import OptionError
from ...core.signals import Discrete, Vector

Array = NDArray[Any]
TIME = "time"  # the name of the first column of every table


@dataclass(frozen=True, slots=True)
class Column:
    """One variable that is recorded."""

    name: str
    kind: Kind = Kind.REAL
    unit: str | None = None

    @property
    def is_real(self) -> bool:
        """Whether it travels among the reals."""
        return self.kind is Kind.REAL


class Recorder(Protocol):
    """Where the rows of a run go. A frozen option object; one may serve many runs."""

    def open(self, columns: Sequence[Column]) -> Recording:
        """Begin a recording. What can be refused is refused here."""

    def reopen(self, columns: Sequence[Column], position: Mapping[str, Any]) -> Recording:
        """Go on with a recording from a checkpoint; rows after that position are dropped."""


class TakesRows(Protocol):
    """Rows go there as a run makes them."""

    def row(self, time: float, reals: Vector, discrete: tuple[Discrete, ...]) -> None:
        """Keep one row: the real columns in their order, the others in theirs.

        Two rows may have the same time: left and right of an event.
        """

    def block(self, times: Vector, reals: Vector, discrete: tuple[Discrete, ...] = ()) -> None:
        """Keep many rows at once, one line of `reals` each; discrete values are held."""


class Recording(TakesRows, Protocol):
    """A recording in progress."""

    @property
    def rows(self) -> int:
        """How many rows it has so far."""

    def position(self) -> dict[str, Any]:
        """Where the recording stands, for a checkpoint: JSON values, bytes and arrays."""

    def close(self, facts: Mapping[str, Any]) -> RecordedTable:
        """End the recording, however the run ended, and attach what is known about it."""


@runtime_checkable
class SupportsLending(Protocol):
    """A recording whose memory can be written to directly."""

    def lend(self, rows: int) -> Vector:
        """Lines to write time and reals into: at least one, at the most `rows`."""

    def keep(self, rows: int) -> None:
        """So many of the lines that were lent are filled; there are no discrete values."""


@runtime_checkable
class SupportsIntermediate(Protocol):
    """A recording that keeps what parts showed inside their windows, on times of their own."""

    def show(self, inside: Mapping[str, RecordedTable]) -> None:
        """These are to be kept at the end, by part; comes right before `close`."""


class RecordedTable(Protocol):
    """Recorded columns, each read when it is asked for."""

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns besides time."""

    @property
    def facts(self) -> Mapping[str, Any]:
        """What is known about the run: JSON values by name."""

    @property
    def rows(self) -> int:
        """How many rows there are."""

    @property
    def time(self) -> Vector:
        """The time of each row."""

    def __getitem__(self, name: str) -> Array:
        """One column: float64, int64, bool, or objects for strings and binaries. Read-only."""

    def last(self) -> dict[str, Any]:
        """The last row, as plain Python values by name; nothing if there are no rows."""

    def batches(self, size: int) -> Iterator[dict[str, Array]]:
        """All columns, time first, in chunks of at most `size` rows."""


def checked(columns: Sequence[Column]) -> tuple[Column, ...]:
    """These columns, if their names can stand side by side."""
    for name, count in Counter(c.name for c in columns).items():
        if name == TIME:
            raise OptionError(
                f"a variable cannot be recorded as '{TIME}': that is the first column"
            )
        if count > 1:
            raise OptionError(f"'{name}' is to be recorded {count} times; once is enough")
    return tuple(columns)


def batch_rows(columns: Sequence[Column], budget: int = 2**25) -> int:
    """How many rows fit into a budget of bytes; never less than one."""
    return max(1, budget // (8 * (1 + len(columns))))


def regrouped(chunks: Iterable[dict[str, Array]], size: int) -> Iterator[dict[str, Array]]:
    """The same rows in chunks of `size`; only the last may be smaller."""
    waiting: list[dict[str, Array]] = []
    rows = 0
    for chunk in chunks:
        waiting.append(chunk)
        rows += len(chunk[TIME])
        while rows >= size:
            whole = _joined(waiting)
            yield {name: array[:size] for name, array in whole.items()}
            rows -= size
            waiting = [{name: array[size:] for name, array in whole.items()}] if rows else []
    if rows:
        yield _joined(waiting)


def _joined(chunks: list[dict[str, Array]]) -> dict[str, Array]:
    if len(chunks) == 1:
        return chunks[0]
    return {name: np.concatenate([chunk[name] for chunk in chunks]) for name in chunks[0]}
