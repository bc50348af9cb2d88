"""A run, one window at a time."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from inspect import signature
from pathlib import Path
from time import perf_counter
from typing import Any, Literal

from .algorithms.base import Algorithm
from .asking import check_drawing, check_estimators, check_kinds, check_options, check_times
from .assembly import Assembly
from .bonds import bonds_of
from .brief import brief
from .calendar import Calendar
from .checking import check_order, default_algorithm, notes, resolved, shortfalls
from .checkpoint import Checkpoint
from .columns import Selection
from .controllers.base import Controller, Remarking
from .controllers.binding import bound, with_order
from .controllers.fixed_step import FixedStep
from .errors import (
    CapabilityError,
    FileError,
    Interrupted,
    OptionError,
    RecordingFailed,
    RunError,
    Shortfall,
)
from .estimators.base import Estimator
from .estimators.choice import Needs, announced, choose_estimators
from .fused import Fused
from .initializations import Consistent
from .interrupts import Shield
from .junction_check import served
from .ledger import Ledger
from .leg import Leg, Position
from .pace import Pace
from .progress import Progress
from .recorders import Memory, Recorder
from .reports import gathered
from .result import Result
from .signals import Signals
from .statistics import Effort, Statistics
from .stepping import Stepper
from .structure.components import Structure
from .system import System
from .window import Grid, Window
from .witness import Witness

_STUCK = 3  # windows in a row that a fused run leaves undecided; then it is not worth it
Estimators = Mapping[str, Estimator] | Literal["auto"]


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One window that was completed."""

    window: Window
    event: bool
    values: dict[str, Any]

    @property
    def time(self) -> float:
        """Where the run stands now."""
        return self.window.stop

    def __getitem__(self, name: str) -> Any:
        return self.values[name]


