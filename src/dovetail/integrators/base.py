"""Equations, the way through them, and what goes wrong on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, ParamSpec, Protocol, TypeVar, runtime_checkable

import numpy as np

from ..core.signals import Vector
from ..core.statistics import Effort
from .flow import Flow
from .sums import BY_BLAS, Sums

_P = ParamSpec("_P")
_R = TypeVar("_R")


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """x' = rates(t, x), with what else is known of it.

    The functions may hand out the same array again and again: it is read at once. `crossings`
    are functions of time and state; where one of them changes sign there is an event.
    `completed` is called at the end of every step; True asks for an event there. `nominal` is
    the usual size of each state: absolute tolerances count in it. `jacobian` is a matrix, or a
    sparse one with the entries of `pattern`. `into` is `rates` once more, where there is a
    quicker way: from one whole array of doubles into another; it says whether all are finite.
    `flow` is all of it for native code. `sums` is how explicit methods of several stages add up.
    """

    rates: Callable[[float, Vector], Vector]
    jacobian: Callable[[float, Vector], Any] | None = None
    crossings: Callable[[float, Vector], Vector] | None = None
    completed: Callable[[float, Vector], bool] | None = None
    nominal: Vector | None = None
    pattern: Any = None
    into: Callable[[float, Vector, Vector], bool] | None = None
    flow: Flow | None = None
    sums: Sums = BY_BLAS

    def absolute(self, atol: float) -> float | Vector:
        """The absolute tolerance of each state."""
        return atol if self.nominal is None else atol * self.nominal


@dataclass(frozen=True, slots=True, eq=False)
class Arc:
    """Where an integration ended: at its stop, exactly, or earlier, at an event.

    `signs` and `next_size` are all that a run leaves behind. Given to the next one, it goes on
    as if nothing had been between.
    """

    time: float
    state: Vector
    crossed: tuple[int, ...] = ()  # which crossings changed sign at `time`
    rising: tuple[bool, ...] = ()  # for each of those: from below
    signs: tuple[int, ...] = ()  # the side each crossing is on; 0: it stands at zero
    next_size: float | None = None  # what to try next
    asked: bool = False  # `completed` asked for an event at `time`
    steps: int = 0
    evaluations: int = 0  # of rates
    rejected: int = 0
    effort: Effort | None = None  # more counts, of methods that solve equations

    @property
    def spent(self) -> Effort:
        """All counts, of whatever method."""
        return self.effort or Effort(self.steps, self.evaluations)


class Integrator(Protocol):
    """Follows x' = rates(t, x). A frozen option object: it serves every part and thread.

    The state given is left alone and the one handed back is new. Nothing is evaluated beyond
    `stop`. NumPy's warnings of overflows and invalid values are off: a trial step may meet them
    and be rejected. A run that cannot go on raises `IntegrationFailed`.
    """

    def run(
        self,
        problem: Problem,
        start: float,
        state: Vector,
        stop: float,
        *,
        first_size: float | None = None,
        signs: tuple[int, ...] = (),
    ) -> Arc:
        """Go from `start` to `stop`, or to the first event on the way."""


class Follower(Protocol):
    """An integrator in the hands of one part; it may go on where its last run ended."""

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
        """As `Integrator.run`; `going_on`: the equations are those of the last run."""

    def memory(self) -> Any:
        """What its next run depends on beside the state, as plain values; None for most."""

    def recall(self, memory: Any) -> None:
        """Go on as it would have with this memory; its part was put elsewhere."""


@runtime_checkable
class SupportsFollowing(Protocol):
    """An integrator that keeps something from run to run, apart for every part."""

    def follower(self) -> Follower:
        """It, in the hands of one part."""


class IntegrationFailed(Exception):
    """An integration that could not go on."""

    def __init__(self, time: float, reason: str, remedy: str = "") -> None:
        super().__init__(time, reason, remedy)
        self.time = time
        self.reason = reason
        self.remedy = remedy

    def __str__(self) -> str:
        text = f"{self.reason} at t = {self.time:.9g} s"
        return f"{text}; {self.remedy}" if self.remedy else text


def quiet() -> np.errstate:
    """No warnings of NumPy: a step may leave the domain of the equations and be rejected."""
    return np.errstate(over="ignore", invalid="ignore")


def quietly(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """A function in which NumPy gives no such warnings."""

    @wraps(function)
    def quieted(*arguments: _P.args, **named: _P.kwargs) -> _R:
        with quiet():
            return function(*arguments, **named)

    return quieted


def not_finite(time: float) -> IntegrationFailed:
    """The message where the equations return NaN or Inf."""
    return IntegrationFailed(
        time,
        "the rates of change are not finite",
        "look there for a division by zero, a root or logarithm of a negative number, "
        "or a solution that grows without bound",
    )


def too_small(time: float, size: float, remedy: str) -> IntegrationFailed:
    """What to say where steps shrink to nothing."""
    return IntegrationFailed(time, f"the step size fell below {size:.1g} s", remedy)


def too_many(time: float, steps: int, remedy: str) -> IntegrationFailed:
    """What to say where there is no end of steps."""
    return IntegrationFailed(time, f"the solver gave up after {steps} steps", remedy)
