"""A run, one window at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from ..algorithms.base import Algorithm
from ..assembly.consistent import Consistent
from ..assembly.segment import Segment
from ..controllers.base import Controller
from ..core.calendar import Calendar
from ..core.change import Change
from ..core.errors import FileError, Interrupted, OptionError, RecordingFailed, RunError
from ..core.options import worded
from ..core.statistics import Statistics
from ..drawing.run_settings import RunSettings
from ..drawing.system import System
from ..observe.cost import add_parts
from ..observe.live.plot import LiveRequest
from ..results.recorders import Recorder
from ..results.result import Result
from ..subsystems.intermediate import log_messages_of
from .announcer import Announcer
from .checkpoint import Checkpoint
from .facts import run_facts
from .interrupts import Shield
from .launch import Launch, check_serializable, saved
from .pace import Pace
from .run_request import RunRequest
from .terms import Estimators, Terms
from .window_loop import Step, WindowLoop


class Session:
    """A run in progress. Iterate over it for one window at a time, or `run()` it to the end.

    Use it as a context manager: leaving it closes the parts and the recording, whatever
    happened; `result` then holds what was computed. What is not given is as the drawing says in
    its `run_settings`, else as it is usual.
    """

    def __init__(
        self,
        system: System,
        *,
        stop: float | None = None,
        start: float | None = None,
        algorithm: Algorithm | None = None,
        controller: Controller | None = None,
        estimators: Estimators | None = None,
        rtol: float | None = None,
        atol: float | None = None,
        record: str | Iterable[str] | None = None,
        recorder: Recorder | None = None,
        initialization: Consistent = Consistent(),
        progress: bool | None = None,
        live: LiveRequest = False,
        quiet: bool = False,
        calendar: Calendar | None = None,
        resume: str | Path | None = None,
    ) -> None:
        named: Any = {} if isinstance(estimators, str) and estimators == "auto" else estimators
        ways = algorithm, controller, named, rtol, atol, record, recorder, calendar
        given = RunSettings(start, stop, *ways)
        checkpoint = None if resume is None else Checkpoint.read(resume)
        asked = RunRequest.of(system, given, initialization)
        self.calendar = asked.calendar
        self._announcer = Announcer(system.name, asked.calendar, quiet=quiet)
        self._say, self.messages = self._announcer.say, self._announcer.messages
        self.system, self.start, self.stop = system, asked.start, asked.stop
        span, note = (asked.start, asked.stop), self._announcer.note
        shown = self._announcer.watch(*span, asked.recorder, live, shown=progress)
        terms = Terms.of(system, asked, note)
        self.algorithm, self.controller = terms.algorithm, terms.controller
        self.native, self._terms = terms.native, terms
        self.assembly = terms.assembled(note)
        self._result: Result | None = None
        self._shield, self._began = Shield(), perf_counter()
        self._ended: str | None = None  # the part that asked to end the run
        try:
            where = initialization, asked.record, shown, checkpoint, self._say
            launch = Launch.of(terms, self.assembly, span, *where)
        except BaseException as error:
            self.assembly.close()
            if isinstance(error, RunError):
                error.clock = asked.calendar
            raise
        self._stepper, self._journal = launch.stepper, launch.journal
        self._changes, self._earlier = launch.changes, launch.earlier
        self._loop = WindowLoop(self._stepper, self._journal, self._shield, terms.native)
        self._pace = Pace(self._stepper, asked.stop, asked.calendar)

    @property
    def time(self) -> float:
        """Where the run stands."""
        return self._stepper.position.time

    @property
    def finished(self) -> bool:
        """Whether the end is reached, or a part asked to end here."""
        return self._ended is not None or not self.time < self.stop

    @property
    def changes(self) -> tuple[Change, ...]:
        """What was changed by hand so far."""
        return tuple(self._changes.log)

    @property
    def counts(self) -> Statistics:
        """Windows, iterations and rejections so far; not what single parts have cost."""
        return self._stepper.statistics

    @property
    def statistics(self) -> Statistics:
        """What the run has cost so far."""
        found = self._stepper.statistics
        add_parts(found, self.assembly, self._earlier)
        found.wall_seconds = self._earlier.wall_seconds + perf_counter() - self._began
        return found

    @property
    def result(self) -> Result:
        """What was computed; closes the session."""
        if self._result is None:
            self._close()
        assert self._result is not None
        return self._result

    def set(self, name: str, value: Any, *, force: bool = False) -> None:
        """Change an input that nothing feeds, or a tunable parameter, from the next window on.

        That is an event: windows start anew there, and the result has both rows. Several changes
        before a window are one event. What was changed is in `result.changes`. As `System.set`.
        """
        self._check_open()
        self._changes.ask(name, value, force=force)

    def advance(self) -> Sequence[Segment]:
        """Complete one window, record it, and say how it went."""
        self._check_open()
        self._make_changes()
        segments = self._loop.one()
        self._moved()
        return segments

    def _check_open(self) -> None:
        if self._result is not None:
            raise OptionError("this session is closed; start another one, or resume a checkpoint")
        if self.finished:
            end = self.calendar.at(self.stop)
            raise OptionError(f"this session is at its end, {end}; there is no more")

    def _make_changes(self) -> None:
        if self._changes.waiting:
            self._changes.make(self.time)
            shown = self._stepper.disturbed()
            self._journal.jumped(self._stepper.position, shown)

    def __iter__(self) -> Iterator[Step]:
        while not self.finished:
            self._check_open()
            self._make_changes()
            step = self._loop.step()
            self._moved()
            yield step

    def run(self) -> Result:
        """Go to the end. A failure leaves with everything up to then in `error.result`."""
        try:
            with self._shield.watched():
                if not self.finished:
                    self._check_open()
                    self._make_changes()
                while not self.finished:
                    self._loop.many()
                    self._moved()
        except KeyboardInterrupt:
            raise self._kept(Interrupted(self.time, self.stop)) from None
        except FileError as error:
            raise self._kept(RecordingFailed(self.time, str(error))) from error
        except RunError as error:
            self._kept(error)
            raise
        return self.result

    def checkpoint(self, path: str | Path) -> None:
        """Write the whole run to a file, to go on from with `resume=`."""
        check_serializable(self.assembly)
        self._make_changes()
        where = (self.start, self.stop), self._stepper, self._journal, self._changes
        saved(self._terms, self.assembly, *where, self.statistics).write(path)

    def close(self) -> None:
        """End the session; `result` stays."""
        self._close()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, RunError):
            self._kept(error)
        else:
            self._close(message="" if error is None else str(error))

    def _moved(self) -> None:
        self._announcer.moved(self.time, self._stepper.statistics.windows, self._pace)
        self._ended = self.assembly.ending
        if self._ended is not None:
            when = self.calendar.at(self.time)
            self._say(f"'{self._ended}' asked to end the simulation at {when}")

    def _kept(self, error: RunError) -> RunError:
        """The error with everything up to then, as far as it could be written."""
        error.clock = self.calendar
        try:
            error.result = self._close(message=str(error))
        except RunError:
            error.result = None  # the recording itself is broken; its own error said so
        return error

    def _close(self, message: str = "") -> Result:
        if self._result is None:
            self._announcer.close()
            self.assembly.close()
            for name, text in log_messages_of(self.assembly.subsystems):
                self._say(f"'{name}' logged: {text}")
            try:
                self._result = Result(*self._journal.close(self._facts(message)))
            except FileError as error:
                raise RecordingFailed(self.time, str(error)) from error
        return self._result

    def _facts(self, message: str) -> dict[str, Any]:
        statistics, position = self.statistics, self._stepper.position
        seen = self._journal.facts(
            statistics, self._terms.pilot, position, self.calendar, finished=self.finished
        )
        made = {"finished": self.finished, "message": message, "messages": self.messages}
        times = self.start, self.stop, self.time
        known = run_facts(self._terms, times, self.calendar, statistics, self.changes)
        return {**known, **made, **seen}


worded(Session)
