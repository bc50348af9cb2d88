"""Which of the things that a witness saw are worth a warning."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.seconds import Seconds
from ..core.signals import Vector
from ..results.hint import Hint, Kind, Limits
from ..results.verdict import Estimates
from .input_course import InputCourse


@dataclass(frozen=True, slots=True, eq=False)
class WatchedWires:
    """Connected real inputs as a run has left them: their sources, and the ranges they covered.

    `spread` is 0 where nothing can be said: not connected, no range, or none to speak of.
    """

    names: Sequence[str]
    sources: Mapping[str, str]
    spread: Vector

    @staticmethod
    def of(
        names: Sequence[str], sources: Mapping[str, str], low: Vector, high: Vector
    ) -> WatchedWires:
        """Those among `names` that have a source and have moved."""
        connected = np.array([name in sources for name in names], dtype=bool)
        with np.errstate(over="ignore"):  # a run that blew up has no range to speak of
            spread = high - low
        known = connected & (spread > 0) & np.isfinite(spread)
        return WatchedWires(names, sources, np.where(known, spread, 0.0))

    def shares(self, values: Vector) -> Vector:
        """Of the ranges; 0 where there is none."""
        known = self.spread > 0
        with np.errstate(over="ignore"):
            found = np.where(known, values / np.where(known, self.spread, 1.0), 0.0)
        return np.where(np.isfinite(found), found, 0.0)

    def wire(self, k: int) -> str:
        """A connection in words."""
        return f"{self.sources[self.names[k]]} -> {self.names[k]}"

    def worst(
        self, kind: Kind, shares: Vector, limits: Any, times: Vector, calendar: Seconds
    ) -> list[Hint]:
        """The one that is farthest beyond its limit, if any is."""
        limits = np.broadcast_to(limits, shares.shape)
        k = int(np.argmax(shares / limits)) if shares.size else 0
        if not shares.size or not shares[k] > limits[k]:
            return []
        time = None if np.isnan(times[k]) else float(times[k])
        at = "" if time is None else calendar.at(time)
        signal = self.sources[self.names[k]] if kind == "activity" else self.wire(k)
        return [Hint(kind, signal, float(shares[k]), float(limits[k]), time, at)]


@dataclass(frozen=True, slots=True, eq=False)
class Doubts:
    """Whether hints of `far` decide about a run: the same answer, without a word about it.

    For runs in which nothing is iterated, joined or forecast, and which are made by the thousand.
    """

    connected: Any
    limits: Limits = Limits()

    @staticmethod
    def about(names: Sequence[str], sources: Mapping[str, str]) -> Doubts:
        """What can be told before anything has moved."""
        return Doubts(np.array([name in sources for name in names], dtype=bool))

    def are_there(self, worst: Vector, low: Vector, high: Vector, course: InputCourse) -> bool:
        """Whether an input was off too far, or jumped while it was held."""
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            spread = high - low
            known = self.connected & (spread > 0) & np.isfinite(spread)
            off, jumped = worst / spread, course.bend / spread
        found = (off > self.limits.mismatch) & np.isfinite(off)
        held = course.orders(course.order) == 0
        found |= (jumped > self.limits.jump) & held & np.isfinite(jumped)
        return bool((found & known).any())


def far(
    wires: WatchedWires,
    seen: tuple[Vector, Vector],
    course: InputCourse,
    calendar: Seconds,
    limits: Limits,
    *,
    iterated: bool,
    joined: Collection[str],
) -> list[Hint]:
    """What inputs and outputs give away; `seen`: mismatches, and when.

    `joined` inputs are found at junctions after each window, which is nearer to the truth than
    what wires bring: of those only large moves are told.
    """
    mismatch, when = seen
    orders = np.minimum(course.orders(course.order), 2)
    bend = wires.shares(course.bend)
    one_pass = (orders == 0) & (not iterated)  # then a jump is seen late, which is worse
    apart = np.array([name in joined for name in wires.names], dtype=bool)
    none = np.where(apart, np.inf, 0.0)  # no limit is beyond it
    curved = np.where(one_pass, np.inf, np.array(limits.curvature)[orders])
    activity = np.where(wires.spread > 0, course.activity(), 0.0)
    drift = wires.shares(wires.shares(course.off))
    active = np.array(limits.activity)[orders]
    kinds: tuple[tuple[Kind, Vector, Any, Vector], ...] = (
        ("mismatch", mismatch, limits.mismatch, when),
        ("jump", np.where(one_pass & ~apart, bend, 0.0), limits.jump, course.bend_time),
        ("junction", np.where(one_pass & apart, bend, 0.0), limits.junction, course.bend_time),
        ("curvature", bend, np.maximum(curved, none), course.bend_time),
        ("drift", drift, np.maximum(limits.drift, none), when),
        ("activity", activity, np.maximum(active, none), course.bend_time),
    )
    return [hint for kind in kinds for hint in wires.worst(*kind, calendar)]


def missed(estimates: Mapping[str, Estimates], limit: float) -> list[Hint]:
    """The part whose estimates missed farthest, where that is far."""
    name = max(estimates, key=lambda n: estimates[n].worst, default="")
    if not name or not estimates[name].worst > limit:
        return []
    return [Hint("estimate", name, estimates[name].worst, limit)]


def created(bonds: Sequence[Mapping[str, Any]], limit: float) -> list[Hint]:
    """The bond where coupling created most of what passed there, where that is much.

    What it lost may have been meant: parts that start apart come together.
    """
    shares = [b["created"] / b["passed"] if b["passed"] > 0 else 0.0 for b in bonds]
    k = int(np.argmax(shares)) if shares else 0
    if not shares or not shares[k] > limit:
        return []
    return [Hint("energy", bonds[k]["name"], shares[k], limit)]
