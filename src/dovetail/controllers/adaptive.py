"""Windows that grow while the iteration converges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, ClassVar

from ..assembly.segment import Segment
from ..core.errors import OptionError
from ..core.obstacle import Obstacle
from ..core.window import Window
from .base import Accept, Branch, Decision, GiveUp, Retry, judges
from .limits import can_be_told, check_sizes

if TYPE_CHECKING:
    from ..algorithms.base import Algorithm
    from ..drawing.system import System
    from ..topology.components import Structure


@dataclass(frozen=True, slots=True)
class Adaptive:
    """Windows twice as long as the last one that converged, and a fifth of one that did not.

    No error is estimated: `max_size` is what bounds it. One evaluation per window; every part
    must be able to roll back, and the algorithm must iterate. Below `min_size` the run stops.

    Native twin: `native/adaptive.c`.

    The rule of MasterSim: Nicolai, Robust and accurate co-simulation master algorithms applied
    to FMI slaves with discontinuous signals, 13th International Modelica Conference, 2019.
    """

    first_size: float = 1e-3
    min_size: float = 0.0
    max_size: float = inf

    rejects: ClassVar[bool] = True
    chooses: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_sizes(self.first_size, self.min_size, self.max_size)

    def bind(self, system: System, structure: Structure, algorithm: Algorithm) -> Adaptive:
        """Itself; an algorithm that never fails gives it nothing to go by."""
        if not algorithm.repeats:
            raise OptionError(
                "dv.Adaptive goes by the convergence of an iteration, and the algorithm does not "
                "iterate; give it max_iterations above 1, or use dv.StepDoubling"
            )
        return self

    def native_obstacle(self, iterates: bool) -> Obstacle | None:
        """Windows that do not converge are cut in native code as well."""
        return judges(self, Adaptive)

    def plan(self, window: Window, state: None) -> tuple[Branch, ...]:
        """One branch of one window."""
        return ((window,),)

    def judge(self, window: Window, branches: Sequence[Sequence[Segment]], state: None) -> Decision:
        """Accept, retry or give up."""
        failure = branches[-1][-1].trial.failure
        if not failure:
            return Accept(min(2 * window.size, self.max_size))
        size = window.size / 5
        if size < self.min_size or not can_be_told(window, size, self.first_size):
            least = f" (min_size {self.min_size:g} s)" if self.min_size else ""
            return GiveUp(f"{failure}, and the window cannot be cut any further{least}")
        return Retry(size, "convergence")
