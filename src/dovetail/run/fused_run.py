"""Windows in native code: many in one call, or one at a time."""
# Over 250 lines: one way of going on, with all that is handed over and taken back.

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from ..algorithms.base import Schedule
from ..assembly.segment import Position, Segment
from ..assembly.trial import Trial
from ..core.signals import Discrete, Shape, Signals, Vector, Waveform
from ..core.window import Grid, Window
from ..junctions.ledger import Ledger
from ..observe.columns import Selection
from ..observe.witness import Witness
from ..results.recorders.base import Recording, SupportsLending, TakesRows
from ..subsystems.batch import BatchProgress, WindowRange
from ..subsystems.extrapolating import History
from ..subsystems.run_memory import InputHistory, RunMemory
from .learned import LearnedState
from .slopes import SlopeState
from .stepping import Stepper

_COLUMNS: dict[Shape, int] = {"hold": 1, "ramp": 2, "hermite": 4}
_BYTES = 1 << 23  # of lines, per call at the most
_LONGEST_REST = 32  # windows
_NOTED = 1 << 13  # windows of a call, where bonds are watched
_STUCK = 3  # calls in a row that leave their first window undecided; then it is not worth it


class FusedRun:
    """The windows of a run by its plan: fixed steps, an algorithm that is a `Schedule`, columns.

    The same windows, the same arithmetic and the same results as from Python. A window of which
    the outcome is not plain is left `undecided`, for Python to decide it. Whatever else happens
    between two calls: the run goes on from where the stepper stands.
    """

    def __init__(
        self,
        stepper: Stepper,
        schedule: Schedule,
        selection: Selection,
        witness: Witness,
        ledger: Ledger | None = None,
    ) -> None:
        self._stepper, self._witness, self.undecided = stepper, witness, False
        self._ledger = ledger if ledger is not None and ledger.bonds else None
        noted = 0 if self._ledger is None else 2 + 3 * len(self._ledger.bonds)
        assembly = stepper.assembly
        assert assembly.batch is not None
        self._batch = assembly.batch
        slots = assembly.structure.layout
        order = schedule.extrapolation
        n, past = len(slots.inputs.reals), InputHistory(order) if order else None
        columns = _COLUMNS[schedule.shape]
        trial, course = np.zeros((n, max(columns, order + 1))), witness.course
        self._learned = LearnedState(schedule, assembly.structure)
        self._slopes = SlopeState(assembly) if schedule.shape == "hermite" else None
        self._schedule, self._memory = (
            schedule,
            RunMemory(
                past,
                self._learned.history,
                None if self._slopes is None else self._slopes.history,
                np.zeros((_NOTED, noted)) if noted else None,
                trial,
                np.zeros(n),
                np.zeros(len(slots.outputs.reals)),
                *witness.arrays(),
                *course.shared(),
            ),
        )
        self._selection = selection
        self._width = 1 + len(selection.reals)
        self._lines = np.empty((0, self._width))  # where the recording has none to lend
        self._line = np.empty((1, self._width))
        self._stands: Position | None = None  # where the plan stands
        self._last: tuple[Window, Position, BatchProgress] | None = None
        self._stuck = self._fruitless = self._resting = 0

    def renew(self, stepper: Stepper) -> None:
        """Another run of the same plan, whose witness and batch begin anew."""
        self._stepper, self._stands, self._last = stepper, None, None
        self._stuck, self._fruitless, self._resting, self.undecided = 0, 0, 0, False
        self._memory.trial[:] = 0.0
        if self._memory.past is not None:
            self._memory.past.times, self._memory.past.values = (), ()

    @property
    def memory(self) -> RunMemory:
        """What changes as windows are made."""
        return self._memory

    @property
    def is_held(self) -> bool:
        """Whether inputs are what they were where a window began."""
        schedule = self._schedule
        plain = schedule.shape == "hold" and schedule.iteration is None
        return plain and self._memory.past is None

    @property
    def is_stuck(self) -> bool:
        """Whether Python had to decide so often that asking is not worth it."""
        return self._stuck >= _STUCK

    def rests(self) -> bool:
        """Whether it is not worth asking: something happened in each of the last windows."""
        self._resting -= self._resting > 0
        return self._resting > 0

    def windows(self, recording: TakesRows) -> int:
        """As many windows as fit into one call; how many."""
        lending: Any = recording if _lends(type(recording)) else None
        if self._selection.pick is not None:
            lending = None  # whoever lends takes reals only
        lines = self._own_lines() if lending is None else lending.lend(self._room)[: self._room]
        ran = self._run(along(self._stepper.grid, self._stepper.position.time, len(lines)), lines)
        done = ran.windows
        if done:
            if lending is not None:
                lending.keep(done)
            else:
                recording.block(lines[:done, 0], lines[:done, 1:], self._discrete())
        if ran.failure is not None:
            raise ran.failure
        return done

    @property
    def _room(self) -> int:
        """Lines of one call."""
        room = max(_BYTES // (8 * self._width), 1)
        return room if self._ledger is None else min(room, _NOTED)

    def _own_lines(self) -> Vector:
        """Lines for a recording that has none to lend."""
        if not len(self._lines):
            self._lines = np.empty((max(self._room, 2), self._width))
        return self._lines

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
        recording.row(window.stop, self._line[0, 1:].copy(), self._discrete())
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
        iteration = self._schedule.iteration
        solved = iteration is not None and iteration.method != "sweeps"
        trial = Trial(
            Waveform(self._memory.trial.copy()),
            after.state,
            ran.iterations,
            coordination=before.coordination if solved else None,
            doubtful=bool(ran.doubtful),
        )
        return Segment(window, before, after, after.outputs, trial)

    def values(self) -> dict[str, Any]:
        """What was recorded of that window."""
        reals, discrete = iter(self._line[0, 1:].tolist()), iter(self._discrete())
        columns = self._selection.columns
        return {c.name: next(reals if c.is_real else discrete) for c in columns}

    def _discrete(self) -> tuple[Discrete, ...]:
        """Recorded values that are no reals, which change at events only."""
        pick = self._selection.pick
        return () if pick is None else pick(self._stepper.position.outputs.discrete)

    def _run(self, stretch: WindowRange, lines: Vector) -> BatchProgress:
        """Some windows, written to lines; the stepper stands behind them then."""
        stepper, memory, before = self._stepper, self._memory, self._stepper.position
        if before is not self._stands:
            self._catch_up(before)
        if self._takes(before.state) and stretch.first.stop > stretch.first.start:
            self._witness.course.scale(stretch.first.size)
            ran = self._batch.run(memory, stretch, lines)
        else:
            ran = BatchProgress(0, undecided=True)  # Python says what is wrong with it
        done, self.undecided = ran.windows, ran.undecided
        stepper.statistics.iterations += ran.iterations
        self._stuck = 0 if done or ran.passing else self._stuck + 1
        self._rest(done, passing=ran.passing)
        if done:
            stepper.calm()
            held = before.outputs.discrete
            counts = stepper.statistics
            outputs = Signals(memory.outputs.copy(), self._told(), held)
            counts.windows += done
            counts.native_windows += done
            counts.iteration_limit_reached += ran.doubtful
            time = float(lines[done - 1, 0])
            after = Position(time, outputs, before.coordination, self._state(), before.control)
            stepper.position = self._stands = after
            self._follows()
            self._note_bonds(done)
        return ran

    def _note_bonds(self, rows: int) -> None:
        """What passed between ports in the windows of so many rows."""
        if self._ledger is not None and self._memory.bonds is not None:
            self._ledger.follow(self._memory.bonds[:rows])

    def _rest(self, done: int, *, passing: bool) -> None:
        """How long not to ask, where something has happened in each of the last windows."""
        self._fruitless = 0 if done or not passing else self._fruitless + 1
        self._resting = min(1 << self._fruitless, _LONGEST_REST) if self._fruitless > 1 else 0

    def _told(self) -> Vector | None:
        """Derivatives of outputs behind native windows, which parts then know as well."""
        return None if self._slopes is None else self._slopes.handed_back()

    def _takes(self, state: Any) -> bool:
        """Go on from what the algorithm remembers; False where that is for Python."""
        if self._slopes is not None and not self._slopes.known:
            return False
        if (past := self._memory.past) is not None:
            history = state or History()
            past.times, past.values = history.times, history.values
        return self._learned.write(state)

    def _state(self) -> Any:
        """What the algorithm remembers behind native windows."""
        past = self._memory.past
        return self._learned.read() if past is None else History(past.times, past.values)

    def _follows(self) -> None:
        """Tell the witness what shape the windows had that went by."""
        self._witness.follows(held=self.is_held, order=self._memory.trial.shape[1] - 1)

    def _catch_up(self, position: Position) -> None:
        """Go on from where something else has led to."""
        coordinator = self._stepper.assembly.coordinator
        self._memory.outputs[:] = position.outputs.reals
        if self._slopes is not None:
            self._slopes.catch_up(position.outputs)
        self._memory.inputs[:] = coordinator.inputs(position.outputs, position.coordination).reals


@cache
def _lends(kind: type) -> bool:
    """Whether recordings of this kind have memory to write to."""
    return issubclass(kind, SupportsLending)


def along(grid: Grid, time: float, count: int) -> WindowRange:
    """The next windows along a grid, as `Grid.after` would give them one by one."""
    first = grid.after(time)
    line = round((first.start - grid.origin) / grid.size)
    many = int((grid.stop - grid.origin) / grid.size - line) - 1
    alone = first.size != grid.size or many < 2  # off the lines, or near the end
    return WindowRange(first, grid.origin, line, 1 if alone else min(count, many))
