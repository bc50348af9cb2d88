"""Windows sized by how far inputs were off at their end."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING, Literal

import numpy as np

from ..assembly.segment import Segment
from ..core.errors import OptionError
from ..core.obstacle import Obstacle
from ..core.options import check_number, check_order
from ..core.seconds import Seconds
from ..core.signals import Tolerance, Vector, Waveform
from ..core.window import Window
from ..topology.routing import Routing
from .base import Accept, judges
from .bend import bend
from .covered_range import CoveredRange
from .for_system import AcceptingController, SinglePass
from .limits import check_scale, check_sizes, check_tolerances, clamped
from .proportional_integral import ProportionalIntegral
from .shrinking import REMEDY, Shrinking

if TYPE_CHECKING:
    from ..algorithms.base import Algorithm
    from ..drawing.system import System
    from ..topology.components import Structure


_MET = 1e-12  # of a value: an input that is as close to its source at the end ran towards it


@dataclass(frozen=True, slots=True, eq=False)
class InputDefectState:
    """How inputs did so far."""

    error: float = 0.0  # of the last window
    windows: int = 0
    beyond: int = 0
    worst: float = 0.0
    when: float = 0.0
    wire: int = 0  # the one that was off most in the last window
    shrinking: Shrinking | None = None
    covered: CoveredRange | None = None  # by the inputs, where that weighs their errors
    inputs: Waveform | None = None  # over the last window; none right of an event
    size: float = 0.0  # of it


@dataclass(frozen=True, slots=True)
class InputDefect(SinglePass):
    """Windows sized by the defect: what inputs were at a window's end, against their sources.

    That is the error of holding or extrapolating them, which falls with the power `order` of the
    size. Inputs that are interpolated are right there; of these it is what the curves miss inside
    the window, by how well those of the last one, extended, predicted them. One evaluation per
    window; nothing is asked of the parts but windows of different sizes, since no window is ever
    repeated: one whose defect was too large is accepted, counted, and followed by a shorter one.
    The algorithm must not iterate: then there is no defect. Where smaller windows do not help the
    run stops and says which input is off, unless `min_size` lets it go on.

    `scale`: what `rtol` is relative to: "value", that of the input, or "range", the range that it
    has covered since the start.

    Native twin: `native/defect.c`.

    A method of our own. Sizes follow Gustafsson, Control theoretic techniques for stepsize
    selection in explicit Runge-Kutta methods, ACM Transactions on Mathematical Software 17,
    1991.
    """

    rtol: float = 1e-3
    atol: float = 1e-4
    first_size: float = 1e-3
    min_size: float = 0.0
    max_size: float = inf
    safety: float = 0.9
    order: int | None = None
    scale: Literal["value", "range"] = "value"

    def __post_init__(self) -> None:
        check_sizes(self.first_size, self.min_size, self.max_size)
        check_tolerances(self.rtol, self.atol)
        check_number("safety", self.safety, above=0, most=1)
        check_order(self.order)
        check_scale(self.scale)

    def native_obstacle(self, iterates: bool) -> Obstacle | None:
        """Native code knows what inputs were off by."""
        return judges(self, InputDefect)

    def bind(self, system: System, structure: Structure, algorithm: Algorithm) -> BoundInputDefect:
        """The controller with the wires it looks at."""
        if algorithm.repeats:
            what = "and the algorithm iterates until there is none"
            way_out = "use max_iterations=1, or dv.StepDoubling"
            raise OptionError(f"dv.InputDefect goes by the error of held inputs, {what}; {way_out}")
        if system.junctions and not structure.routing.target.size:
            what = "and here ports meet without a wire"
            way_out = "use dv.StepDoubling, or dv.FixedStep"
            raise OptionError(f"dv.InputDefect goes by what inputs are off by, {what}; {way_out}")
        return BoundInputDefect(self, structure.routing, structure.layout.inputs.reals)

    def decided(
        self, window: Window, defect: Vector, values: Vector, state: InputDefectState | None
    ) -> Accept:
        """Keep the window; the next size, from the defects and the values they are weighed with."""
        state = state or InputDefectState()
        error = Tolerance(self.rtol, self.atol, "max").measure(defect, values)
        rule = ProportionalIntegral(float(self.order or 1), self.safety)
        factor = rule.factor(error, state.error)
        size = clamped(window.size * factor, self.min_size, self.max_size)
        worse = error > state.worst
        weighed = np.abs(defect) / (np.abs(values) * self.rtol + self.atol)
        seen = InputDefectState(
            error,
            state.windows + 1,
            state.beyond + (error > 1),
            error if worse else state.worst,
            window.stop if worse else state.when,
            int(np.argmax(weighed)) if defect.size else 0,
            Shrinking.of(state.shrinking, window.size, error),
        )
        return Accept(size, seen, doubtful=error > 1)


@dataclass(frozen=True, slots=True, eq=False)
class BoundInputDefect(AcceptingController[InputDefect]):
    """The controller for one system."""

    wires: Routing
    names: tuple[str, ...]  # of all inputs

    def accepted(self, segment: Segment, state: InputDefectState | None) -> Accept:
        """The next size, by what inputs were off at this window's end."""
        w, inputs = self.wires, segment.trial.inputs
        made = w.gain * segment.outputs.reals[w.source] + w.offset
        used = inputs.reals(segment.window.size)[w.target]
        off, covered = np.abs(made - used), None
        if state and state.inputs is not None and inputs.order == state.inputs.order > 0:
            missed = np.abs(bend(segment, state.inputs, state.size)[0][w.target])
            off = np.where(off <= _MET * np.abs(made), missed, off)
        weight = made
        if self.options.scale == "range":
            start = w.gain * segment.before.outputs.reals[w.source] + w.offset
            covered = ((state and state.covered) or CoveredRange.of(start)).joined(made)
            weight = covered.scale
        accepted = self.options.decided(segment.window, off, weight, state)
        last = None if segment.event else inputs
        seen = replace(accepted.state, covered=covered, inputs=last, size=segment.window.size)
        return replace(accepted, state=seen)

    def reason(self, state: InputDefectState) -> tuple[str, str]:
        """The input jumps."""
        return "so it jumps, or is in a loop without delay", REMEDY

    def limit(self, state: InputDefectState | None) -> str:
        """What keeps windows small."""
        if state is None or not self.wires.target.size:
            return ""
        return f"the input '{self.names[self.wires.target[state.wire]]}'"

    def remarks(self, state: InputDefectState | None, clock: Seconds) -> tuple[str, ...]:
        """How many windows were too long."""
        if state is None or not state.beyond:
            return ()
        return (
            f"Inputs of {state.beyond} of {state.windows} windows were off by more than the "
            f"tolerance, at most {state.worst:.2g} times, in the window that ends at "
            f"{clock.at(state.when)}, and no part was asked to roll back: doubtful.",
        )
