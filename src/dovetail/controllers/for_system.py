"""What a controller that knows its system has from the one that the user made."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from ..assembly.segment import Segment
from ..core.errors import OptionError
from ..core.window import Window
from .base import Accept, Branch, Controller, Decision, GiveUp, chooses, varies
from .shrinking import in_vain

Options = TypeVar("Options", bound=Controller)
Bounded = TypeVar("Bounded", bound="WithLeastSize")


class WithLeastSize(Controller, Protocol):
    """A controller below whose least size windows are accepted, whatever they miss."""

    @property
    def min_size(self) -> float:
        """That size."""


@dataclass(frozen=True, slots=True, eq=False)
class Bound(Generic[Options]):
    """A controller for one system. It plans as it did before, and judges with what it knows."""

    options: Options

    @property
    def rejects(self) -> bool:
        """Whether it may say Retry after subsystems have moved, or plans several branches."""
        return self.options.rejects

    @property
    def varies(self) -> bool:
        """Whether parts must take windows of different sizes."""
        return varies(self.options)

    @property
    def chooses(self) -> bool:
        """Whether it chooses sizes as the run goes."""
        return chooses(self.options)

    @property
    def first_size(self) -> float:
        """Size of the first window."""
        return self.options.first_size

    def plan(self, window: Window, state: Any) -> tuple[Branch, ...]:
        """The ways this window is to be run."""
        return self.options.plan(window, state)


class SinglePass:
    """The options of a controller that tries each window once, and judges when it is bound."""

    __slots__ = ()

    rejects: ClassVar[bool] = False
    varies: ClassVar[bool] = True
    chooses: ClassVar[bool] = True

    def plan(self, window: Window, state: Any) -> tuple[Branch, ...]:
        """One branch of one window."""
        return ((window,),)

    def judge(self, window: Window, branches: Sequence[Sequence[Segment]], state: Any) -> Decision:
        """Not before it knows its system."""
        name = type(self).__name__
        raise OptionError(f"dv.{name} must be bound to a system first; give it to a run")


@dataclass(frozen=True, slots=True, eq=False)
class AcceptingController(Bound[Bounded], ABC):
    """One that accepts every window, and stops the run where smaller ones do not help."""

    def judge(self, window: Window, branches: Sequence[Sequence[Segment]], state: Any) -> Decision:
        """Accept, and say how long the next window is."""
        segment = branches[-1][-1]
        if segment.trial.failure:
            return GiveUp(segment.trial.failure)
        accepted = self.accepted(segment, state)
        seen, size = accepted.state, segment.window.size
        if in_vain(seen.shrinking, size, seen.error, self.options.min_size):
            why, remedy = self.reason(seen)
            what = f"{self.limit(seen)} {seen.shrinking.explanation(seen.error, size)}"
            return GiveUp(f"{what}, {why}", remedy)
        return accepted

    @abstractmethod
    def accepted(self, segment: Segment, state: Any) -> Accept:
        """What it makes of a window; its memory has `shrinking` and the last `error`."""

    @abstractmethod
    def reason(self, state: Any) -> tuple[str, str]:
        """Why smaller windows did not help, and what would."""

    @abstractmethod
    def limit(self, state: Any) -> str:
        """What keeps windows small."""