class Session:
    """A run in progress. Iterate over it for one window at a time, or `run()` it to the end.

    Use it as a context manager: leaving it closes the parts and the recording, whatever
    happened; `result` then holds what was computed.
    """

    def __init__(
        self,
        system: System,
        *,
        stop: float,
        start: float = 0.0,
        algorithm: Algorithm | None = None,
        controller: Controller | None = None,
        estimators: Estimators = "auto",
        rtol: float = 1e-5,
        atol: float = 1e-6,
        record: str | Iterable[str] = "*",
        recorder: Recorder = Memory(),
        initialization: Consistent = Consistent(),
        progress: bool | None = None,
        quiet: bool = False,
        calendar: Calendar = Calendar(),
        resume: str | Path | None = None,
    ) -> None:
        given = None if isinstance(estimators, str) and estimators == "auto" else estimators
        checkpoint = None if resume is None else Checkpoint.read(resume)
        check_times(start, stop)
        check_kinds(algorithm, controller, recorder, initialization, calendar)
        check_estimators(given)
        check_drawing(system)
        self.messages: list[str] = []
        self._quiet, self.calendar = quiet, calendar
        if controller is None:
            controller = FixedStep((stop - start) / 500 or 1.0)
            self._say(f"no controller given: fixed windows of {controller.size:g} s")
        if algorithm is None:
            algorithm, why = default_algorithm(system, given)
            self._say(f"no algorithm given: {brief(algorithm)}, because {why}")
        for note in notes(system):
            self._say(note.what.rstrip("."))
        self.system, self.start, self.stop = system, start, stop
        self.algorithm = resolved(algorithm, controller, rtol, atol)
        self.controller = with_order(controller, algorithm)
        check_order(system, algorithm)
        lacking = shortfalls(system, self.algorithm, self.controller, given)
        if lacking:
            wanted = f"{type(algorithm).__name__} with {type(controller).__name__}"
            raise CapabilityError(wanted, lacking)
        needs = Needs.of(self.algorithm, self.controller)
        structure = Structure.of(system)
        self._pilot = bound(self.controller, system, structure, self.algorithm)
        for choice in announced(choose_estimators(system, given, needs, structure)):
            self._say(choice)
        self.assembly = Assembly.of(system, given, needs)
        for name, how in served(system, needs, given).items():
            self._say(f"the junction {name} is {how}")
        self._result: Result | None = None
        self._shield = Shield()
        self._ended: str | None = None  # the part that asked to end the run
        self._began = perf_counter()
        self._progress = Progress(start, stop, system.name, shown=False if quiet else progress)
        try:
            self._open(initialization, record, recorder, checkpoint)
        except BaseException as error:
            self.assembly.close()
            if isinstance(error, RunError):
                error.clock = calendar
            raise
        self._pace = Pace(self._stepper, stop)

    @property
    def time(self) -> float:
        """Where the run stands."""
        return self._stepper.position.time

    @property
    def finished(self) -> bool:
        """Whether the end is reached, or a part asked to end here."""
        return self._ended is not None or not self.time < self.stop

    @property
    def counts(self) -> Statistics:
        """Windows, iterations and rejections so far; not what single parts have cost."""
        return self._stepper.statistics

    @property
    def statistics(self) -> Statistics:
        """What the run has cost so far."""
        found = self._stepper.statistics
        self.assembly.count()
        parts = self.assembly.subsystems
        made, spent = self._earlier.evaluations_by_part, self._earlier.seconds_by_part
        beyond = self._earlier.beyond_by_part
        found.evaluations_by_part = {p.name: p.evaluations + made.get(p.name, 0) for p in parts}
        found.seconds_by_part = {p.name: p.seconds + spent.get(p.name, 0.0) for p in parts}
        counted = {p.name: p.beyond + beyond.get(p.name, 0) for p in parts}
        found.beyond_by_part = {name: n for name, n in counted.items() if n}
        found.effort_by_part = self._efforts()
        found.evaluations = sum(found.evaluations_by_part.values())
        found.wall_seconds = self._earlier.wall_seconds + perf_counter() - self._began
        return found

    def _efforts(self) -> dict[str, Effort]:
        """What the integrators inside the parts spent, where parts tell."""
        found = dict(self._earlier.effort_by_part)
        for p in self.assembly.subsystems:
            effort = getattr(p.subsystem, "effort", None)
            if isinstance(effort, Effort):
                found[p.name] = found.get(p.name, Effort()) + effort
        return found

    @property
    def result(self) -> Result:
        """What was computed; closes the session."""
        if self._result is None:
            self._close()
        assert self._result is not None
        return self._result

    def advance(self) -> Sequence[Leg]:
        """Complete one window, record it, and say how it went."""
        if self._result is not None:
            raise OptionError("this session is closed; start another one, or resume a checkpoint")
        if self.finished:
            raise OptionError(f"this session is at its end, t = {self.stop:g} s; there is no more")
        legs = self._stepper.advance()
        with self._shield:
            self._record_legs(legs)
        self._moved()
        return legs

    def _record_legs(self, legs: Sequence[Leg]) -> None:
        joined = self.assembly.joined
        for leg in legs:
            self._ledger.see(leg, joined.findings(leg.after.z) if joined else ())
            if leg.opening is not None:
                self._record(leg.window.start, leg.opening, leg.before.z)
            if leg is legs[-1] or leg.event:
                better = self._stepper.improved if leg is legs[-1] else None
                self._record(leg.window.stop, better or leg.outputs, leg.after.z, leg)
            if leg.event:
                self._record(leg.window.stop, leg.ticks or leg.after.outputs, leg.after.z)

    def __iter__(self) -> Iterator[Step]:
        while not self.finished:
            legs = self.advance()
            window = legs[0].window
            if len(legs) > 1:
                window = Window(window.start, sum(g.window.size for g in legs), self.time)
            yield Step(window, legs[-1].event, self._values())

    def run(self) -> Result:
        """Go to the end. A failure leaves with everything up to then in `error.result`."""
        try:
            with self._shield.watched():
                if Fused.fits(self._stepper, self.controller) and not self._ledger.bonds:
                    self._run_fused()
                while not self.finished:
                    self.advance()
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
        mute = [p.name for p in self.assembly.subsystems if not p.capabilities.can_serialize]
        if mute:
            lacks, remedy = "cannot write its state down", "run without checkpoints"
            raise CapabilityError("A checkpoint", [Shortfall(n, lacks, remedy) for n in mute])
        pairs = zip(self.assembly.subsystems, self.assembly.rehearsals, strict=True)
        Checkpoint(
            self.system.fingerprint(),
            repr(self.algorithm),
            repr(self.controller),
            self.start,
            self.stop,
            self._stepper.grid,
            self._stepper.position,
            [(p.time, p.dump(), r.dump()) for p, r in pairs],
            self.statistics,
            self._witness.dump(),
            self._recording.position(),
            tuple(c.name for c in self._selection.columns),
            self._ledger.dump(),
            tuple(repr(e) for e in self.assembly.estimators),
        ).write(path)

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

    def _run_fused(self) -> None:
        fused = Fused(self._stepper, self._selection, self._witness)
        stuck = 0
        while not self.finished and stuck < _STUCK:
            with self._shield:  # a call lasts a fraction of a second
                done = fused.advance(self._recording)
            self._moved()
            stuck = 0 if done else stuck + 1
            if fused.undecided and not self.finished:
                self.advance()
                fused.catch_up()

    def _moved(self) -> None:
        self._progress.moved(self.time, self._stepper.statistics.windows)
        slow = self._pace.message()
        if slow:
            self._say(slow)
        self._ended = self.assembly.ending
        if self._ended is not None:
            self._say(
                f"'{self._ended}' asked to end the simulation at {self.calendar.at(self.time)}"
            )

    def _open(
        self,
        initialization: Consistent,
        record: str | Iterable[str],
        recorder: Recorder,
        checkpoint: Checkpoint | None,
    ) -> None:
        system, assembly = self.system, self.assembly
        layout = assembly.structure.layout
        sources = {
            f"{c.target.part}.{target}": f"{c.source.part}.{source}"
            for c in system.connections
            for source, target in zip(
                c.source.variable.scalars(), c.target.variable.scalars(), strict=True
            )
        }
        self._selection = Selection.of(system, layout, record)
        self._witness = Witness(assembly, sources, iterated=self.algorithm.repeats)
        self._ledger = Ledger(bonds_of(system, layout))
        self._earlier = Statistics()
        slopes = self.algorithm.inputs == "hermite"
        size = self.controller.first_size
        assembly.initialize(
            self.start, {n: p.values for n, p in system.parts.items()}, slopes=slopes
        )
        if checkpoint is not None:
            self._resume(checkpoint, recorder)
            return
        position = initialization.position(assembly, self.start, size, slopes=slopes)
        assembly.begin()
        grid = Grid(self.start, size, self.stop)
        self._stepper = stepper = Stepper(assembly, self.algorithm, self._pilot, grid, position)
        shown = stepper.open()
        stepper.position = initialization.begun(assembly, stepper.position, size)
        for warning in assembly.joined.warnings.values() if assembly.joined else ():
            self._say(warning)
        before = stepper.position if shown is None else position
        joined = assembly.joined
        self._ledger.open(self.start, joined.findings(stepper.position.z) if joined else ())
        self._recording = recorder.open(self._selection.columns)
        self._record(self.start, before.outputs, before.z)
        position = stepper.position
        self._witness.stands(assembly.coordinator.inputs(position.outputs, position.z))
        if shown is not None:
            self._record(self.start, shown, stepper.position.z)

    def _resume(self, found: Checkpoint, recorder: Recorder) -> None:
        found.check_fits(
            fingerprint=self.system.fingerprint(),
            algorithm=repr(self.algorithm),
            controller=repr(self.controller),
            estimators=tuple(repr(e) for e in self.assembly.estimators),
            start=self.start,
            stop=self.stop,
            columns=tuple(c.name for c in self._selection.columns),
        )
        self.assembly.begin()
        pairs = zip(self.assembly.subsystems, self.assembly.rehearsals, strict=True)
        for (part, rehearsal), (time, state, learned) in zip(pairs, found.parts, strict=True):
            part.load(time, state)
            rehearsal.load(learned)
        grid = replace(found.grid, stop=self.stop)
        self._stepper = Stepper(self.assembly, self.algorithm, self._pilot, grid, found.position)
        self._earlier = found.statistics
        self._stepper.statistics = replace(found.statistics)
        self._witness.load(found.witness)
        self._ledger.load(found.ledger)
        self._recording = recorder.reopen(self._selection.columns, found.recording)

    def _record(self, time: float, outputs: Signals, z: Any, leg: Leg | None = None) -> None:
        inputs = self.assembly.coordinator.inputs(outputs, z)
        if leg is not None:
            self._witness.see(leg, inputs)
        self._recording.row(time, *self._selection.row(outputs, inputs))

    def _values(self) -> dict[str, Any]:
        position: Position = self._stepper.position
        inputs = self.assembly.coordinator.inputs(position.outputs, position.z)
        reals, discrete = self._selection.row(position.outputs, inputs)
        left, right = iter(reals.tolist()), iter(discrete)
        return {c.name: next(left if c.is_real else right) for c in self._selection.columns}

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
            self._progress.close()
            self.assembly.close()
            try:
                self._result = Result(self._recording.close(self._facts(message)))
            except FileError as error:
                raise RecordingFailed(self.time, str(error)) from error
        return self._result

    def _facts(self, message: str) -> dict[str, Any]:
        statistics = self.statistics
        remarks: tuple[str, ...] = ()
        if isinstance(self._pilot, Remarking):
            remarks = self._pilot.remarks(self._stepper.position.control, self.calendar)
        verdict = self._witness.verdict(statistics, remarks, self.calendar, finished=self.finished)
        shown = {name: r.facts(name) for name, r in gathered(self.assembly.subsystems).items()}
        ledger = self._ledger.facts() if self._ledger.bonds else None
        if ledger is not None:
            junctions, bonds = tuple(ledger["junctions"]), tuple(ledger["bonds"])
            verdict = replace(verdict, junctions=junctions, bonds=bonds)
        return {
            "system": self.system.name,
            "start": self.start,
            "stop": self.stop,
            "reached": self.time,
            "finished": self.finished,
            "message": message,
            "algorithm": repr(self.algorithm),
            "controller": repr(self.controller),
            "coupling": [brief(self.algorithm), brief(self.controller)],  # for people
            "statistics": asdict(statistics),
            "verdict": asdict(verdict),
            "messages": self.messages,
            "calendar": asdict(self.calendar),
            **({} if ledger is None else {"ledger": ledger}),
            **({} if not shown else {"intermediate": shown}),
        }

    def _say(self, message: str) -> None:
        self.messages.append(message)
        if not self._quiet:
            print(f"dovetail: {message}", file=sys.stderr)


def simulate(system: System, *, stop: float, **options: Any) -> Result:
    """Run a system from start to stop; the options are those of `Session`."""
    check_options(options, signature(Session).parameters)
    with Session(system, stop=stop, **options) as session:
        return session.run()
