"""Tunable parameters of an FMU that are connected to an output."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.signals import Discrete, Vector
from ...core.values import Value

if TYPE_CHECKING:
    from ..model import Fmu
    from .part import FmuPart

Held = tuple[Vector, tuple[Discrete, ...]]


class Tuner:
    """Sets connected parameters, where their values have changed.

    An FMU may take any setting of a parameter for an event, so one that stays is left alone.
    Twin in C: `native/tuned.c`, which keeps real ones in the same `memory`.
    """

    def __init__(self, part: FmuPart, model: Fmu) -> None:
        self._part = part
        self._channels, _ = part._channels(model.inputs, wanted=lambda v: v.causality != "input")
        self._reals = _places([c.places for c in self._channels if c.is_real])
        self._others = _places([c.places for c in self._channels if not c.is_real]).tolist()
        self.memory = np.zeros(self._reals.size + 1)  # real ones, then 1 if it has any
        self._held: tuple[Discrete, ...] = ()

    @property
    def known(self) -> Held | None:
        """The values that the FMU has."""
        return (self.memory[:-1].copy(), self._held) if self.memory[-1] else None

    @known.setter
    def known(self, known: Held | None) -> None:
        self.memory[-1] = known is not None
        if known is not None:
            self.memory[:-1], self._held = known[0], tuple(known[1])

    def moved(self, reals: Vector) -> bool:
        """Whether real ones differ from what the FMU has."""
        known = self.memory
        return not known[-1] or not np.array_equal(reals[self._reals], known[:-1])

    def write(self, reals: Vector, discrete: Sequence[Discrete]) -> None:
        """Set them, if any has changed."""
        wanted = reals[self._reals], tuple(discrete[k] for k in self._others)
        if not self.moved(reals) and wanted[1] == self._held:
            return
        self._part._hand(self._channels, reals, discrete)
        self.known = wanted


class ChangedParameters:
    """Parameters that were changed by hand: set before a step, if the FMU has others.

    Between a step and the next one nothing may be set that is not to be read before:
    derivatives and linearizations are asked for there.
    """

    def __init__(self, part: FmuPart) -> None:
        self._part = part
        self.wanted: dict[str, Value] = {}
        self.known: dict[str, Value] = {}  # what the FMU has of them

    def write(self) -> None:
        """Set those that are new."""
        known = self.known
        new = {n: v for n, v in self.wanted.items() if not _same(known.get(n), v)}
        if new:
            self._part.give_parameters(new)
            self.known = {**known, **new}


def _same(a: Any, b: Any) -> bool:
    return type(a) is type(b) and bool(np.array_equal(a, b))


def _places(groups: Sequence[Any]) -> Any:
    return np.concatenate([np.zeros(0, dtype=np.intp), *groups])
