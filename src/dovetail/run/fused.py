"""Many windows in one call, where everything about a run allows it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..algorithms.extrapolation import History, projection
from ..controllers.base import Controller
from ..controllers.fixed_step import FixedStep
from ..core.signals import Signals
from ..core.window import Grid
from ..estimators.direct import Direct
from ..estimators.rollback import Rollback
from ..observe.columns import Selection
from ..observe.witness import Witness
from ..results.recorders.base import Recording, SupportsLending
from ..subsystems.batch import InputHistory, Plan, WindowRange
from .stepping import Stepper

_BYTES = 1 << 23  # of lines, per call at the most


class Fused:
    """The windows of a run as data: fixed steps, plain algorithms, columns recorded.

    The same windows, the same arithmetic and the same results as one window at a time. A window
    of which the outcome is not plain is left `undecided`, for the usual way to decide it.
    """

    def __init__(self, stepper: Stepper, selection: Selection, witness: Witness) -> None:
        self._stepper, self._witness, self.undecided = stepper, witness, False
        assembly, position = stepper.assembly, stepper.position
        schedule = stepper.algorithm.schedule(assembly.structure)
        assert schedule is not None and assembly.batch is not None
        self._batch = assembly.batch
        self._plan = Plan(
            schedule.sequential,
            schedule.order,
            schedule.shape,
            schedule.iteration,
            _past(schedule.extrapolation),
            selection.reals,
            assembly.coordinator.inputs(position.outputs, position.coordination).reals.copy(),
            position.outputs.reals.copy(),
            *witness.arrays(),
        )
        self._width = 1 + len(selection.columns)
        self._lines = np.empty((0, self._width))  # where the recording has none to lend

    @staticmethod
    def fits(stepper: Stepper, controller: Controller) -> bool:
        """Whether a run can go this way."""
        assembly, batch = stepper.assembly, stepper.assembly.batch
        if batch is None or len(batch.members) < len(assembly.subsystems) or assembly.early_parts:
            return False
        schedule = stepper.algorithm.schedule(assembly.structure)
        if schedule is None or not isinstance(controller, FixedStep):
            return False
        if schedule.iteration is None:
            return all(isinstance(e, Direct) for e in assembly.estimators)
        able = all(isinstance(e, Rollback) for e in assembly.estimators)
        return able and controller.min_size is None

    def advance(self, recording: Recording) -> int:
        """As many windows as fit into one call; how many."""
        stepper, plan = self._stepper, self._plan
        room = max(_BYTES // (8 * self._width), 1)
        if isinstance(recording, SupportsLending):
            lines = recording.lend(room)
        else:
            if not len(self._lines):
                self._lines = np.empty((room, self._width))
            lines = self._lines
        stretch = along(stepper.grid, stepper.position.time, len(lines))
        if plan.past is not None:
            history = stepper.position.state or History()
            plan.past.times, plan.past.values = history.times, history.values
        ran = self._batch.run(plan, stretch, lines)
        done, self.undecided = ran.windows, ran.undecided
        if done:
            time = float(lines[done - 1, 0])
            if isinstance(recording, SupportsLending):
                recording.keep(done)
            else:
                recording.block(lines[:done, 0], lines[:done, 1:])
            stepper.statistics.windows += done
            stepper.statistics.iterations += ran.iterations
            stepper.statistics.iteration_limit_reached += ran.doubtful
            outputs = Signals(plan.outputs.copy())
            state = None if plan.past is None else History(plan.past.times, plan.past.values)
            stepper.position = replace(stepper.position, time=time, outputs=outputs, state=state)
            if plan.shape == "hold" and plan.past is None:
                self._witness.follows(plan.inputs)
        if ran.failure is not None:
            raise ran.failure
        return done

    def catch_up(self) -> None:
        """Go on from where the usual way has come to."""
        assembly, position = self._stepper.assembly, self._stepper.position
        self._plan.outputs[:] = position.outputs.reals
        self._plan.inputs[:] = assembly.coordinator.inputs(
            position.outputs, position.coordination
        ).reals


def _past(order: int) -> InputHistory | None:
    """Nothing yet, and what it takes to extrapolate to this order."""
    if not order:
        return None
    return InputHistory(order, tuple(projection(lower, order + 1) for lower in range(order)))


def along(grid: Grid, time: float, count: int) -> WindowRange:
    """The next windows along a grid, as `Grid.after` would give them one by one."""
    first = grid.after(time)
    line = round((first.start - grid.origin) / grid.size)
    many = int((grid.stop - grid.origin) / grid.size - line) - 1
    alone = first.size != grid.size or many < 2  # off the lines, or near the end
    return WindowRange(first, grid.origin, line, 1 if alone else min(count, many))
