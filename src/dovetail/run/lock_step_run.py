"""Windows that parts on other machines make side by side; what they did is taken in here."""
# Over 250 lines: one kind of run: what parts are told, what they did, and who was the cause.

from __future__ import annotations

import warnings
from dataclasses import replace
from time import perf_counter
from typing import Any, cast

import numpy as np

from ..algorithms.base import Schedule
from ..assembly.segment import Position
from ..core.errors import PartFailed
from ..core.signals import Signals, Vector
from ..hosts.life import HostDied
from ..hosts.proxy import Hosted
from ..machines.lock_step_frames import Stepped
from ..machines.remote_meeting import BesidePlan, CannotMeet, PartPlan, meet, step
from ..machines.remote_use import RemoteUse
from ..observe.input_course import WindowBlock
from ..subsystems.batch import WindowRange
from ..subsystems.extrapolating import History
from .curved_inputs import CurvedInputs
from .fused_run import along
from .interrupts import Shield
from .journal import Journal
from .stepping import Stepper

_LOOK = 0.25  # seconds between two looks at what parts did
_TRIPS = 16  # or so many times the way there and back, where that is more
_MOST = 1 << 16  # windows in one stretch
_BYTES = 1 << 24  # of outputs of one part


class LockStepRun:
    """Fixed windows of one pass, by a schedule, between parts that are all on other machines.

    The same windows, arithmetic and results as from Python. Each look takes in what the parts did
    since the last one: rows, verdict, counters and position are then where they would be.
    """

    def __init__(self, stepper: Stepper, schedule: Schedule, journal: Journal) -> None:
        self._stepper, self._schedule, self._journal = stepper, schedule, journal
        self._assembly = stepper.assembly
        self.is_possible, self._has_met = True, False
        self._count, self._look = 1, _LOOK
        self._columns, self._later = schedule.extrapolation + 1, History()
        self._parts = [cast(Hosted, s.subsystem) for s in self._assembly.subsystems]
        routing, layout = self._assembly.structure.routing, self._assembly.structure.layout
        self._rank = {part: k for k, part in enumerate(schedule.order)}
        self._outs = [s.reals for s in layout.outputs.spans]
        self._ins = [s.reals for s in layout.inputs.spans]
        self._routing, self._plain = routing, _is_plain(routing.gain, routing.offset)
        self._owner = np.concatenate(
            [np.full(s.stop - s.start, i) for i, s in enumerate(self._outs)] or [np.zeros(0)]
        ).astype(int)
        self._plans = [self._plan(i) for i in range(len(self._parts))]
        target_part = np.concatenate(
            [np.full(s.stop - s.start, i) for i, s in enumerate(self._ins)] or [np.zeros(0)]
        ).astype(int)
        self._early = np.array(  # wires whose source steps first
            [
                self._is_early(int(self._owner[s]), int(target_part[t]))
                for t, s in zip(routing.target.tolist(), routing.source.tolist(), strict=True)
            ],
            dtype=bool,
        )

        found = np.zeros(len(self._assembly.start.reals), dtype=bool)
        found[routing.target[self._early]] = True
        self._curves = CurvedInputs(self._columns, self._ins, [p.order for p in self._plans], found)

    def windows(self, shield: Shield) -> bool:
        """As many windows as fit between two looks; False where Python has to make the next."""
        stepper = self._stepper
        stretch = along(stepper.grid, stepper.position.time, self._count)
        if stepper.is_watched or not stretch.first.stop > stretch.first.start:
            return False
        if not self._has_met and not self._meet():
            return False
        begin, before = perf_counter(), stepper.position.outputs.reals
        start = self._assembly.start.reals
        values = [
            (start[span], before[plan.known], self._curves.past(self._state, span))
            for span, plan in zip(self._ins, self._plans, strict=True)
        ]
        widths = [s.stop - s.start for s in self._outs]
        found, pressed = step(self._uses, stretch, stepper.grid.size, values, widths)
        self._pace(perf_counter() - begin, stretch.count)
        with shield:
            error = self._take_in(stretch, found)
        if pressed:
            raise KeyboardInterrupt
        if error is not None:
            raise error
        return True

    @property
    def _state(self) -> Any:
        """What the algorithm remembers."""
        return self._stepper.position.state

    @property
    def _uses(self) -> list[RemoteUse]:
        return [cast(RemoteUse, part.host) for part in self._parts]

    def _meet(self) -> bool:
        """Let the parts reach each other; where they cannot, they are asked from here."""
        begin = perf_counter()
        try:
            meet(self._uses, self._plans, "curve" if self._columns > 1 else self._schedule.shape)
        except CannotMeet as error:
            self.is_possible = False
            if not error.known:
                warnings.warn(f"parts are asked one by one from here: {error}", stacklevel=2)
            return False
        self._has_met = True
        self._look = max(_LOOK, min(_TRIPS * (perf_counter() - begin) / 3, 16 * _LOOK))
        return True

    def _pace(self, seconds: float, count: int) -> None:
        """How many windows fit between two looks, at this speed."""
        width = max(*(s.stop - s.start for s in self._outs), 1)
        most = min(_MOST, max(_BYTES // (8 * width), 1), 4 * count)
        self._count = int(min(max(self._look * count / max(seconds, 1e-9), 1), most))

    def _take_in(
        self, stretch: WindowRange, found: list[Stepped | HostDied]
    ) -> BaseException | None:
        """Windows that all have completed are recorded; why there are no more of them."""
        done = min(0 if isinstance(one, HostDied) else one.done for one in found)
        outputs = np.empty((done + 1, self._assembly.blank.reals.size))
        outputs[0] = self._stepper.position.outputs.reals
        for span, one in zip(self._outs, found, strict=True):
            if isinstance(one, Stepped):
                finite = np.isfinite(one.outputs[:done]).all(axis=1)
                done = done if finite.all() else min(done, int(np.argmin(finite)))
                outputs[1 : done + 1, span] = one.outputs[:done]
        outputs = outputs[: done + 1]
        if done:
            self._record(stretch, outputs, found)
        return self._why(stretch, found, done)

    def _record(
        self, stretch: WindowRange, outputs: Vector, found: list[Stepped | HostDied]
    ) -> None:
        stepper, journal, done = self._stepper, self._journal, len(outputs) - 1
        stops = np.array([stretch.window(k).stop for k in range(done)])
        made = self._inputs(outputs)
        size = stretch.first.size
        journal.witness.see_many(self._block(outputs, made, stops, size))
        selection = journal.selection
        shown = np.concatenate([outputs, made], axis=1) if selection.uses_inputs else outputs
        held = stepper.position.outputs.discrete
        others = () if selection.pick is None else selection.pick(held)
        journal.recording.block(stops, np.ascontiguousarray(shown[1:, selection.reals]), others)
        before = stepper.position
        last = Signals(outputs[-1].copy(), None, held)
        time = float(stops[-1])
        state = self._later if self._columns > 1 else None
        stepper.position = Position(time, last, before.coordination, state, before.control)
        stepper.improved = None
        stepper.calm()
        counts = stepper.statistics
        counts.windows += done
        counts.iterations += done
        for live, span, one in zip(self._assembly.subsystems, self._outs, found, strict=True):
            live.stand(time, Signals(outputs[-1, span].copy()))
            live.evaluations += done
            live.seconds += one.seconds if isinstance(one, Stepped) else 0.0

    def _inputs(self, outputs: Vector) -> Vector:
        """Inputs that these outputs make, row by row."""
        r = self._routing
        found = np.tile(self._assembly.start.reals, (len(outputs), 1))
        passed = outputs[:, r.source]
        found[:, r.target] = passed if self._plain else r.gain * passed + r.offset
        return found

    def _block(self, outputs: Vector, made: Vector, stops: Vector, size: float) -> WindowBlock:
        """What inputs were over each window."""
        if self._columns > 1:
            start = self._stepper.position.time
            ends, self._later = self._curves.ends(self._state, start, made, stops, size)
            return WindowBlock(made, ends, stops, size, self._columns - 1)
        ends = made[:-1].copy()
        early = self._routing.target[self._early]
        ends[:, early] = made[1:, early]
        order = 0
        if self._schedule.shape == "ramp":
            order, begin = 1, made[:-1]
            ends = ((ends - begin) / size) * size + begin
        return WindowBlock(made, ends, stops, size, order)

    def _why(
        self, stretch: WindowRange, found: list[Stepped | HostDied], done: int
    ) -> BaseException | None:
        """The first cause of an end: a part that failed or was lost, before who waited for it."""
        window = stretch.window(min(done, stretch.count - 1))
        waited: BaseException | None = None
        for i in self._schedule.order:  # numbers that are none come first: others may follow them
            one = found[i]
            if isinstance(one, Stepped) and one.done > done:
                try:
                    given = Signals(one.outputs[done])
                    self._assembly.subsystems[i].finite(given, "advancing", window.stop)
                except PartFailed as error:
                    return error
        for part, one in zip(self._parts, found, strict=True):
            if isinstance(one, HostDied):
                return part.lost(one, "advancing", window)
            if one.error is not None:
                if isinstance(one.error, PartFailed):
                    one.error.part, one.error.time = part.name, window.start
                    return one.error
                what = f"{type(one.error).__name__}: {one.error}"
                return PartFailed(part.name, "advancing", window.start, what)
        for i, stepped in enumerate(found):
            one = stepped
            if isinstance(one, Stepped) and one.stopped_by >= 0 and one.why != "stopped":
                waited = waited or self._waited(i, one, window.start)
        return waited

    def _waited(self, i: int, one: Stepped, time: float) -> BaseException:
        """A neighbour that a part has waited for in vain."""
        beside = sorted(self._plans[i].beside, key=lambda b: (min(i, b.other), max(i, b.other)))
        other = beside[one.stopped_by].other if one.stopped_by < len(beside) else i
        mine, theirs = self._parts[i], self._parts[other]
        how = {
            "late": f"it did not answer '{mine.name}' within {self._uses[i].patience:g} s",
            "nonsense": f"it sent '{mine.name}' what is no answer",
        }.get(one.why, f"the connection between it and '{mine.name}' was lost")
        return PartFailed(theirs.name, "advancing", time, f"{how}, at {theirs.host.name}")

    def _is_early(self, source: int, reader: int) -> bool:
        if not self._schedule.sequential:
            return False
        return self._rank[source] < self._rank[reader]

    def _plan(self, i: int) -> PartPlan:
        """What part `i` is told: its wires, and who is beside it."""
        r, span = self._routing, self._ins[i]
        a, b = np.searchsorted(r.target, [span.start, span.stop])
        known = np.unique(r.source[a:b])
        own = known[self._owner[known] == i]
        ours = np.searchsorted(known, own), own - self._outs[i].start
        beside = []
        for j in range(len(self._parts)):
            gives = np.flatnonzero(self._owner[known] == j)
            c, d = np.searchsorted(r.target, [self._ins[j].start, self._ins[j].stop])
            theirs = np.unique(r.source[c:d])
            reads = theirs[self._owner[theirs] == i] - self._outs[i].start
            if j != i and (len(gives) or len(reads)):
                beside.append(BesidePlan(j, reads, gives, self._is_early(j, i)))
        target, source = r.target[a:b] - span.start, np.searchsorted(known, r.source[a:b])
        gain, offset = r.gain[a:b].copy(), r.offset[a:b].copy()
        whole = _is_plain(r.gain, r.offset)  # as wires are looked at: all together, or one part's
        plain = whole, _is_plain(gain, offset) if self._schedule.sequential else whole
        found = PartPlan(known, target, source, gain, offset, plain, ours, tuple(beside))
        order = self._parts[i].description.capabilities.input_order
        return replace(found, columns=self._columns, order=-1 if order is None else order)


def _is_plain(gain: Vector, offset: Vector) -> bool:
    return bool(np.all(gain == 1.0) and np.all(offset == 0.0))
