"""Start values that agree with each other."""

from __future__ import annotations

from dataclasses import dataclass

from ..assembly import Assembly
from ..given import check_method, check_number
from ..leg import Position
from ..rootfinders import RootFinder
from ..standstill import Standstill


@dataclass(frozen=True, slots=True)
class Consistent:
    """Inputs that the outputs confirm, without moving in time.

    Parts are asked in the order of their feed-through, algebraic loops are solved. Values given
    for the inputs of a loop are where the search begins.
    """

    solver: RootFinder = Standstill().solver
    rtol: float = 1e-10
    atol: float = 1e-12

    def __post_init__(self) -> None:
        check_method("solver", self.solver, "solve", "dv.rootfinders.Anderson()")
        check_number("rtol", self.rtol, above=0)
        check_number("atol", self.atol, above=0)

    def position(self, assembly: Assembly, time: float, size: float, *, slopes: bool) -> Position:
        """Where the run starts; `size` is that of the first window."""
        standstill = Standstill(self.solver, self.rtol, self.atol)
        z = assembly.coordinator.start()
        outputs = standstill.start(assembly, z, slopes=slopes)
        z = assembly.coordinator.settle(assembly.now, outputs, z, size)
        if z.size:
            outputs = standstill.start(assembly, z, slopes=slopes)
        return Position(time, outputs, z)
