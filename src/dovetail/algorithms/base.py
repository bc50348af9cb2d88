"""The one protocol every coupling algorithm satisfies."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any, Literal, Protocol, runtime_checkable

from ..assembly.attempt import Attempt
from ..assembly.trial import Trial
from ..core.errors import OptionError
from ..core.obstacle import Obstacle
from ..core.options import check_method, check_number, check_whole
from ..core.projection import projection
from ..core.signals import Shape, Tolerance, Vector
from ..rootfinders.base import RootFinder
from ..rootfinders.limited_root_finder import LimitedRootFinder
from ..subsystems.iteration import Iteration
from ..topology.components import Structure

OnLimit = Literal["stop", "accept"]


@dataclass(frozen=True, slots=True)
class Schedule:
    """All parts at once, or one after another in this order; one pass, or iterated cycles.

    `extrapolation`: the order of polynomials that inputs follow, 0 where they are held.
    """

    sequential: bool
    order: tuple[int, ...]
    shape: Shape = "hold"
    iteration: Iteration | None = None
    extrapolation: int = 0

    @property
    def weights(self) -> tuple[Vector, ...]:
        """For each lower order, what makes the best polynomials of it of those extrapolated."""
        columns = self.extrapolation + 1
        return tuple(projection(lower, columns) for lower in range(self.extrapolation))


class Algorithm(Protocol):
    """A rule for choosing the inputs of every subsystem over a window.

    A frozen object. `rtol` and `atol` that are None are filled in by the session: the
    controller's, else the run's.
    """

    @property
    def repeats(self) -> bool:
        """Whether it may evaluate a window more than once."""

    @property
    def inputs(self) -> Shape:
        """The shape its inputs have over a window."""

    @property
    def order(self) -> int:
        """The order of its global error, for parts that are exact."""

    def step(self, attempt: Attempt, state: Any) -> Trial:
        """Propose inputs for one window; `state` is None at the start and after an event."""

    def schedule(self, structure: Structure) -> Schedule | Obstacle | None:
        """The algorithm as data, for native windows; or what stands against it, or None."""


@runtime_checkable
class SupportsOrderOfParts(Protocol):
    """An algorithm that can be given the order in which to ask the parts of a cycle."""

    @property
    def order_of_parts(self) -> tuple[str, ...]:
        """The names of those that go first."""


def tolerance_of(rtol: float | None, atol: float | None) -> Tolerance:
    """The tolerance of an iteration; the defaults of a run where nothing is given."""
    default = Tolerance()
    return Tolerance(default.rtol if rtol is None else rtol, default.atol if atol is None else atol)


def check_iteration(max_iterations: int, rtol: float | None, atol: float | None) -> None:
    """Refuse options that make no sense."""
    check_whole("max_iterations", max_iterations)
    for name, value in (("rtol", rtol), ("atol", atol)):
        if value is not None:
            check_number(name, value, above=0)


def check_extrapolation(order: int, inputs: str, *, repeats: bool) -> None:
    """Refuse an order of extrapolation that there is not, or that nothing would use."""
    if isinstance(order, bool) or not isinstance(order, Integral) or not 0 <= order <= 3:
        raise OptionError(f"extrapolation must be 0, 1, 2 or 3, not {order!r}")
    if order and repeats:
        raise OptionError(
            "extrapolation is for a single pass; an iterated algorithm finds its inputs: use "
            "inputs='ramp', or max_iterations=1"
        )
    if order and inputs != "hold":
        raise OptionError(f"give extrapolation or inputs='{inputs}', not both")


def check_solver(solver: RootFinder | None, extrapolation: int) -> None:
    """Refuse what is no root finder, and one that would have nothing to find."""
    if solver is None:
        return
    check_method("solver", solver, "solve", "dv.rootfinders.Aitken()")
    if extrapolation:
        raise OptionError(
            "extrapolation is for a single pass, and a solver finds the inputs: give one of them"
        )


def bounded(solver: RootFinder, max_iterations: int) -> RootFinder:
    """A root finder that passes over a cycle so often at the most; 1 leaves it to the finder."""
    return solver if max_iterations == 1 else LimitedRootFinder(solver, max_iterations)


def check_choice(name: str, value: str, allowed: tuple[str, ...]) -> None:
    """Refuse a value that is not among those allowed."""
    if value not in allowed:
        raise OptionError(f"{name} must be one of {', '.join(allowed)}, not {value!r}")


def solver_obstacle(algorithm: object, solver: RootFinder, inputs: Shape) -> Obstacle:
    """Why an algorithm that solves with any root finder has no native windows."""
    what = f"{type(algorithm).__name__} solves with {type(solver).__name__}, from Python"
    change = "" if inputs == "hermite" else f"dv.Newton(inputs='{inputs}')"
    return Obstacle(what, change=change)
