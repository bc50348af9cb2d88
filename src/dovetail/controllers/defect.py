"""Windows sized by how far estimates missed, without rolling back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from ..assembly.segment import Segment
from ..core.options import check_truth
from ..core.seconds import Seconds
from ..core.signals import Vector, Waveform
from ..core.window import Window
from ..topology.layout import Layout
from .base import Accept, Decision, GiveUp, Retry
from .bend import bend
from .for_system import Bound, SinglePass
from .limits import can_be_told, check_sizes, check_tolerances
from .shrinking import REMEDY, Shrinking, in_vain

if TYPE_CHECKING:
    from ..algorithms.base import Algorithm
    from ..drawing.system import System
    from ..topology.components import Structure


@dataclass(frozen=True, slots=True, eq=False)
class DefectState:
    """Inputs over the last window, its size, and what was beyond the tolerance of late."""

    inputs: Waveform | None = None  # none right of an event
    size: float = 0.0
    shrinking: Shrinking | None = None
    limit: Miss | None = None  # what made the next window as small as it is
    beyond: int = 0  # windows at the least size that missed by more than the tolerance


@dataclass(frozen=True, slots=True)
class Miss:
    """How far something was off, 1 at the tolerance, and the power of the size it falls with."""

    error: float
    order: int
    place: int  # among the outputs of a part, or among all inputs
    part: int | None = None  # None: an input, that polynomials could not follow

    def name(self, layout: Layout) -> str:
        """What was off, for a sentence."""
        if self.part is None:
            return f"what a polynomial follows of '{layout.inputs.reals[self.place]}'"
        span = layout.outputs.spans[self.part].reals
        return f"the estimate of '{layout.outputs.reals[span.start + self.place]}'"


@dataclass(frozen=True, slots=True)
class Defect(SinglePass):
    """Windows sized by what estimates missed of the genuine steps, and cubics of the inputs.

    One evaluation per window, and no part has to roll back: a window that was committed stands. So
    the next one is also kept below the size at which the change of the linearizations lets
    half the tolerance be missed (`foresee`). Works with parts that are not estimated too: of
    those it sees only how well the last window's inputs, extended, predicted this one's.

    The first window is there to look: it should be small. From what estimates missed in it, and
    from how far outputs went where inputs are held, the second may be a hundred times as long;
    all others grow up to fivefold. Where smaller windows do
    not help the run stops and says what is off, unless `min_size` lets it go on.

    A method of our own. The defect is that of Eguillon, Lacabanne and Tromeur-Dervout,
    COSTARICA estimator for rollback-less systems handling in iterative co-simulation
    algorithms, 2022.
    """

    rtol: float = 1e-5
    atol: float = 1e-6
    first_size: float = 1e-4
    min_size: float = 0.0
    max_size: float = inf
    foresee: bool = True

    def __post_init__(self) -> None:
        check_sizes(self.first_size, self.min_size, self.max_size)
        check_tolerances(self.rtol, self.atol)
        check_truth("foresee", self.foresee)

    def bind(self, system: System, structure: Structure, algorithm: Algorithm) -> BoundDefect:
        """The controller with the names of what it looks at."""
        return BoundDefect(self, structure.layout)

    def decided(
        self, window: Window, segment: Segment, state: DefectState | None, layout: Layout
    ) -> Decision:
        """Accept, retry what was not committed, or give up."""
        if segment.trial.failure:
            size = window.size / 4
            if size >= self.min_size and can_be_told(window, size, self.first_size):
                return Retry(size, "convergence")
            return GiveUp(segment.trial.failure)
        state, size = state or DefectState(), segment.window.size
        if segment.event:  # all begins anew
            again = max(min(size, self.first_size), self.min_size)
            return Accept(again, DefectState(beyond=state.beyond))
        seen = state.inputs is None and bool(segment.assessments)
        factor, limit = (100.0 if seen else 5.0), None
        for miss in self._misses(segment, state):
            if miss.error > 0 and 0.9 / miss.error ** (1 / miss.order) < factor:
                factor, limit = max(0.9 / miss.error ** (1 / miss.order), 0.1), miss
        if state.inputs is None and segment.trial.inputs.order == 0:  # by now they moved that far
            factor = min(factor, max(0.9 / max(self._moved(segment), 1e-9), 0.1))
        wanted = min(size * factor, self._predicted_size(segment), self.max_size)
        error = 0.0 if limit is None else limit.error
        shrinking = Shrinking.of(state.shrinking, size, error)
        if shrinking and limit and in_vain(shrinking, size, error, self.min_size):
            return GiveUp(f"{limit.name(layout)} {shrinking.explanation(error, size)}", REMEDY)
        beyond = error > 1 and size <= self.min_size
        count = state.beyond + beyond
        after = DefectState(segment.trial.inputs, size, shrinking, limit, count)
        return Accept(max(wanted, self.min_size), after, doubtful=beyond)

    def _misses(self, segment: Segment, state: DefectState) -> Iterator[Miss]:
        """The largest defect of each estimate, and what polynomials could not follow."""
        for part, found in segment.assessments.items():
            yield self._miss(found.defect, found.outputs, 3, part)
        if state.inputs is None or segment.trial.inputs.order != state.inputs.order:
            return
        off, end = bend(segment, state.inputs, state.size)
        yield self._miss(off, end, segment.trial.inputs.order + 1, None)

    def _moved(self, segment: Segment) -> float:
        """How far outputs went over the window, 1 at the tolerance: what held inputs miss."""
        end = segment.outputs.reals
        return self._miss(end - segment.before.outputs.reals, end, 1, None).error

    def _miss(self, off: Vector, values: Vector, order: int, part: int | None) -> Miss:
        if not off.size:
            return Miss(0.0, order, 0, part)
        scaled = np.abs(off) / (np.abs(values) * self.rtol + self.atol)
        scaled = np.where(np.isnan(scaled), inf, scaled)
        place = int(np.argmax(scaled))
        return Miss(float(scaled[place]), order, place, part)

    def _predicted_size(self, segment: Segment) -> float:
        """The size at which estimates may miss by half the tolerance."""
        if not self.foresee:
            return inf
        limit = inf
        for found in segment.assessments.values():
            if found.growth is not None and found.growth.size:
                allowed = (self.rtol * np.abs(found.outputs) + self.atol) / 2
                with np.errstate(divide="ignore"):
                    limit = min(limit, float(np.min(allowed / found.growth)) ** (1 / 3))
        return limit


@dataclass(frozen=True, slots=True, eq=False)
class BoundDefect(Bound[Defect]):
    """The controller for one system."""

    layout: Layout

    def judge(
        self, window: Window, branches: Sequence[Sequence[Segment]], state: DefectState | None
    ) -> Decision:
        """Accept, retry what was not committed, or give up."""
        return self.options.decided(window, branches[-1][-1], state, self.layout)

    def limit(self, state: DefectState | None) -> str:
        """What the last window's successor is kept small by."""
        if state is None or state.limit is None:
            return ""
        return state.limit.name(self.layout)

    def remarks(self, state: DefectState | None, clock: Seconds) -> tuple[str, ...]:
        """How many windows were too long and could not be shorter."""
        if state is None or not state.beyond:
            return ()
        least = clock.lasting(self.options.min_size)
        return (
            f"{state.beyond} windows of the least size, {least}, missed by more than the "
            "tolerance: doubtful.",
        )
