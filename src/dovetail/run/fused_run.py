"""Windows in native code: many in one call, or one at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..algorithms.base import Schedule
from ..algorithms.extrapolation import History, projection
from ..assembly.segment import Position, Segment
from ..assembly.trial import Trial
from ..core.signals import Signals, Vector, Waveform
from ..core.window import Grid, Window
from ..observe.columns import Selection
from ..observe.witness import Witness
from ..results.recorders.base import Recording, SupportsLending
from ..subsystems.batch import BatchProgress, InputHistory, Plan, WindowRange
from .stepping import Stepper

_BYTES = 1 << 23  # of lines, per call at the most
_STUCK = 3  # calls in a row that leave their first window undecided; then it is not worth it


class FusedRun:
    """The windows of a run as data: fixed steps, an algorithm that is a `Schedule`, columns.

    The same windows, the same arithmetic and the same results as from Python. A window of which
    the outcome is not plain is left `undecided`, for Python to decide it. Whatever else happens
    between two calls: the run goes on from where the stepper stands.
    """

    def __init__(
        self, stepper: Stepper, schedule: Schedule, selection: Selection, witness: Witness
    ) -> None:
        self._stepper, self._witness, self.undecided = stepper, witness, False
        assembly = stepper.assembly
        assert assembly.batch is not None
        self._batch = assembly.batch
        slots = assembly.structure.layout
        n, past = len(slots.inputs.reals), _past(schedule.extrapolation)
        columns = 2 if schedule.shape == "ramp" else 1
        trial = np.zeros((n, columns if past is None else past.order + 1))
        self._plan = Plan(
            schedule.sequential,
            schedule.order,
            schedule.shape,
            schedule.iteration,
            past,
            trial,
            selection.reals,
            np.zeros(n),
            np.zeros(len(slots.outputs.reals)),
            *witness.arrays(),
        )
        self._names = [c.name for c in selection.columns]
        self._width = 1 + len(self._names)
        self._lines = np.empty((0, self._width))  # where the recording has none to lend
        self._line = np.empty((1, self._width))
        self._stands: Position | None = None  # where the plan stands
        self._last: tuple[Window, Position, BatchProgress] | None = None
        self._stuck = 0

    @property
    def is_stuck(self) -> bool:
        """Whether Python had to decide so often that asking is not worth it."""
        return self._stuck >= _STUCK

    def windows(self, recording: Recording) -> int:
        """As many windows as fit into one call; how many."""
        room = max(_BYTES // (8 * self._width), 1)
        if isinstance(recording, SupportsLending):
            lines = recording.lend(room)
        else:
            if not len(self._lines):
                self._lines = np.empty((room, self._width))
            lines = self._lines
        ran = self._run(along(self._stepper.grid, self._stepper.position.time, len(lines)), lines)
        done = ran.windows
        if done:
            if isinstance(recording, SupportsLending):
                recording.keep(done)
            else:
                recording.block(lines[:done, 0], lines[:done, 1:])
        if ran.failure is not None:
            raise ran.failure
        return done

    def window(self, recording: Recording) -> bool:
        """One window; False if it was left undecided."""
        stepper = self._stepper
        before, grid = stepper.position, stepper.grid
        window = grid.after(before.time)
        ran = self._run(WindowRange(window, grid.origin, 0, 1), self._line)
        if ran.failure is not None:
            raise ran.failure
        if not ran.windows:
            return False
        self._last = window, before, ran
        stepper.improved = None
        recording.row(window.stop, self._line[0, 1:].copy(), ())
        return True

    @property
    def last(self) -> Window:
        """The last window that was asked for alone."""
        assert self._last is not None
        return self._last[0]

    def segment(self) -> Segment:
        """That window, as the usual way would report it."""
        assert self._last is not None
        (window, before, ran), after = self._last, self._stepper.position
        iteration = self._plan.iteration
        solved = iteration is not None and iteration.method != "sweeps"
        trial = Trial(
            Waveform(self._plan.trial.copy()),
            after.state,
            ran.iterations,
            coordination=before.coordination if solved else None,
            doubtful=bool(ran.doubtful),
        )
        return Segment(window, before, after, after.outputs, trial)

    def values(self) -> dict[str, Any]:
        """What was recorded of that window."""
        return dict(zip(self._names, self._line[0, 1:].tolist(), strict=True))

    def _run(self, stretch: WindowRange, lines: Vector) -> BatchProgress:
        """Some windows, written to lines; the stepper stands behind them then."""
        stepper, plan, before = self._stepper, self._plan, self._stepper.position
        if before is not self._stands:
            self._catch_up(before)
        if plan.past is not None:
            history = before.state or History()
            plan.past.times, plan.past.values = history.times, history.values
        if stretch.first.stop > stretch.first.start:
            ran = self._batch.run(plan, stretch, lines)
        else:
            ran = BatchProgress(0, undecided=True)  # Python says what is wrong with it
        done, self.undecided = ran.windows, ran.undecided
        self._stuck = 0 if done else self._stuck + 1
        if done:
            counts, outputs = stepper.statistics, Signals(plan.outputs.copy())
            counts.windows += done
            counts.native_windows += done
            counts.iterations += ran.iterations
            counts.iteration_limit_reached += ran.doubtful
            state = None if plan.past is None else History(plan.past.times, plan.past.values)
            time = float(lines[done - 1, 0])
            after = Position(time, outputs, before.coordination, state, before.control)
            stepper.position = self._stands = after
            if plan.shape == "hold" and plan.past is None and plan.iteration is None:
                self._witness.follows(plan.inputs)
        return ran

    def _catch_up(self, position: Position) -> None:
        """Go on from where something else has led to."""
        coordinator = self._stepper.assembly.coordinator
        self._plan.outputs[:] = position.outputs.reals
        self._plan.inputs[:] = coordinator.inputs(position.outputs, position.coordination).reals


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
