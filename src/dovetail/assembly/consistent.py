"""Start values that agree with each other."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..core.options import check_method, check_number, worded
from ..rootfinders import RootFinder
from .assembly import Assembly
from .segment import Position
from .standstill import Standstill

_ROUNDS = 20  # of junctions and outputs with direct feedthrough between each other


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

    def position(
        self, assembly: Assembly, time: float, size: float, *, derivatives: bool
    ) -> Position:
        """Where the run starts; `size` is that of the first window."""
        standstill = Standstill(self.solver, self.rtol, self.atol)
        now = assembly.coordinator.start()
        outputs = standstill.start(assembly, now, derivatives=derivatives)
        for _ in range(_ROUNDS if assembly.coordinator.has_unknowns else 0):
            before = now
            _, now = assembly.settle(outputs, now, size)
            if now.equals(before):
                break
            outputs = standstill.start(assembly, now, derivatives=derivatives)
        return Position(time, outputs, now)

    def left(self, assembly: Assembly, position: Position) -> Position:
        """The same when initialization is over; outputs that are new only then count."""
        outputs = assembly.late_outputs(position.outputs, position.coordination)
        if outputs is position.outputs:
            return position
        standstill = Standstill(self.solver, self.rtol, self.atol)
        jump = standstill.event(assembly, position.time, outputs, position.coordination)
        return replace(position, outputs=jump.outputs)

    def under_way(self, assembly: Assembly, position: Position, size: float) -> Position:
        """The same after initialization: junctions whose parts gave no derivatives before."""
        if not position.coordination.waiting:
            return position
        outputs, coordination = assembly.settle(position.outputs, position.coordination, size)
        return replace(position, outputs=outputs, coordination=coordination)


worded(Consistent)
