"""How a run begins and ends, with any method."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import inf
from typing import Any, NamedTuple

import numpy as np

from ..core.options import check_number, check_whole
from ..core.signals import Vector
from ..core.statistics import Effort
from .base import Arc, Problem
from .events import Watch


class Stretch(NamedTuple):
    """What lies before a run: from `start`, with the state `x`, to a later `stop`."""

    problem: Problem
    start: float
    x: Vector  # an array of its own, which may be kept
    stop: float
    watch: Watch | None
    first_size: float | None
    going_on: bool


class Run(ABC):
    """The `run` of every method: `_follow` takes the steps.

    A method that starts from nothing every time is its own follower.
    """

    __slots__ = ()

    def run(
        self,
        problem: Problem,
        start: float,
        state: Vector,
        stop: float,
        *,
        first_size: float | None = None,
        signs: tuple[int, ...] = (),
        going_on: bool = False,
    ) -> Arc:
        """Go from `start` to `stop`, or to the first event on the way."""
        x = np.array(state, dtype=float)
        watch, done = begin(problem, start, x, stop, first_size, signs)
        if done is not None:
            return done
        return self._follow(Stretch(problem, start, x, stop, watch, first_size, going_on))

    def memory(self) -> Any:  # noqa: B027  # followers that keep something say more
        """Nothing is kept from run to run."""

    def recall(self, memory: Any) -> None:  # noqa: B027
        """Nothing is kept from run to run."""

    @abstractmethod
    def _follow(self, stretch: Stretch) -> Arc:
        """All steps."""


@dataclass(frozen=True, slots=True)
class Tolerances:
    """The options of methods that choose their steps by an error."""

    rtol: float = 1e-6
    atol: float = 1e-9
    max_size: float = inf
    max_steps: int = 100_000

    def __post_init__(self) -> None:
        for name in ("rtol", "atol"):
            check_number(name, getattr(self, name))
        check_number("max_size", self.max_size, endless=True)
        check_whole("max_steps", self.max_steps)
        if not (1e-13 <= self.rtol < 1):
            raise ValueError(f"rtol must be between 1e-13 and 1, not {self.rtol!r}")
        for name in ("atol", "max_size"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be above zero, not {getattr(self, name)!r}")


def begin(
    problem: Problem,
    start: float,
    state: Vector,
    stop: float,
    first_size: float | None,
    signs: tuple[int, ...],
) -> tuple[Watch | None, Arc | None]:
    """A watch over the crossings, if there are any, and a run that is over before it starts."""
    if first_size is not None and not first_size > 0:
        raise ValueError(f"first_size must be above zero, not {first_size!r}")
    watch = None
    if problem.crossings is not None or problem.completed is not None:
        watch = Watch(problem.crossings, start, state, signs, problem.completed)
        event = watch.at_start()
        if event:
            return watch, event.arc(first_size, 0, 0, 0)
    if start < stop:
        return watch, None
    if start != stop:
        raise ValueError(f"a run cannot go from {start} s back to {stop} s")
    return watch, arrived(stop, state, watch, first_size)


def arrived(
    stop: float,
    state: Vector,
    watch: Watch | None,
    next_size: float | None = None,
    steps: int = 0,
    evaluations: int = 0,
    rejected: int = 0,
    effort: Effort | None = None,
) -> Arc:
    """A run that came to its stop."""
    signs = watch.signs if watch else ()
    counts = steps, evaluations, rejected, effort
    return Arc(stop, state, (), (), signs, next_size, False, *counts)


def still(watch: Watch | None, x: Vector, stop: float) -> Arc:
    """Time passes, and there is nothing to integrate; crossings may still come of it."""
    event = watch and watch.step(stop, x, lambda t: x)
    if event:
        return event.arc(None, 0, 0, 0)
    return arrived(stop, x, watch)
