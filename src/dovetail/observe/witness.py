"""Watches a run and reports at the end how far it can be trusted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..assembly.assembly import Assembly
from ..assembly.segment import Segment
from ..core.errors import Seconds
from ..core.signals import Signals, Vector
from ..core.statistics import Statistics
from ..results.verdict import JUMP, LARGE, Verdict
from .misses import Misses


class Witness:
    """Compares, at each window's end, what the inputs were with what their sources gave there."""

    def __init__(
        self, assembly: Assembly, sources: Mapping[str, str], *, iterated: bool = True
    ) -> None:
        self._assembly, self._sources, self._iterated = assembly, sources, iterated
        slots = assembly.structure.layout.inputs
        n = len(slots.reals)
        self.worst, self.when = np.zeros(n), np.full(n, np.nan)
        self.low, self.high = np.full(n, np.inf), np.full(n, -np.inf)
        self.misses = Misses(assembly)
        self.jump_size, self.jump_time = np.zeros(n), np.full(n, np.nan)
        self._made: Vector | None = None  # at the end of the last window, None after an event
        self.late = np.zeros(len(slots.discrete), dtype=np.int64)  # windows, by discrete input
        self.thrown, self.longest = 0, 0.0  # switches at ends of windows, and how long those were

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
        mismatch = np.abs(made - segment.trial.inputs.reals(segment.window.size))
        worse = mismatch > self.worst
        if worse.any():
            self.worst[worse], self.when[worse] = mismatch[worse], segment.window.stop
        np.minimum(self.low, made, out=self.low)
        np.maximum(self.high, made, out=self.high)
        if not self._iterated:
            self._see_jumps(segment, made)

    def verdict(
        self,
        statistics: Statistics,
        remarks: tuple[str, ...] = (),
        calendar: Seconds = Seconds(),
        *,
        finished: bool,
    ) -> Verdict:
        """What there is to say; `remarks` are the controller's."""
        limit, beyond = statistics.iteration_limit_reached, statistics.beyond_tolerance
        unsolved = statistics.unsolved_junctions
        notes = []
        if unsolved:
            notes.append(f"{unsolved} windows ended with a junction that had no solution.")
        if limit:
            notes.append(f"{limit} windows were accepted at the limit of iterations.")
        if beyond and not remarks:
            notes.append(f"{beyond} windows were accepted beyond the tolerance: doubtful.")
        for name, times in statistics.beyond_by_part.items():
            notes.append(
                f"'{name}' cannot roll back and had stepped beyond an event {times} times: it "
                "responded to the event late, and the others saw it interpolated."
            )
        estimates = self.misses.estimates()
        notes += [*remarks, *self._late(), *self._thrown(calendar)]
        names = self._assembly.structure.layout.inputs.reals
        connected = np.array([name in self._sources for name in names], dtype=bool)
        with np.errstate(over="ignore"):  # a run that blew up has no range to speak of
            spread = self.high - self.low
        known = connected & (spread > 0) & np.isfinite(spread)
        share = np.where(known, self.worst / np.where(known, spread, 1), 0)
        jumped = np.where(known, self.jump_size / np.where(known, spread, 1), 0)
        if np.any(jumped > JUMP):
            notes.append(self._jumped(int(np.argmax(jumped)), calendar))
        doubtful = bool(limit or unsolved or beyond or self.late.any() or np.any(share > LARGE))
        doubtful = doubtful or bool(np.any(jumped > JUMP))
        sentences = tuple(notes)
        if not np.any(share > 0):
            solved = limit + unsolved == 0
            return Verdict(finished, solved, 0.0, None, None, sentences, estimates, doubtful)
        k = int(np.argmax(share))
        weakest = f"{self._sources[names[k]]} -> {names[k]}"
        mismatch, when = float(share[k]), float(self.when[k])
        at = calendar.at(when)
        facts = finished, limit + unsolved == 0, mismatch, weakest, when
        return Verdict(*facts, sentences, estimates, doubtful, at)

    def stands(self, inputs: Signals) -> None:
        """Take note of the inputs that a run begins with."""
        self._made = inputs.reals

    def arrays(self) -> tuple[Vector, ...]:
        """What was seen of the reals; code that changes them adds to it, and then `follows`."""
        return self.worst, self.when, self.low, self.high, self.jump_size, self.jump_time

    def follows(self, made: Vector) -> None:
        """Many windows of one shape went by; the last of them left these inputs.

        Values that were used before they moved jump_time by as much as they were off.
        """
        if not self._iterated:
            farther = self.worst > self.jump_size
            if farther.any():
                self.jump_size[farther], self.jump_time[farther] = (
                    self.worst[farther],
                    self.when[farther],
                )
        self._made = made.copy()

    def dump(self) -> tuple[Any, ...]:
        """What was seen so far, as a value."""
        seen = self.late, self.thrown, self.longest, self._made, self.misses.dump()
        return (*self.arrays(), *seen)

    def load(self, seen: tuple[Any, ...]) -> None:
        """Go on from what was seen earlier; ValueError if that was in another system."""
        count = len(self.arrays())
        for mine, given in zip(self.arrays(), seen[:count], strict=True):
            mine[:] = given  # the kernel writes into these: they keep their size
        self.late, self.thrown, self.longest, self._made, misses = seen[count:]
        self.misses.load(misses)

    def _see_jumps(self, segment: Segment, made: Vector) -> None:
        """How far held values moved in one window; with one pass, that is what they were off by."""
        jumped = segment.opening is not None  # an event was in between
        if self._made is not None and not jumped and segment.trial.inputs.order == 0:
            jump_size = np.abs(made - self._made)
            farther = jump_size > self.jump_size
            self.jump_size[farther], self.jump_time[farther] = (
                jump_size[farther],
                segment.window.stop,
            )
        self._made = None if segment.event else made

    def _jumped(self, k: int, calendar: Seconds) -> str:
        """The value that moved farthest in one window."""
        name = self._assembly.structure.layout.inputs.reals[k]
        share = 100 * (self.jump_size[k] / (self.high[k] - self.low[k]))
        return (
            f"{self._sources[name]} -> {name} moved by {share:.2g} % of its range in the window "
            f"that ends at {calendar.at(float(self.jump_time[k]))}, and one pass sees that up to a "
            "window late: doubtful; iterate, or use smaller windows."
        )

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
