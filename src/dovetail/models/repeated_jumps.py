"""The jumps of data that repeat themselves for ever, in both directions of time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

_CYCLES = 2**31  # on each side of the data


@dataclass(frozen=True, slots=True)
class RepeatedJumps(Sequence[float]):
    """An increasing sequence of times: those of one period, over and over.

    `once` are the jumps from the start of the data up to, but not at, its end. They are computed
    when they are asked for.
    """

    once: tuple[float, ...]
    period: float

    def __len__(self) -> int:
        return 2 * _CYCLES * len(self.once)

    @overload
    def __getitem__(self, place: int) -> float: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[float, ...]: ...
    def __getitem__(self, place: int | slice) -> float | tuple[float, ...]:
        if isinstance(place, slice):
            return tuple(self[k] for k in range(*place.indices(len(self))))
        cycle, k = divmod(place if place >= 0 else place + len(self), len(self.once))
        return self.once[k] + (cycle - _CYCLES) * self.period
