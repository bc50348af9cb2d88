"""A run that is made many times, with other values, by parts that are made once and begin anew.

Whatever is out of the ordinary in such a run is not explained here: it is left to a `Session`,
which makes it from the drawing as it makes any other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf

from ..assembly.assembly import Assembly
from ..assembly.consistent import Consistent
from ..assembly.live_parts import start_values
from ..assembly.segment import Position
from ..core.errors import InputError, RunError
from ..core.signals import Signals
from ..core.values import Values
from ..core.window import Grid
from ..drawing.run_settings import RunSettings
from ..drawing.system import System
from ..observe.columns import Selection
from ..observe.hints import Doubts
from ..observe.witness import Witness
from ..subsystems.batch import SupportsRenewal
from ..subsystems.live import Live
from ..subsystems.restart import Restart, SupportsRestart
from ..subsystems.whole_runs import WholeRuns
from .decisions import Decisions
from .fused_run import FusedRun
from .journal import sources_of
from .outlines import outline_of
from .planned import wanted_run
from .repeatable import against_repetition, is_plain
from .repeated_rows import RepeatedLines, RepeatedRows, Unusual
from .run_request import RunRequest
from .stepping import Stepper
from .terms import Terms

_LARGEST = 1 << 25  # bytes of rows; longer runs gain nothing
_OTHERWISE = 0.1  # of the runs: if more than that begin otherwise, native code is not asked again
_LIFE = 250  # runs of one instance: what it may lose in each of them does not add up for ever


class RepeatedRun:
    """One run after the other of FMUs whose instances are reset: whole windows of one size.

    `given`: the variables of each part that have values in all of these runs.
    """

    def __init__(
        self, terms: Terms, asked: RunRequest, given: Mapping[str, tuple[str, ...]]
    ) -> None:
        self._terms, self._asked, self._given = terms, asked, given
        self._grid = Grid(asked.start, terms.controller.first_size, asked.stop)
        self._selection = Selection.of(terms.system, terms.structure.layout, asked.record)
        windows = (asked.stop - asked.start) / self._grid.size
        width = 1 + len(self._selection.reals)
        self.fits = 8 * width * windows < _LARGEST
        self._lines = RepeatedLines(int(windows) + 8 if self.fits else 0, width)
        self._alive: _Alive | None = None
        self._whole: WholeRuns | None = None  # of those that are alive
        self._made, self._otherwise = 0, 0.0  # runs; those that native code knows no beginning of
        parts = terms.system.parts
        self._start = start_values(parts.values())
        self._moves_inputs = any(
            v.name in given.get(name, ()) for name, p in parts.items() for v in p.description.inputs
        )

    @staticmethod
    def of(
        system: System, settings: RunSettings, given: Mapping[str, tuple[str, ...]]
    ) -> RepeatedRun | None:
        """Those of a drawing; None where its runs are not of this simple kind."""
        decisions = Decisions()
        try:
            asked = decisions.asked(system, settings, Consistent())
            if any(
                against_repetition(part.adapted) or part.forced for part in system.parts.values()
            ):
                return None
            terms = decisions.terms(system, asked, lambda line: None)
        except InputError:
            return None
        made = RepeatedRun(terms, asked, given) if is_plain(terms) else None
        return made if made is not None and made.fits else None

    def run(self, values: Mapping[str, Values]) -> RepeatedRows:
        """The run with these values; Unusual where it is not one of many."""
        if self._made % _LIFE == 0:
            self.close()
        self._made += 1
        try:
            return self._run(values)
        except Unusual:
            self.close()
            raise
        except RunError as error:
            self.close()
            raise Unusual(str(error)) from error

    def close(self) -> None:
        """Give the parts back; the next run makes new ones."""
        if self._alive is not None:
            self._alive.assembly.close()
            self._alive = self._whole = None

    def _run(self, values: Mapping[str, Values]) -> RepeatedRows:
        found = None if self._alive is None else self._run_whole(values, self._alive)
        return self._run_in_steps(values) if found is None else found

    def _run_whole(self, values: Mapping[str, Values], alive: _Alive) -> RepeatedRows | None:
        """The same in one native call; None where these parts do not begin in that way."""
        if self._otherwise > 3 + _OTHERWISE * self._made:
            return None
        held, assembly = self._held(values), alive.assembly
        is_new = held is not assembly.start and not held.equals(assembly.start)
        if is_new:
            assembly.start = held
            assembly.coordinator.hold(held)
        whole = self._whole = self._whole or self._made_whole(alive)
        made = None if whole is None else whole.run(values, held if is_new else None)
        if whole is None or made == "not so":
            self._whole, self._otherwise = None, inf if whole is None else self._otherwise + 1
            return None
        if made != "made":
            raise Unusual
        self._lines.hold(1 + whole.windows)
        seen, counts = alive.witness, (whole.windows, whole.evaluations)
        doubtful = alive.doubts.are_there(seen.worst, seen.low, seen.high, seen.course)
        return RepeatedRows(self._selection.columns, self._lines.filled, doubtful, *counts)

    def _made_whole(self, alive: _Alive) -> WholeRuns | None:
        """Such runs of the parts that are alive."""
        outline = outline_of(alive.assembly, alive.fused, self._grid, self._lines.room)
        if outline is None:
            return None
        alive.batch.renew(alive.assembly.start)
        return alive.batch.whole_runs(outline, alive.restarts)

    def _run_in_steps(self, values: Mapping[str, Values]) -> RepeatedRows:
        stepper, alive = self._begun(values)
        lines, fused, assembly = self._lines, alive.fused, alive.assembly
        while stepper.position.time < self._asked.stop:
            fused.windows(lines)
            if fused.undecided or assembly.ending is not None:
                raise Unusual
        if alive.batch.has_refused:
            raise Unusual
        assembly.count()
        counts, seen = stepper.statistics, alive.witness
        doubtful = bool(counts.iteration_limit_reached)
        doubtful |= alive.doubts.are_there(seen.worst, seen.low, seen.high, seen.course)
        made = sum(part.evaluations for part in assembly.subsystems)
        return RepeatedRows(self._selection.columns, lines.filled, doubtful, counts.windows, made)

    def _begun(self, values: Mapping[str, Values]) -> tuple[Stepper, _Alive]:
        """All parts where the first window begins, and that recorded."""
        start, alive, begins = self._asked.start, self._alive, self._asked_begins
        held = self._held(values)
        if alive is None:
            position, alive = self._made_alive(values, held)
        else:
            assembly = alive.assembly
            if not held.equals(assembly.start):
                assembly.start = held
                assembly.coordinator.hold(held)
            for live, restart in zip(assembly.subsystems, alive.restarts, strict=True):
                live.begin_anew(start)
                restart.initialize(start, values.get(live.name, {}))
            position = begins.position(assembly, start, self._grid.size, derivatives=False)
            for restart in alive.restarts:
                restart.begin()
            alive.batch.renew(held)
            alive.witness.renew()
        assembly = alive.assembly
        position = begins.left(assembly, position)
        stepper = Stepper(assembly, self._terms.algorithm, self._terms.pilot, self._grid, position)
        if stepper.open() is not None:
            raise Unusual
        alive.fused.renew(stepper)
        inputs = assembly.coordinator.inputs(position.outputs, position.coordination)
        alive.witness.stands(inputs)
        self._lines.begin()
        self._lines.row(position.time, *self._selection.row(position.outputs, inputs))
        return stepper, alive

    def _made_alive(self, values: Mapping[str, Values], held: Signals) -> tuple[Position, _Alive]:
        """The parts, made and started as in any other run."""
        terms, start = self._terms, self._asked.start
        assembly = terms.assembled(lambda line: None)
        try:
            assembly.start = held
            assembly.coordinator.hold(held)
            assembly.initialize(start, values, derivatives=False)
            size = self._grid.size
            position = self._asked_begins.position(assembly, start, size, derivatives=False)
            assembly.begin(wanted_run(terms, self._selection, self._grid))
            if assembly.batch is None or len(assembly.batched) != len(assembly.subsystems):
                raise Unusual
            alive = self._alive = self._about(assembly, position)
        except BaseException:
            assembly.close()
            raise
        return position, alive

    def _about(self, assembly: Assembly, position: Position) -> _Alive:
        """What belongs to live parts, and is renewed with them."""
        assert isinstance(assembly.batch, SupportsRenewal)
        terms, parts = self._terms, self._terms.system.parts
        witness = Witness(assembly, sources_of(terms.system), iterated=False)
        stepper = Stepper(assembly, terms.algorithm, terms.pilot, self._grid, position)
        assert terms.native.schedule is not None, "a plain run is made natively"
        fused = FusedRun(stepper, terms.native.schedule, self._selection, witness)
        restarts = tuple(
            _restart(live, parts[live.name].adapted, self._given.get(live.name, ()))
            for live in assembly.subsystems
        )
        doubts = Doubts.about(terms.structure.layout.inputs.reals, sources_of(terms.system))
        return _Alive(assembly, assembly.batch, restarts, witness, doubts, fused)

    def _held(self, values: Mapping[str, Values]) -> Signals:
        """What inputs are before anything is known."""
        parts = self._terms.system.parts.values()
        if not self._moves_inputs:
            return self._start
        return start_values(p.with_values(values.get(p.name, {}), frozenset()) for p in parts)

    _asked_begins = Consistent()


@dataclass(frozen=True, slots=True, eq=False)
class _Alive:
    """Parts in use, and what is renewed with them."""

    assembly: Assembly
    batch: SupportsRenewal
    restarts: tuple[Restart, ...]
    witness: Witness
    doubts: Doubts
    fused: FusedRun


def _restart(live: Live, model: object, given: tuple[str, ...]) -> Restart:
    assert isinstance(model, SupportsRestart)
    return model.restart_of(live.subsystem, given)
