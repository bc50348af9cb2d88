"""Windows of sizes that a controller chooses, in native code."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..algorithms.base import Schedule
from ..assembly.segment import Position, Segment
from ..assembly.trial import Trial
from ..controllers.as_data import ControlData, as_data
from ..controllers.base import GiveUp
from ..core.errors import StepFailed
from ..core.signals import Signals, Waveform
from ..core.window import Window
from ..junctions.ledger import Ledger
from ..observe.columns import Selection
from ..observe.witness import Witness
from ..results.recorders.base import Recording, SupportsLending, TakesRows
from ..subsystems.control import Control, ControlMemory, ControlProgress
from .failing import WAY_OUT
from .fused_run import FusedRun
from .stepping import Stepper

_LEAST_ROOM = 2  # lines: a window that is doubled fills both


class ControlledRun(FusedRun):
    """The windows of a run whose controller is data as well: many in one call, of any size.

    The same windows, decisions and results as from Python; windows that are asked for one by one
    are made there. What is not plain is left `undecided`, for Python to decide that window.
    """

    def __init__(
        self,
        stepper: Stepper,
        schedule: Schedule,
        selection: Selection,
        witness: Witness,
        ledger: Ledger,
        data: ControlData[Any],
    ) -> None:
        super().__init__(stepper, schedule, selection, witness, ledger)
        self._data, run = data, self._memory
        wires = stepper.assembly.structure.routing.target.size
        memory = ControlMemory.of(run.outputs.size, run.inputs.size, wires)
        room = memory, stepper.grid, 0.0, 0.0, np.zeros(run.outputs.size)
        self._control = Control(data.options, *room)

    @staticmethod
    def of(
        stepper: Stepper,
        schedule: Schedule,
        selection: Selection,
        witness: Witness,
        ledger: Ledger,
    ) -> ControlledRun | None:
        """For the controller of a run; None where that has no native twin, or none is needed."""
        data = as_data(stepper.controller)
        if data is None or (data.options.kind == "cut" and schedule.iteration is None):
            return None
        return ControlledRun(stepper, schedule, selection, witness, ledger, data)

    def windows(self, recording: TakesRows) -> int:
        """As many windows as fit into one call; how many."""
        lines: Any = None
        lent = isinstance(recording, SupportsLending) and self._selection.pick is None
        if lent and isinstance(recording, SupportsLending):  # whoever lends takes reals only
            lines = recording.lend(self._room)[: self._room]
        if lines is None or len(lines) < _LEAST_ROOM:
            lines, lent = self._own_lines(), False
        ran = self._controlled(lines)
        if ran.rows and lent and isinstance(recording, SupportsLending):
            recording.keep(ran.rows)
        elif ran.rows:
            recording.block(lines[: ran.rows, 0], lines[: ran.rows, 1:], self._discrete())
        if ran.failure is not None:
            raise ran.failure
        if ran.given_up is not None:
            raise self._given_up(ran.given_up)
        return ran.counts["windows"]

    def window(self, recording: Recording) -> bool:
        """From Python, which shows how it went."""
        return False

    def _controlled(self, lines: Any) -> ControlProgress:
        """Some windows, written to lines; the stepper stands behind them then."""
        stepper, run, control = self._stepper, self._memory, self._control
        before, course = stepper.position, self._witness.course
        if before is not self._stands:
            self._catch_up(before)
        control.grid, control.time, control.course_size = stepper.grid, before.time, course.size
        self._data.write(before.control, control.memory)
        if self._takes(before.state):
            ran = self._batch.control(run, control, lines)
        else:
            ran = ControlProgress(0, {"windows": 0}, undecided=True)
        self.undecided = ran.undecided
        done = ran.counts["windows"]
        goes_on = done or self._data.waits or ran.passing
        self._stuck = 0 if goes_on else self._stuck + ran.undecided
        self._rest(done, passing=ran.passing)
        if done:
            stepper.calm()
            memory = self._data.read(control.memory)
            outputs = Signals(run.outputs.copy(), self._told(), before.outputs.discrete)
            after = Position(control.time, outputs, before.coordination, self._state(), memory)
            stepper.position, stepper.grid = after, control.grid
            self._stands = None if ran.undecided else after
            stepper.improved = None
            course.size = control.course_size
            self._follows()
            self._note_bonds(ran.rows)
        for name, count in (*ran.counts.items(), ("native_windows", done)):
            setattr(stepper.statistics, name, getattr(stepper.statistics, name) + count)
        return ran

    def _given_up(self, window: Window) -> StepFailed:
        """Why a controller stops after a window that is not repeated: as it says itself."""
        before = self._stepper.position
        outputs = Signals(self._control.found.copy())
        after = Position(window.stop, outputs, before.coordination, None, before.control)
        trial = Trial(Waveform(self._memory.trial.copy()))
        segment = Segment(window, before, after, outputs, trial)
        said = self._stepper.controller.judge(window, ((segment,),), before.control)
        assert isinstance(said, GiveUp)
        return StepFailed(window, said.reason, said.remedy or WAY_OUT)
