"""Watches a run and reports at the end how far it can be trusted."""
# Over 250 lines: what is seen of one window, of many, and the verdict on all.

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..assembly.assembly import Assembly
from ..assembly.segment import Segment
from ..core.seconds import Seconds
from ..core.signals import Signals, Vector
from ..core.statistics import Statistics
from ..core.typed import is_like
from ..results.hint import Limits
from ..results.verdict import Verdict
from .hints import WatchedWires, created, far, missed
from .input_course import InputCourse, WindowBlock
from .misses import Misses


class Witness:
    """Compares, at each window's end, what the inputs were with what their sources gave there.

    `joined`: the inputs whose values are found at junctions. Where a run does not iterate, they
    are found after a window and held over the next, and warned of like others.
    """

    def __init__(
        self,
        assembly: Assembly,
        sources: Mapping[str, str],
        joined: Mapping[str, str] | None = None,
        *,
        iterated: bool = True,
    ) -> None:
        self._assembly, self._sources, self._iterated = assembly, sources, iterated
        self._joined = {} if iterated or joined is None else joined
        slots = assembly.structure.layout.inputs
        n = len(slots.reals)
        self.worst, self.when = np.zeros(n), np.full(n, np.nan)
        self.low, self.high = np.full(n, np.inf), np.full(n, -np.inf)
        self.misses = Misses(assembly)
        self.course = InputCourse(_highest(assembly, n))
        self._made: Vector | None = None  # at the end of the last window, None where not known
        self.late = np.zeros(len(slots.discrete), dtype=np.int64)  # windows, by discrete input
        self.thrown, self.longest = 0, 0.0  # switches at ends of windows, and how long those were

    def renew(self) -> None:
        """Another run in which nothing is forecast: nothing was seen yet."""
        self.worst[:], self.when[:], self.low[:], self.high[:] = 0.0, np.nan, np.inf, -np.inf
        self.course.renew()
        self.late[:] = 0
        self._made, self.thrown, self.longest = None, 0, 0.0

    def see(self, segment: Segment, inputs: Signals) -> None:
        """Take note of one window; `inputs` are those that the outputs at its end make."""
        self.misses.see(segment)
        if segment.late:
            self.thrown, self.longest = self.thrown + 1, max(self.longest, segment.window.size)
        held = segment.trial.inputs.discrete
        if held != inputs.discrete:
            pairs = zip(held, inputs.discrete, strict=True)
            self.late += np.array([a != b for a, b in pairs], dtype=np.int64)
        made = inputs.reals
        if made.size == 0:
            return
        gap = made - segment.trial.inputs.reals(segment.window.size)
        mismatch = np.abs(gap)
        worse = mismatch > self.worst
        if worse.any():
            self.worst[worse], self.when[worse] = mismatch[worse], segment.window.stop
        np.minimum(self.low, made, out=self.low)
        np.maximum(self.high, made, out=self.high)
        self.course.miss(gap)
        self.follow(segment, made)

    def follow(self, segment: Segment, made: Vector) -> None:
        """Take note of how inputs moved over a window, to what the outputs at its end make."""
        before, window = segment.before, segment.window
        if segment.opening is not None:
            self.course.restart()
        if self._made is None or segment.opening is not None:
            inputs = self._assembly.coordinator.inputs(before.outputs, before.coordination)
            self._made = inputs.reals
        self.course.see(self._made, made, window.size, window.stop, segment.trial.inputs.order)
        self._made = made
        if segment.event:
            self.course.restart()
            self._made = None

    def verdict(
        self,
        statistics: Statistics,
        remarks: tuple[str, ...] = (),
        calendar: Seconds = Seconds(),
        *,
        finished: bool,
        bonds: Sequence[Mapping[str, Any]] = (),
        limits: Limits = Limits(),
    ) -> Verdict:
        """What there is to say; `remarks` are the controller's, `bonds` from the ledger."""
        limit, beyond = statistics.iteration_limit_reached, statistics.beyond_tolerance
        unsolved, notes = statistics.unsolved_junctions, _counted(statistics)
        if beyond and not any("doubtful" in remark for remark in remarks):
            notes.append(f"{beyond} windows were accepted beyond the tolerance: doubtful.")
        estimates = self.misses.estimates()
        notes += [*remarks, *self._late(), *self._thrown(calendar)]
        names = self._assembly.structure.layout.inputs.reals
        wires = WatchedWires.of(names, self._sources, self.low, self.high)
        share = wires.shares(self.worst)
        every = WatchedWires.of(names, {**self._sources, **self._joined}, self.low, self.high)
        hints = (
            *far(
                every,
                (share, self.when),
                self.course,
                calendar,
                limits,
                iterated=self._iterated,
                joined=self._joined,
            ),
            *created(bonds, limits.energy),
            *missed(estimates, limits.estimate),
        )
        decided = any(h.decides for h in hints)
        doubtful = bool(limit or unsolved or beyond or self.late.any() or decided)
        sentences = tuple(notes)
        if not np.any(share > 0):
            nothing = finished, limit + unsolved == 0, 0.0, None, None
            return Verdict(*nothing, sentences, estimates, doubtful, hints=hints)
        k = int(np.argmax(share))
        weakest = wires.wire(k)
        mismatch, when = float(share[k]), float(self.when[k])
        at = calendar.at(when)
        facts = finished, limit + unsolved == 0, mismatch, weakest, when
        return Verdict(*facts, sentences, estimates, doubtful, at, hints=hints)

    def see_many(self, block: WindowBlock) -> None:
        """Take note of many windows without events, as `see` does of each."""
        n = self.worst.size
        if n == 0:
            return
        gap = block.made[1:] - block.ends
        mismatch = np.abs(gap)
        first, columns = np.argmax(mismatch, axis=0), np.arange(n)
        worst = mismatch[first, columns]
        worse = worst > self.worst
        self.worst[worse], self.when[worse] = worst[worse], block.stops[first[worse]]
        np.minimum(self.low, block.made[1:].min(axis=0), out=self.low)
        np.maximum(self.high, block.made[1:].max(axis=0), out=self.high)
        self.course.see_many(block, gap)
        self._made = block.made[-1]

    def stands(self, inputs: Signals) -> None:
        """Take note of the inputs that a run begins with, or goes on with after a change."""
        self._made = inputs.reals
        self.course.restart()

    def arrays(self) -> tuple[Vector, ...]:
        """What was seen of the reals; code that changes them adds to it, and then `follows`."""
        return self.worst, self.when, self.low, self.high, self.course.bend, self.course.bend_time

    def follows(self, *, order: int, held: bool) -> None:
        """Many windows of one shape went by, with polynomials of this order.

        `held`: values were used as they were before; they moved by as much as they were off.
        """
        course = self.course
        course.order = order
        if held:
            farther = self.worst > course.bend
            if farther.any():
                course.bend[farther] = self.worst[farther]
                course.bend_time[farther] = self.when[farther]
        self._made = None

    def dump(self) -> tuple[Any, ...]:
        """What was seen so far, as a value."""
        seen = self.late, self.thrown, self.longest, self._made, self.misses.dump()
        return (*self.arrays(), *seen, self.course.dump())

    def load(self, seen: tuple[Any, ...]) -> None:
        """Go on from what was seen earlier; ValueError if that was in another system."""
        if not is_like(seen, self.dump()[: len(seen)]):  # older ones know less
            raise ValueError("what was seen so far is not what this run sees")
        count = len(self.arrays())
        for mine, given in zip(self.arrays(), seen[:count], strict=True):
            mine[:] = given  # the kernel writes into these: they keep their size
        self.late, self.thrown, self.longest, self._made, misses, *more = seen[count:]
        if self._made is not None and not is_like(self._made, self.worst):
            raise ValueError("the inputs that it stood at are not those of this run")
        self.misses.load(misses)
        for course in more:  # not in checkpoints of Dovetail 0.2
            self.course.load(course)

    def _thrown(self, calendar: Seconds) -> list[str]:
        """The switches that occurred at an unknown time inside a window."""
        if not self.thrown:
            return []
        what = "A switch was" if self.thrown == 1 else f"{self.thrown} switches were"
        return [
            f"{what} thrown by inputs that are held, where their window ends: late by up to "
            f"{calendar.lasting(self.longest)}."
        ]

    def _late(self) -> list[str]:
        """The discrete inputs that missed a change, the worst of them by name."""
        if not self.late.any():
            return []
        k = int(np.argmax(self.late))
        name = self._assembly.structure.layout.inputs.discrete[k]
        source = self._sources.get(name, "its source")
        return [
            f"'{source}' changed inside {self.late[k]} windows, and '{name}' saw it only in the "
            "next: doubtful; iterate, or use an error-controlled run that finds the event."
        ]


