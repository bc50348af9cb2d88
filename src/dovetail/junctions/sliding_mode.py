"""Junctions whose unknowns move after the parts, toward a sliding surface."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from numbers import Integral, Real
from typing import Literal

import numpy as np

from ..core.errors import OptionError
from ..core.signals import Vector
from .solving import Inverse, JunctionFunction, Solution, solve

Rate = Literal["decoupled", "single", "multi"]
TIMES = 2.0  # how many windows a disagreement takes to decay, unless given


@dataclass(frozen=True, slots=True)
class SlidingMode:
    """z such that g dies away as s = (mu d/dt + 1)^(index-1) g = 0, found after each window.

    The parts' own order with Euler's method, at most second order with held inputs. Costs a few
    evaluations of the neighbours while time stands still, and one advance per window. Needs
    derivatives of outputs up to the index less one as functions of the inputs, from equations,
    from a linearization, or by short steps and rolling back. Nothing need be given. `time_scale` is
    mu, twice the window by default. With `limit` (a bound on each move) or `moves` (how many), the
    moves of the thesis are made as they are, `rate` choosing among its three laws; else z is
    solved for. Without `presolve` the given start value acts for one window. `probe` is the share
    of a window that short steps take.

    Gu, Co-simulation of algebraically coupled dynamic subsystems, thesis, MIT, 2001; Gu and
    Asada, Journal of Dynamic Systems, Measurement, and Control 126, 2004.
    """

    time_scale: float | None = None
    limit: float | None = None
    moves: int | None = None
    rate: Rate = "decoupled"
    presolve: bool = True
    probe: float = 0.05

    serves_junctions = True
    part = ""  # the run solves it

    def __post_init__(self) -> None:
        check_positive("time_scale", self.time_scale)
        check_positive("limit", self.limit)
        if self.moves is not None and not (isinstance(self.moves, Integral) and self.moves > 0):
            raise OptionError(f"moves must be a whole number above zero, not {self.moves!r}")
        if self.rate not in ("decoupled", "single", "multi"):
            raise OptionError(f"rate must be one of decoupled, single, multi, not {self.rate!r}")
        if self.rate == "single" and self.moves not in (None, 1):
            raise OptionError("rate='single' makes one move per window; use rate='multi' for more")
        if not 0 < self.probe <= 1:
            raise OptionError(f"probe must be a share of a window, not {self.probe!r}")

    @property
    def automatic(self) -> bool:
        """Whether z is solved for, instead of moved as the thesis says."""
        return self.limit is None and self.moves is None and self.rate == "decoupled"

    @property
    def follows_states(self) -> bool:
        """Whether it needs the states of the parts where they were a window before."""
        return self.rate != "decoupled"

    def scale(self, size: float, asked: float) -> float:
        """mu, for windows of this size and parts that ask for a slow decay."""
        return self.time_scale or max(TIMES * size, asked)

    def settled(self, surface: JunctionFunction, z: Vector, jacobian: Vector | None) -> Solution:
        """The unknowns after the parts have moved."""
        if self.automatic:
            return solve(surface, z, jacobian)
        return self.moved(surface, z)

    def moved(self, surface: JunctionFunction, z: Vector) -> Solution:
        """n moves z += lim(-J^-1 s, v0); solved if the last one was not cut short."""
        J, s, whole = np.zeros((z.size, z.size)), surface(z), False
        for _ in range(self.moves or 20):
            J = surface.jacobian(z, s, central=True)
            move = -Inverse(J, surface.group.nominal)(s)
            cut = self.limited(move)
            whole = cut is move
            z = z + cut
            s = surface(z)
        return Solution(z, s, J, whole)

    def limited(self, move: Vector) -> Vector:
        """The move, shortened as a whole until no element is above its limit."""
        if self.limit is None:
            return move
        share = self.limit / max(float(np.max(np.abs(move))), self.limit)
        return move if share >= 1 else share * move


def check_positive(name: str, value: float | None) -> None:
    """Refuse what is neither None nor a number above zero."""
    if value is not None and not (isinstance(value, Real) and value > 0 and isfinite(value)):
        raise OptionError(f"{name} must be above zero, not {value!r}")
