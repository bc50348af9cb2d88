"""What a run records as it goes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from ..assembly.assembly import Assembly
from ..assembly.segment import Position, Segment
from ..controllers.base import Controller, SupportsRemarks
from ..core.calendar import Calendar
from ..core.signals import Signals
from ..core.statistics import Statistics
from ..drawing.system import System
from ..junctions.bonds import Bond, bonds_of
from ..junctions.coordination import Coordination
from ..junctions.finding import Finding
from ..junctions.ledger import Ledger
from ..observe.columns import Selection
from ..observe.witness import Witness
from ..results.arrays import ArrayTable
from ..results.recorders.base import (
    TIME,
    Column,
    RecordedTable,
    Recorder,
    Recording,
    SupportsIntermediate,
)
from ..subsystems.intermediate import IntermediateReport, gathered
from ..topology.layout import Layout
from .checkpoint import Checkpoint


class Journal:
    """The rows of a run, what its witness saw of wires, and its ledger of bonds."""

    recording: Recording

    def __init__(
        self, system: System, assembly: Assembly, record: str | Iterable[str], *, iterated: bool
    ) -> None:
        layout = assembly.structure.layout
        self._assembly = assembly
        self.selection = Selection.of(system, layout, record)
        self.ledger = Ledger(bonds_of(system, layout))
        joined = _joined(system, self.ledger.bonds, layout)
        self.witness = Witness(assembly, sources_of(system), joined, iterated=iterated)

    @property
    def names(self) -> tuple[str, ...]:
        """What is recorded."""
        return tuple(c.name for c in self.selection.columns)

    def open(
        self, recorder: Recorder, before: Position, after: Position, shown: Signals | None
    ) -> None:
        """Begin: `shown` are outputs right of events at the start, between the two positions."""
        self.ledger.open(before.time, self._findings(after.coordination))
        self.recording = recorder.open(self.selection.columns)
        self._row(before.time, before.outputs, before.coordination)
        self.witness.stands(self._inputs(after.outputs, after.coordination))
        if shown is not None:
            self._row(before.time, shown, after.coordination)

    def reopen(self, recorder: Recorder, found: Checkpoint) -> None:
        """Go on from a checkpoint."""
        self.witness.load(found.witness)
        self.ledger.load(found.ledger)
        self.recording = recorder.reopen(self.selection.columns, found.recording)

    def see(self, segments: Sequence[Segment], improved: Signals | None) -> None:
        """Record one window, and the places inside at which all parts stood.

        `improved` outputs at its end are recorded in place of those there; the ones inside are not
        improved, and left out then.
        """
        for segment in segments:
            self.ledger.see(segment, self._findings(segment.after.coordination))
            if segment.opening is not None:
                self._row(segment.window.start, segment.opening, segment.before.coordination)
            if improved is None or segment is segments[-1] or segment.event:
                better = improved if segment is segments[-1] else None
                self._row(
                    segment.window.stop,
                    better or segment.outputs,
                    segment.after.coordination,
                    segment,
                )
            else:
                now = self._inputs(segment.outputs, segment.after.coordination)
                self.witness.follow(segment, now.reals)
            if segment.event:
                self._row(
                    segment.window.stop,
                    segment.ticks or segment.after.outputs,
                    segment.after.coordination,
                )

    def jumped(self, position: Position, shown: Signals) -> None:
        """Record what stands right of an event between two windows."""
        self._row(position.time, shown, position.coordination)
        self.witness.stands(self._inputs(position.outputs, position.coordination))

    def values(self, position: Position) -> dict[str, Any]:
        """What is recorded, as it is at a position."""
        inputs = self._inputs(position.outputs, position.coordination)
        reals, discrete = self.selection.row(position.outputs, inputs)
        left, right = iter(reals.tolist()), iter(discrete)
        return {c.name: next(left if c.is_real else right) for c in self.selection.columns}

    def close(self, facts: Mapping[str, Any]) -> tuple[RecordedTable, dict[str, RecordedTable]]:
        """The finished recording, with what is known about the run, and what parts showed."""
        shown = gathered(self._assembly.subsystems)
        inside: dict[str, RecordedTable] = {
            name: _table(name, r, facts) for name, r in shown.items()
        }
        if shown and isinstance(self.recording, SupportsIntermediate):
            self.recording.show(inside)
        elif shown:  # a recorder that knows nothing of them
            facts = {**facts, "intermediate": {name: r.facts(name) for name, r in shown.items()}}
        return self.recording.close(facts), inside

    def facts(
        self,
        statistics: Statistics,
        pilot: Controller,
        position: Position,
        calendar: Calendar,
        *,
        finished: bool,
    ) -> dict[str, Any]:
        """The verdict, and what there is besides, as JSON values."""
        remarks: tuple[str, ...] = ()
        if isinstance(pilot, SupportsRemarks):
            remarks = pilot.remarks(position.control, calendar)
        found: dict[str, Any] = {}
        junctions, bonds = tuple[Any, ...](), tuple[Any, ...]()
        if self.ledger.bonds:
            found["ledger"] = ledger = self.ledger.facts()
            junctions, bonds = tuple(ledger["junctions"]), tuple(ledger["bonds"])
        witnessed = self.witness.verdict(
            statistics, remarks, calendar, finished=finished, bonds=bonds
        )
        verdict = replace(witnessed, junctions=junctions, bonds=bonds)
        return {"verdict": asdict(verdict), **found}

    def _findings(self, now: Coordination) -> Sequence[Finding]:
        return self._assembly.coordinator.findings(now)

    def _inputs(self, outputs: Signals, now: Coordination) -> Signals:
        return self._assembly.coordinator.inputs(outputs, now)

    def _row(
        self, time: float, outputs: Signals, now: Coordination, segment: Segment | None = None
    ) -> None:
        inputs = self._inputs(outputs, now)
        if segment is not None:
            self.witness.see(segment, inputs)
        self.recording.row(time, *self.selection.row(outputs, inputs))


def _table(part: str, report: IntermediateReport, facts: Mapping[str, Any]) -> ArrayTable:
    """What a part showed, with names as seen from outside."""
    names = [f"{part}.{name}" for name in report.names]
    columns = [
        Column(n, unit=report.units.get(o)) for n, o in zip(names, report.names, strict=True)
    ]
    arrays = dict(zip([TIME, *names], np.ascontiguousarray(report.rows.T), strict=True))
    about = {"system": f"{facts['system']}: {part} inside its windows"}
    return ArrayTable(columns, arrays, {**about, "finished": facts["finished"]})


def _joined(system: System, bonds: Sequence[Bond], layout: Layout) -> dict[str, str]:
    """Inputs whose values are found at a junction, scalar by scalar, with its name."""
    junctions, names = {j.name for j in system.junctions}, layout.inputs.reals
    fed = sources_of(system)
    found = {
        names[k]: bond.name
        for bond in bonds
        if bond.name in junctions
        for places in bond.inputs
        for k in places.tolist()
    }
    return {name: bond for name, bond in found.items() if name not in fed}


def sources_of(system: System) -> dict[str, str]:
    """What feeds each input, scalar by scalar."""
    return {
        f"{c.target.part}.{target}": f"{c.source.part}.{source}"
        for c in system.connections
        for source, target in zip(
            c.source.variable.scalars(), c.target.variable.scalars(), strict=True
        )
    }