def _highest(assembly: Assembly, n: int) -> Vector:
    """The highest power of time that each real input can follow."""
    found = np.full(n, np.iinfo(np.int32).max)
    for part, span in zip(assembly.subsystems, assembly.inputs_of, strict=True):
        order = part.capabilities.input_order
        if order is not None:
            found[span.reals] = order
    return found


def _counted(statistics: Statistics) -> list[str]:
    """What counts say in sentences."""
    notes = []
    if unsolved := statistics.unsolved_junctions:
        notes.append(f"{unsolved} windows ended with a junction that had no solution.")
    if limit := statistics.iteration_limit_reached:
        notes.append(f"{limit} windows were accepted at the limit of iterations.")
    if statistics.noise_floor_reached:
        notes.append(
            f"In {statistics.noise_floor_reached} windows the iteration came no further than "
            f"the noise of its parts, to a tolerance of {statistics.noise_floor:.2g}: tighter "
            "solvers inside them lower it, smaller windows do not."
        )
    for name, times in statistics.beyond_by_part.items():
        notes.append(
            f"'{name}' cannot roll back and had stepped beyond an event {times} times: it "
            "responded to the event late, and the others saw it interpolated."
        )
    for name, times in statistics.restarts_by_host.items():
        again = "once" if times == 1 else f"{times} times"
        notes.append(
            f"The host '{name}' died and was started again {again}: its parts went on from the "
            "last window that was completed."
        )
    for name, effort in statistics.effort_by_part.items():
        if effort.stiff_steps and not effort.switches:
            notes.append(
                f"'{name}' is stiff: stability kept {effort.stiff_steps} of {effort.steps} "
                "steps of its solver short; solver='auto', 'radau' or 'cvode' needs fewer."
            )
    return notes
