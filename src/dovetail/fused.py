"""Many plain windows in one call, where everything about a run allows it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from .columns import Selection
from .controllers.base import Controller
from .controllers.fixed_step import FixedStep
from .crew import Plan
from .errors import PartFailed
from .estimators.direct import Direct
from .recorders.base import Recording
from .signals import Signals, Vector
from .stepping import Stepper
from .window import Grid
from .witness import Witness

_ROWS = 1 << 22  # bytes of rows per call, at the most


class Fused:
    """The windows of a run as data: held inputs, one pass, fixed steps, columns recorded.

    The same windows, the same arithmetic and the same results as one window at a time.
    """

    def __init__(self, stepper: Stepper, selection: Selection, witness: Witness) -> None:
        self._stepper, self._selection = stepper, selection
        assembly, position = stepper.assembly, stepper.position
        schedule = stepper.algorithm.schedule(assembly.structure)
        assert schedule is not None and assembly.crew is not None
        self._crew = assembly.crew
        self._plan = Plan(
            schedule.sequential,
            schedule.order,
            selection.reals,
            assembly.coordinator.inputs(position.outputs, position.z).reals,
            position.outputs.reals.copy(),
            *witness.dump(),
        )

    @staticmethod
    def fits(stepper: Stepper, controller: Controller) -> bool:
        """Whether a run can go this way."""
        assembly = stepper.assembly
        return (
            assembly.crew is not None
            and len(assembly.crew.members) == len(assembly.subsystems)
            and isinstance(controller, FixedStep)
            and all(isinstance(e, Direct) for e in assembly.estimators)
            and stepper.algorithm.schedule(assembly.structure) is not None
        )

    def advance(self, recording: Recording) -> int:
        """As many windows as fit into one call; how many."""
        stepper, plan = self._stepper, self._plan
        width = max(len(self._selection.columns), 1)
        starts, sizes, stops = lines(
            stepper.grid, stepper.position.time, max(_ROWS // (8 * width), 1)
        )
        rows = np.empty((starts.size, len(self._selection.columns)))
        failure: PartFailed | None = None
        try:
            done = self._crew.run(plan, starts, sizes, stops, rows)
        except PartFailed as error:
            failure, done = error, error.completed
        if done:
            recording.block(stops[:done], rows[:done])
            stepper.statistics.windows += done
            stepper.statistics.iterations += done
            outputs = Signals(plan.outputs.copy())
            stepper.position = replace(
                stepper.position, time=float(stops[done - 1]), outputs=outputs
            )
        if failure is not None:
            raise failure
        return done


def lines(grid: Grid, time: float, count: int) -> tuple[Vector, Vector, Vector]:
    """Start, size and stop of the next windows along a grid, as `Grid.after` would give them."""
    windows: list[Any] = []
    first = grid.after(time)
    on_line = first.size == grid.size
    k = round((first.start - grid.origin) / grid.size)
    left = (grid.stop - grid.origin) / grid.size - k
    many = min(count, int(left) - 1)
    if not on_line or many < 2:  # off the lines, or near the end: one by one
        while len(windows) < min(count, 2) and time < grid.stop:
            window = grid.after(time)
            windows.append((window.start, window.size, window.stop))
            time = window.stop
        table = np.array(windows, dtype=float).reshape(-1, 3)
        return table[:, 0].copy(), table[:, 1].copy(), table[:, 2].copy()
    edges: Vector = grid.origin + np.arange(k, k + many + 1, dtype=np.float64) * grid.size
    edges[0] = first.start
    return edges[:-1].copy(), np.full(many, grid.size), edges[1:].copy()
