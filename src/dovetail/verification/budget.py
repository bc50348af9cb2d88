"""How much a companion may cost: so many times what the run has cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from mmap import mmap
from struct import pack_into, unpack_from
from typing import Any

from ..core.errors import DovetailError
from ..core.signals import Discrete, Vector
from ..results.recorders import Memory
from ..results.recorders.base import Column, Recording
from ..results.recorders.watched import WatchedRecording

_TIMES = 4  # the evaluations of the run
_LEAST = 1000  # evaluations are never too many


class OverBudget(DovetailError):
    """A companion costs more than it may."""

    def __str__(self) -> str:
        much = f"it took more than {_TIMES} times the evaluations of the run"
        return f"{much}; verify='companion' lets it take as many as it needs"


class Budget:
    """How many evaluations there may be: any number until the run is at its end and has told.

    It is told in memory that a child shares with the process it was made from.
    """

    def __init__(self) -> None:
        self._shared = mmap(-1, 8)
        self._put(inf)

    @property
    def most(self) -> float:
        """So many evaluations of parts."""
        found: float = unpack_from("d", self._shared)[0]
        return found

    def tell(self, evaluations: int) -> None:
        """So many has the run taken."""
        self._put(max(_TIMES * evaluations, _LEAST))

    def _put(self, most: float) -> None:
        pack_into("d", self._shared, 0, most)


@dataclass(frozen=True, slots=True, eq=False)
class BudgetedRecorder:
    """Keeps rows in memory, and lets somebody look at the cost with each of them."""

    check: Callable[[], None]

    def open(self, columns: Sequence[Column]) -> WatchedRecording:
        """Begin a recording."""
        width = 1 + sum(c.is_real for c in columns)
        return WatchedRecording(Memory().open(columns), width, _Look(self.check))

    def reopen(self, columns: Sequence[Column], position: Mapping[str, Any]) -> Recording:
        """Go on from a checkpoint."""
        return Memory().reopen(columns, position)


@dataclass(frozen=True, slots=True, eq=False)
class _Look:
    check: Callable[[], None]

    def row(self, time: float, reals: Vector, discrete: tuple[Discrete, ...]) -> None:
        """One row."""
        self.check()

    def block(self, times: Vector, reals: Vector, discrete: tuple[Discrete, ...]) -> None:
        """Many rows at once."""
        self.check()
