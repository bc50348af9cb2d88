"""Deciding how a window is tried, whether it stands, and how long the next one is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from ..assembly.segment import Segment
from ..core.obstacle import Obstacle
from ..core.seconds import Seconds
from ..core.signals import Signals
from ..core.window import Window

if TYPE_CHECKING:
    from ..algorithms.base import Algorithm
    from ..drawing.system import System
    from ..topology.components import Structure

Branch = tuple[Window, ...]


@dataclass(frozen=True, slots=True)
class Accept:
    """Keep the last branch; the next window has this size, or None to go on along the grid.

    `state` is the controller's own memory; it comes back with the next window. `outputs` are
    recorded in place of those at the window's end, where the controller knows better ones.
    `doubtful`: the error was too large, and there was no way to do better; it is counted.
    """

    next_size: float | None = None
    state: Any = None
    outputs: Signals | None = None
    doubtful: bool = False


@dataclass(frozen=True, slots=True)
class Retry:
    """Drop every branch; try a window of this size. `state`, if any, is remembered from here on."""

    size: float
    because: Literal["convergence", "error"]
    state: Any = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class GiveUp:
    """Drop every branch and stop; `remedy` where the controller knows one."""

    reason: str
    remedy: str = ""


Decision = Accept | Retry | GiveUp


class Controller(Protocol):
    """Plans and judges windows; touches no subsystem.

    The last branch is the one that is kept; those before it are run to compare with, each from
    the same start. A segment that fails ends the plan: the judge then sees the segments so far.
    A single branch may end before its window does: the rest is the next window.
    """

    @property
    def rejects(self) -> bool:
        """Whether it may say Retry after subsystems have moved, or plans several branches."""

    @property
    def first_size(self) -> float:
        """Size of the first window."""

    def plan(self, window: Window, state: Any) -> tuple[Branch, ...]:
        """The ways this window is to be run."""

    def judge(self, window: Window, branches: Sequence[Sequence[Segment]], state: Any) -> Decision:
        """Accept, retry or give up."""


@runtime_checkable
class SupportsChoosing(Protocol):
    """A controller that declares whether it chooses sizes as the run goes."""

    @property
    def chooses(self) -> bool:
        """Whether it does, so that they may become hopelessly small."""


@runtime_checkable
class SupportsVarying(Protocol):
    """A controller that declares whether parts must take windows of different sizes."""

    @property
    def varies(self) -> bool:
        """Whether they must."""


@runtime_checkable
class SupportsWatching(Protocol):
    """A controller that need not see all windows, but must see some."""

    def watches(self, state: Any) -> bool:
        """Whether it must see the next window, by its memory."""


@runtime_checkable
class SupportsOrder(Protocol):
    """A controller that uses the order of the algorithm's error."""

    @property
    def order(self) -> int | None:
        """The order; None where it is that of the algorithm, to be filled in."""


@runtime_checkable
class SupportsTolerances(Protocol):
    """A controller with tolerances that an algorithm without its own takes over."""

    @property
    def rtol(self) -> float | None:
        """Relative to the values."""

    @property
    def atol(self) -> float | None:
        """In their units."""


def judges(controller: Controller, native: type) -> Obstacle | None:
    """What stands against native windows of a controller that may not be of the `native` kind."""
    name = type(controller).__name__
    same = type(controller) is native
    return None if same else Obstacle(f"the controller {name} judges each window")


def chooses(controller: Controller) -> bool:
    """Whether it chooses sizes as the run goes; one that does not say is taken to."""
    return controller.chooses if isinstance(controller, SupportsChoosing) else True


def varies(controller: Controller) -> bool:
    """Whether sizes differ; one that does not say varies them if it rejects windows."""
    return controller.varies if isinstance(controller, SupportsVarying) else controller.rejects


@runtime_checkable
class Bindable(Protocol):
    """A controller that looks at some signals only, or at the algorithm, and asks which first."""

    def bind(self, system: System, structure: Structure, algorithm: Algorithm) -> Controller:
        """The controller for this system; OptionError where it does not fit."""


@runtime_checkable
class SupportsRemarks(Protocol):
    """A controller that has something to say when the run is over."""

    def remarks(self, state: Any, clock: Seconds) -> tuple[str, ...]:
        """Sentences for the verdict, from its memory; `clock` formats times."""


@runtime_checkable
class SupportsLimits(Protocol):
    """A controller that can say what keeps windows small."""

    def limit(self, state: Any) -> str:
        """What, for a sentence, from its memory; nothing if it does not know."""
