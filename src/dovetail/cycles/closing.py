"""The cheapest ways from nodes back to themselves, for many nodes at once."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from ..core.signals import Vector
from .digraph import Digraph, Index
from .howard import Means

_CELLS = 8_000_000  # of the table of labels that is kept at a time

_OVERHEAD = 500  # paths that could be looked at while a wave is set up


@dataclass(frozen=True, eq=False)
class CycleComponent:
    """One strong component with its own numbers; edges carry their slack."""

    nodes: Index
    starts: Index
    heads: Index
    slack: Vector
    least: float

    @staticmethod
    def of(graph: Digraph, means: Means, number: int) -> CycleComponent:
        """The component of this number."""
        nodes = graph.nodes(number)
        place = np.zeros(graph.size, dtype=np.intp)
        place[nodes] = np.arange(nodes.size)
        edges = np.flatnonzero(graph.component[graph.tails] == number)
        starts = np.searchsorted(place[graph.tails[edges]], np.arange(nodes.size + 1))
        heads, slack = place[graph.heads[edges]], means.slack[edges]
        return CycleComponent(
            nodes, starts.astype(np.intp), heads, slack, float(means.least[number])
        )

    @property
    def size(self) -> int:
        """How many nodes it has."""
        return int(self.nodes.size)

    def least_slacks(self) -> Vector:
        """For each node, what any cycle through it costs at least: one edge in, one out."""
        away, back = np.full(self.size, inf), np.full(self.size, inf)
        tails = np.repeat(np.arange(self.size), np.diff(self.starts))
        np.minimum.at(away, tails, self.slack)
        np.minimum.at(back, self.heads, self.slack)
        total: Vector = away + back
        return total


@dataclass(frozen=True, eq=False)
class Closings:
    """What a search found for each origin, above the least mean of the component.

    `lower` and `upper` enclose min (slack - bonus) / length over the simple cycles through the
    origin. `decided`: nothing is between them. `labels`: the work it took.
    """

    lower: Vector
    upper: Vector
    decided: NDArray[np.bool_]
    labels: int


def closings(
    part: CycleComponent, origins: Index, bonus: float, caps: Vector, budget: int
) -> Closings:
    """Cycles through each origin, by waves of paths that grow by one edge at a time.

    A path is dropped where a shorter one came at no higher cost. So all paths are simple, and
    among cycles with a slack up to `bonus` none is lost that could be the best. Of the others
    only the cheapest is found, which bounds the rest from below: no cycle is longer than the
    component. Slacks above an origin's cap are of no interest.
    """
    lower, upper = np.empty(origins.size), np.empty(origins.size)
    decided = np.zeros(origins.size, dtype=bool)
    chunk, done, labels = min(max(1, _CELLS // part.size), origins.size), 0, 0
    table = np.full(chunk * part.size, inf), np.zeros(chunk * part.size, dtype=np.intp)
    while done < origins.size:
        these = slice(done, min(done + chunk, origins.size))
        share = (budget - labels) * (these.stop - done) // (origins.size - done)
        wave = _Wave(part, origins[these], bonus, caps[these], table)
        wave.run(share)
        lower[these], upper[these], decided[these] = wave.enclosed(caps[these])
        labels += wave.labels
        done = these.stop
        wave.clear()
    return Closings(lower, upper, decided, labels)


class _Wave:
    """All paths of one length from some origins."""

    def __init__(
        self,
        part: CycleComponent,
        origins: Index,
        bonus: float,
        caps: Vector,
        table: tuple[Vector, Index],
    ) -> None:
        self.part, self.origins, self.bonus = part, origins, bonus
        count = origins.size
        self.caps = caps.copy()
        self.ratio, self.nearest = np.full(count, inf), np.full(count, inf)
        self.row, self.node, self.cost = np.arange(count), origins.copy(), np.zeros(count)
        self.seen, self.stamp = table  # cost, and a mark, for each origin and node
        self.written: list[Index] = []
        self.hops = self.labels = 0

    def run(self, budget: int) -> None:
        """Grow until nothing is left to look at, or the budget is spent."""
        while self.row.size and self.labels < budget:
            self._grow()

    def clear(self) -> None:
        """Leave the table as it was."""
        for key in self.written:
            self.seen[key] = inf

    def enclosed(self, caps: Vector) -> tuple[Vector, Vector, NDArray[np.bool_]]:
        """Lower and upper limits of (slack - bonus) / length, and which are exact."""
        open_cost = np.full(self.origins.size, inf)
        np.minimum.at(open_cost, self.row, self.cost)
        cheapest = np.minimum(np.minimum(self.nearest, open_cost), caps)
        longest = self.part.size
        open_ratio = np.where(
            open_cost <= self.bonus, (open_cost - self.bonus) / (self.hops + 1), inf
        )
        far = (np.where(np.isfinite(cheapest), cheapest, 0.0) - self.bonus) / longest
        far[np.isinf(cheapest)] = inf
        lower = np.where(cheapest > self.bonus, far, np.minimum(self.ratio, open_ratio))
        capped = (caps <= self.bonus) & (self.nearest > caps)
        lower = np.where(capped, np.minimum(lower, (caps - self.bonus) / 2), lower)
        return lower, self.ratio, (lower >= self.ratio) & np.isfinite(self.ratio)

    def _grow(self) -> None:
        self.hops += 1
        part = self.part
        first, counts = part.starts[self.node], np.diff(part.starts)[self.node]
        origin = np.repeat(np.arange(self.row.size), counts)
        edge = np.arange(origin.size) - np.repeat(np.cumsum(counts) - counts - first, counts)
        row, node = self.row[origin], part.heads[edge]
        cost = self.cost[origin] + part.slack[edge]
        self.labels += row.size + _OVERHEAD
        home = node == self.origins[row]
        if home.any():
            self._close(row[home], cost[home])
        kept = ~home & (cost <= self.caps[row])
        row, node, cost = row[kept], node[kept], cost[kept]
        key = row * part.size + node
        kept = cost < self.seen[key]
        row, node, cost, key = row[kept], node[kept], cost[kept], key[kept]
        np.minimum.at(self.seen, key, cost)
        self.written.append(key)
        kept = cost == self.seen[key]
        row, node, cost, key = row[kept], node[kept], cost[kept], key[kept]
        self.stamp[key] = np.arange(key.size)  # of equal ones the last stays
        kept = self.stamp[key] == np.arange(key.size)
        self.row, self.node, self.cost = row[kept], node[kept], cost[kept]

    def _close(self, row: Index, cost: Vector) -> None:
        np.minimum.at(self.nearest, row, cost)
        np.minimum.at(self.ratio, row, (cost - self.bonus) / self.hops)
        self.caps = np.minimum(self.caps, np.maximum(self.nearest, self.bonus))


def best_cycle(part: CycleComponent, origin: int, bonus: float, budget: int) -> tuple[int, ...]:
    """The nodes of the best cycle that `closings` finds from one origin; empty if none."""
    paths: list[tuple[int, int]] = [(origin, -1)]  # node, the path it continues
    wave = [(origin, 0.0, 0)]
    seen: dict[int, float] = {}
    best, found, nearest, hops = inf, -1, inf, 0
    starts, heads, slack = part.starts.tolist(), part.heads.tolist(), part.slack.tolist()
    while wave and len(paths) < budget:
        hops += 1
        following: dict[int, tuple[float, int]] = {}
        cap = max(nearest, bonus)
        for node, cost, path in wave:
            for e in range(starts[node], starts[node + 1]):
                v, c = heads[e], cost + slack[e]
                if v == origin:
                    nearest = min(nearest, c)
                    cap = max(nearest, bonus)
                    if (c - bonus) / hops < best:
                        best, found = (c - bonus) / hops, path
                elif c <= cap and c < seen.get(v, inf):
                    seen[v] = c
                    following[v] = (c, path)
        wave = []
        for v, (c, path) in following.items():
            paths.append((v, path))
            wave.append((v, c, len(paths) - 1))
    nodes: list[int] = []
    while found >= 0:
        node, found = paths[found]
        nodes.append(node)
    return tuple(nodes[::-1])
