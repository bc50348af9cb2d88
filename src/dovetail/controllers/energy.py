"""Windows sized by the energy residual between parts."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt
from typing import TYPE_CHECKING

import numpy as np

from ..assembly.segment import Segment
from ..core.errors import OptionError
from ..core.options import check_names, check_number, check_order
from ..core.seconds import Seconds
from ..core.signals import Vector
from ..core.window import Window
from ..junctions.passages import Passages
from .base import Accept
from .for_system import AcceptingController, SinglePass
from .limits import check_sizes, check_tolerances, clamped
from .proportional_integral import ProportionalIntegral
from .shrinking import REMEDY, Shrinking

if TYPE_CHECKING:
    from ..algorithms.base import Algorithm
    from ..drawing.system import System
    from ..topology.components import Structure


_FORGET = 0.95  # what is left of the highest power after a window: peaks of long ago do not count


@dataclass(frozen=True, slots=True, eq=False)
class EnergyState:
    """What went through the bonds so far."""

    error: float  # of the last window
    highest: Vector  # power, by bond; fades from window to window
    astray: Vector  # energy residual: lost by one side and not received by the other
    moved: Vector  # energy that went through, whichever way
    windows: int = 0
    beyond: int = 0
    bond: int = 0  # where the residual was largest in the last window
    shrinking: Shrinking | None = None


@dataclass(frozen=True, slots=True)
class Energy(SinglePass):
    """Windows sized by the power residual at bonds: energy-conservation-based co-simulation.

    Any order, one evaluation per window; nothing is asked of the parts but windows of different
    sizes, since no window is ever repeated: one whose error was too large is accepted, counted,
    and followed by a shorter one. Bonds are the connected power ports, where there are none the
    junctions, or what is named: `bonds=("left.force * right.speed", "a.pin = b.pin")`, products
    of two inputs where each part feeds the other, and junctions. `rtol` is the share of a bond's
    energy that may be the residual of a window, `atol` an energy. Where smaller windows do not help
    the run stops and names the bond, unless `min_size` lets it go on.

    Sadjina, Kyllingstad, Skjong and Pedersen, Energy conservation and power bonds in
    co-simulations: non-iterative adaptive step size control and error estimation, Engineering
    with Computers 33, 2017.
    """

    rtol: float = 1e-2
    atol: float = 1e-6
    first_size: float = 1e-3
    min_size: float = 0.0
    max_size: float = inf
    bonds: tuple[str, ...] = ()
    safety: float = 0.9
    order: int | None = None

    def __post_init__(self) -> None:
        check_sizes(self.first_size, self.min_size, self.max_size)
        check_tolerances(self.rtol, self.atol)
        check_number("safety", self.safety, above=0, most=1)
        check_order(self.order)
        check_names("bonds", self.bonds, '("left.force * right.speed",)')

    def bind(self, system: System, structure: Structure, algorithm: Algorithm) -> BoundEnergy:
        """The controller with the places of its bonds."""
        if algorithm.repeats:
            what = "and the algorithm iterates until there is none"
            way_out = "use max_iterations=1, or dv.StepDoubling"
            raise OptionError(f"dv.Energy goes by the energy residual of bonds, {what}; {way_out}")
        return BoundEnergy(self, Passages.of(system, structure, self.bonds))

    def decided(
        self, window: Window, residuals: Vector, powers: Vector, state: EnergyState | None
    ) -> Accept:
        """Keep the window; the next size, from power residuals and powers at its end.

        e = sqrt(mean_k (dP_k h / (atol + rtol P_k h))^2), P_k the highest power of bond k of late.
        """
        h = window.size
        if state is None:
            nothing = np.zeros(powers.size)
            state = EnergyState(0.0, nothing, nothing, nothing)
        highest = np.maximum(_FORGET * state.highest, np.abs(powers))
        scaled = residuals * h / (self.atol + self.rtol * highest * h)
        error = sqrt(float(np.mean(scaled * scaled))) if scaled.size else 0.0
        rule = ProportionalIntegral((self.order or 1) + 1.0, self.safety)
        size = clamped(h * rule.factor(error, state.error), self.min_size, self.max_size)
        seen = EnergyState(
            error,
            highest,
            state.astray + residuals * h,
            state.moved + np.abs(powers) * h,
            state.windows + 1,
            state.beyond + (error > 1),
            int(np.argmax(np.abs(scaled))) if scaled.size else 0,
            Shrinking.of(state.shrinking, h, error),
        )
        return Accept(size, seen, doubtful=error > 1)


@dataclass(frozen=True, slots=True, eq=False)
class BoundEnergy(AcceptingController[Energy]):
    """The controller for one system."""

    bonds: Passages

    def accepted(self, segment: Segment, state: EnergyState | None) -> Accept:
        """The next size, by the power residuals at this window's end."""
        used = segment.trial.inputs.reals(segment.window.size)
        residuals, powers = self.bonds.balance(used, segment.outputs.reals)
        return self.options.decided(segment.window, residuals, powers, state)

    def reason(self, state: EnergyState) -> tuple[str, str]:
        """An input of the bond jumps; or its coordinator takes its time."""
        if state.bond < len(self.bonds.names) - len(self.bonds.junctions):
            return "so an input of it jumps", REMEDY
        why = "so its coordinator brings the ports together no faster"
        return why, f"give that a shorter time_scale, {REMEDY}"

    def limit(self, state: EnergyState | None) -> str:
        """What keeps windows small."""
        return "" if state is None else f"the power through bond {self.bonds.names[state.bond]}"

    def remarks(self, state: EnergyState | None, clock: Seconds) -> tuple[str, ...]:
        """The largest energy residual, and its bond."""
        if state is None or not np.any(state.moved > 0):
            return ()
        share = np.abs(state.astray) / np.where(state.moved > 0, state.moved, 1.0)
        k = int(np.argmax(share))
        notes = [
            f"The energy residual of bond {self.bonds.names[k]} is {100 * share[k]:.2g} % of the "
            "energy through it."
        ]
        if state.beyond:
            notes.append(
                f"{state.beyond} of {state.windows} windows were beyond the tolerance, and no part "
                "was asked to roll back: doubtful."
            )
        return tuple(notes)
