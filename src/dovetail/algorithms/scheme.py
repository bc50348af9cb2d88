"""How the residual of a cycle is evaluated: all parts at once, or one after another."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ..core.signals import Vector
from ..topology.component import Component
from ..topology.routing import Index


@dataclass(frozen=True, slots=True, eq=False)
class Feed:
    """Some coupled inputs of a cycle, and the wires inside it that feed them."""

    targets: Index  # among the inputs of all
    sources: Index  # wire by wire, among the outputs of all
    gains: Vector
    offsets: Vector
    wired: Index | None  # the target of each wire, where wires add up

    def values(self, outputs: Vector) -> Vector:
        """What these outputs make of the inputs."""
        return self._added(self.gains * outputs[self.sources] + self.offsets)

    def derivatives(self, derivatives: Vector) -> Vector:
        """What the time derivatives of outputs make of those of the inputs."""
        return self._added(self.gains * derivatives[self.sources])

    def _added(self, values: Vector) -> Vector:
        if self.wired is None:
            return values
        total = np.zeros(self.targets.size)
        np.add.at(total, self.wired, values)
        return total


@dataclass(frozen=True, slots=True, eq=False)
class Turn:
    """Parts that are asked at once, with what earlier turns make of some of their inputs."""

    parts: tuple[int, ...]
    fresh: Feed | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Scheme:
    """Which coupled inputs of a cycle are unknown, and how its parts are asked.

    Parallel: all inputs are unknown, and all parts are asked at once. Serial: parts are asked one
    after another, each with what the ones before it just answered; unknown are the inputs that
    close the cycle, those fed from the same or a later part. So it is in preCICE: "parallel"
    accelerates all data, "serial" what the second participant sends to the first. Bungartz et
    al. 2016; Uekermann 2016 compares the two.

    Native twin: `native/iterated.c`.
    """

    unknown: Feed
    turns: tuple[Turn, ...]


@lru_cache(maxsize=256)
def parallel(component: Component) -> Scheme:
    """All parts at once."""
    c = component
    everything = Feed(c.targets, c.sources, c.gains, c.offsets, c.wired)
    return Scheme(everything, (Turn(c.parts),))


@lru_cache(maxsize=256)
def serial(component: Component, order: tuple[int, ...]) -> Scheme:
    """One part after another in this order."""
    c, rank = component, {part: k for k, part in enumerate(order)}
    asked_by, told_by = np.zeros(c.targets.size, np.intp), np.zeros(c.sources.size, np.intp)
    for part, (rows, _), span in zip(c.parts, c.rows, c.spans, strict=True):
        asked_by[rows] = rank[part]
        told_by[(c.sources >= span.start) & (c.sources < span.stop)] = rank[part]
    ends = c.rows_of(np.arange(c.sources.size))
    closing = np.zeros(c.targets.size, dtype=bool)
    closing[ends[told_by >= asked_by[ends]]] = True
    turns = (Turn((i,), _feed(c, ~closing & (asked_by == rank[i]))) for i in order)
    return Scheme(_feed(c, closing), tuple(turns))


def _feed(component: Component, chosen: NDArray[np.bool_]) -> Feed:
    """Those of the coupled inputs that are chosen, with all of their wires."""
    c = component
    ends = c.rows_of(np.arange(c.sources.size))
    wires = np.flatnonzero(chosen[ends])
    wired = None if c.wired is None else np.searchsorted(np.flatnonzero(chosen), ends[wires])
    return Feed(c.targets[chosen], c.sources[wires], c.gains[wires], c.offsets[wires], wired)
