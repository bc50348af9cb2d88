"""A window component by component: parts outside cycles once, cycles until they are settled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..assembly.attempt import Attempt
from ..assembly.draft import Draft, Proposal
from ..core.signals import Shape, Signals
from ..topology.component import Component


@dataclass(frozen=True, slots=True)
class CycleOutcome:
    """How one cycle, or all of them, came to rest; `doubtful`: accepted without convergence.

    `floor`: the tolerance it was accepted at, where noise forbids the one that was asked for.
    """

    iterations: int = 0
    failure: str = ""
    doubtful: bool = False
    floor: float = 0.0


Settle = Callable[[int, Component, tuple[int, ...]], CycleOutcome]  # number, cycle, order of parts
Arrangement = Callable[[tuple[int, ...]], tuple[int, ...]]  # parts of a component, put in order


def settle_cycles(
    attempt: Attempt,
    known: tuple[Signals, Draft, Proposal],
    shape: Shape,
    settle: Settle | None,
    arrange: Arrangement | None = None,
) -> CycleOutcome:
    """Go through the components in order; the first cycle that fails ends it.

    `known`: inputs at the window's start, outputs and inputs as far as they are found. Without
    `settle`, cycles are swept once like everything else.
    """
    begin, draft, proposal = known
    iterations, doubtful, floor = 0, False, 0.0
    waiting: tuple[int, ...] = ()  # for those behind them, so that they are swept together
    for number, component in enumerate(attempt.components):
        parts = component.parts if arrange is None else arrange(component.parts)
        if settle is None or not component.cyclic:
            waiting, iterations = (*waiting, *parts), max(iterations, 1)
            if not attempt.sweeps_together or number == len(attempt.components) - 1:
                attempt.sweep(waiting, begin, draft, proposal, shape)
                waiting = ()
            continue
        if waiting:
            attempt.sweep(waiting, begin, draft, proposal, shape)
            waiting = ()
        found = settle(number, component, parts)
        iterations += found.iterations
        doubtful, floor = doubtful or found.doubtful, max(floor, found.floor)
        if found.failure:
            why = f"the iteration does not converge: after {found.failure}"
            return CycleOutcome(iterations, why)
    return CycleOutcome(iterations, doubtful=doubtful, floor=floor)
