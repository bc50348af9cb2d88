"""A run, one window at a time."""
# Over 250 lines: the public class of a run, one short method for each thing that can be asked.

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
from ..core.options import check_number, worded
from ..core.statistics import Statistics
from ..drawing.run_settings import RunSettings
from ..drawing.system import System
from ..hosts.placement import Placement
from ..observe.cost import add_parts
from ..observe.live.plot import LiveRequest
from ..results.recorders import Recorder
from ..results.result import Result
from ..subsystems.intermediate import log_messages_of
from ..subsystems.notes import remarks_of
from .announcer import Announcer
from .checkpoint import Checkpoint
from .checkpointing import Checkpointing
from .copies import by_one_process
from .decisions import Decisions
from .facts import run_facts
from .interrupts import Shield
from .launch import Launch, check_serializable, saved
from .pace import Pace
from .terms import Estimators
from .window_loop import Observer, Step, WindowLoop


class Session:
    """A run in progress. Iterate over it for one window at a time, or `run()` it to the end.

    Use it as a context manager: leaving it closes parts and recording, whatever happened, and
    `result` holds what was computed. What is not given is as `run_settings` says, else as usual.
    """

    _decisions = Decisions()

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
        placement: Placement | None = None,
        compile: bool | None = None,
    ) -> None:
        named: Any = {} if isinstance(estimators, str) and estimators == "auto" else estimators
        ways = algorithm, controller, named, rtol, atol, record, recorder, calendar
        given = RunSettings(start, stop, *ways, placement, compile)
        checkpoint = None if resume is None else Checkpoint.read(resume)
        asked = self._decisions.asked(system, given, initialization)
        self.system, self.calendar = system, asked.calendar
        self._announcer = Announcer(system.name, asked.calendar, quiet=quiet)
        self._say, self.messages = self._announcer.say, self._announcer.messages
        self.start, self.stop = span = asked.start, asked.stop
        shown = self._announcer.watch(*span, asked.recorder, live, shown=progress)
        terms = self._decisions.terms(system, asked, self._announcer.note)
        self.algorithm, self.controller = terms.algorithm, terms.controller
        self.native, self._terms = terms.native, terms
        self.assembly = terms.assembled(self._announcer.note, self._announcer.waiting)
        self._result: Result | None = None
        self._unclosed: RunError | None = None  # why there will be none
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
        made = self._stepper, self._journal, self._shield, terms.native
        self._loop = WindowLoop(*made, resumed=checkpoint is not None)
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

    def observe(self, observer: Observer) -> None:
        """Show every window from now on to a function, right after it was recorded."""
        self._loop.observer = observer

    def advance(self) -> Sequence[Segment]:
        """Complete one window, record it, and say how it went."""
        self._check_open()
        self._make_changes()
        segments = self._loop.one()
        self._moved()
        return segments

    def proceed(self) -> None:
        """Complete some windows: as many as native code makes in one call, else one."""
        self._check_open()
        self._make_changes()
        self._loop.many()
        self._moved()

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

    def run(self, *, checkpoint: str | Path | None = None, every: float = 60.0) -> Result:
        """Go to the end. A failure leaves with everything up to then in `error.result`.

        `checkpoint`: a file to be written every so many seconds of waiting, and at the end.
        """
        check_number("every", every, least=0)
        kept = None if checkpoint is None else self._checkpointing(Path(checkpoint), every)
        try:
            with self._shield.watched(self.assembly.batch):
                while not self.finished:
                    self.proceed()
                    if kept is not None:
                        kept.look()
                if kept is not None:
                    kept.end()
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
        self._saved().write(path)

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

    def _saved(self) -> Checkpoint:
        self._make_changes()
        where = (self.start, self.stop), self._stepper, self._journal, self._changes
        with self._shield:  # the rows so far go to their file
            return saved(self._terms, self.assembly, *where, self.statistics)

    def _checkpointing(self, path: Path, every: float) -> Checkpointing:
        check_serializable(self.assembly)
        return Checkpointing(path.absolute(), every, self._saved, self._say, self.calendar)

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
        if self._unclosed is not None:
            raise self._unclosed
        if self._result is None:
            pressed = self._leave()
            try:
                self._result = Result(*self._journal.close(self._facts(message)))
            except FileError as error:
                self._unclosed = RecordingFailed(self.time, str(error))
                raise self._unclosed from error
            except KeyboardInterrupt as interrupt:
                self._unclosed = Interrupted(self.time, self.stop, str(interrupt))
                raise self._unclosed from None
            if pressed and not message:
                raise self._kept(Interrupted(self.time, self.stop))
        return self._result

    @by_one_process
    def _leave(self) -> bool:
        """Close the parts. Ctrl-C waits until that is done; whether it was pressed."""
        try:
            with self._shield.watched(), self._shield:
                self._announcer.close()
                self.assembly.close()
                for remark in remarks_of(self.assembly.subsystems):
                    self._say(remark)
                for name, text in log_messages_of(self.assembly.subsystems):
                    self._say(f"'{name}' logged: {text}")
        except KeyboardInterrupt:
            return True
        return False

    def _facts(self, message: str) -> dict[str, Any]:
        statistics = self.statistics
        where = self._terms.pilot, self._stepper.position, self.calendar
        seen = self._journal.facts(statistics, *where, finished=self.finished)
        made = {"finished": self.finished, "message": message, "messages": self.messages}
        times = self.start, self.stop, self.time
        known = run_facts(self._terms, times, self.calendar, statistics, self.changes)
        return {**known, **made, **seen}


worded(Session)
